"""The served dimensions: each with its world, its columns and generation queue, its edits, and its block ids.

Rules:
1. Dimensions share only the block lists of releases: no columns, no local ids, no generation requests.
2. A dimension without players costs only its memory; after ``FORGOTTEN_S`` it drops the columns that can be made again.
3. One turn of work generates columns for one dimension; the next turn is another dimension's if players need columns
   there.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from net.palette import BlockState
from net.releases import ProtocolRange
from net.server.block_ids import BlockIdForms, LocalStates, WordLists, word_lists
from net.server.column_provider import ColumnProvider, StoredSections
from net.server.generation_queue import MOST_REQUESTS, GenerationQueue
from net.server.host_options import HostOptions, IdForm
from net.server.join_packets import check_speakable, custom_blocks_of
from net.server.save.saving import Saving
from net.server.worlds import ServerWorld
from net.space import BlockPos, Dimension, by_number

FORGOTTEN_S: Final = 60.0
"""How long a dimension is without players before it drops its columns."""


class ServerDimension:
    """One served dimension.

    ``words``: block lists of releases. ``stored``: sections stored by earlier runs, None without a storage. Raises
    UnknownState: the world has a block that the highest protocol lacks, and its columns may not have such blocks.
    """

    def __init__(
        self,
        world: ServerWorld,
        options: HostOptions,
        spoken: ProtocolRange,
        words: WordLists,
        stored: StoredSections | None = None,
    ) -> None:
        self.world = world
        self.dimension: Dimension = world.dimension
        self.states = LocalStates(world.states)  # local ids of its blocks
        self.forms = BlockIdForms(self.states, spoken, world.dimension.sections, words)  # its block ids by release
        for state in () if options.bear_unknown else world.states:
            self.forms.home.check(state)
        self.provider = ColumnProvider(world, self.states, options.kept_columns, stored)  # its columns
        self.provision = GenerationQueue(self.provider, max(MOST_REQUESTS, options.columns_a_turn))
        self._empty_since: float | None = None

    def set_block(self, position: BlockPos, layer: int, state: BlockState, tick: int) -> None:
        """Changes a block.

        ``layer``: 0 or 1. ``state``: the new block. Raises UnknownState: the highest supported protocol lacks it;
        ValueError: the position is outside the dimension, or the layer is neither 0 nor 1; TooManyChanges: too many
        columns are changed and not saved.
        """
        if not self.dimension.holds_section(position.y >> 4):
            raise ValueError(f"{position} is outside the {self.dimension.name}")
        if layer not in {0, 1}:
            raise ValueError(f"unknown layer {layer}")
        self.forms.home.check(state)
        self.provider.set_block(position, layer, self.states.local_id_of(state), tick)

    def block(self, position: BlockPos, layer: int = 0) -> BlockState:
        """The block at a position inside the dimension, edits included."""
        index = (position.y >> 4) - self.dimension.floor_section
        return self.states.state_of(
            self.provider.snapshot(position.column).local_id(index, position.in_subchunk, layer)
        )

    def toggled(self, position: BlockPos) -> BlockState:
        """The world's first state besides air if the block is air, otherwise air."""
        air, solid = self.world.states[:2]
        return solid if self.block(position) == air else air

    def rest(self, players: int, now: float) -> None:
        """Called each tick with the number of players; see rule 2."""
        if players:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        elif now - self._empty_since >= FORGOTTEN_S:
            self.provider.forget()


class ServerDimensions:
    """All served dimensions.

    ``worlds``: one for each dimension; players start in the first. Raises UnknownState: a world has a block that the
    protocol lacks; LocalProtocolError: a protocol cannot express the ids here, or a world's height.
    """

    def __init__(
        self,
        worlds: Sequence[ServerWorld],
        options: HostOptions,
        spoken: ProtocolRange,
        saving: Saving | None = None,
    ) -> None:
        words = word_lists(custom_blocks_of(worlds[0]), hashed=options.ids is IdForm.HASH)
        self._dimensions: dict[int, ServerDimension] = {}
        for world in worlds:
            check_speakable(world, options.ids, spoken.lowest)
            stored = None if saving is None else partial(saving.terrain.sections, world.dimension)
            served = self._dimensions[world.dimension.number] = ServerDimension(world, options, spoken, words, stored)
            if saving is not None:
                saving.terrain.attach(served.dimension, served.provider, served.states)
        self.start = self._dimensions[worlds[0].dimension.number]  # where players start
        self._turns = deque(self)

    def __iter__(self) -> Iterator[ServerDimension]:
        return iter(self._dimensions.values())

    def of(self, number: int | None) -> ServerDimension:
        """The dimension with a number; None: where players start. Raises ValueError: it is not served."""
        served = self.start if number is None else self._dimensions.get(number)
        if served is None:
            raise ValueError(f"{self.start.world.name} has no dimension {by_number(number or 0).name}")
        return served

    def find(self, number: int) -> ServerDimension | None:
        """The dimension with a number; None if it is not served."""
        return self._dimensions.get(number)

    def work(self, most: int, now: float) -> bool:
        """Generates the most needed columns, ``most`` of them or up to one step; True if more may be made."""
        for _ in self._dimensions:
            provision = self._turns[0].provision
            self._turns.rotate(-1)
            made = provision.made
            if provision.work(most, now):
                return True
            if provision.made > made:
                return any(served.provision.wanted for served in self if served.provision is not provision)
        return False

    @property
    def unknown_states(self) -> Sequence[BlockState]:
        """States found so far that the highest protocol lacks."""
        return [state for served in self for state in served.forms.home.unknown]
