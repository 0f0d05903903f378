"""One dimension of what is served: its world, who makes its columns, what was changed, and how it looks on the wire.

Rules:
1. Realms share nothing but what releases call blocks: neither columns nor local ids nor wishes of players.
2. One that nobody is in costs nothing but what it keeps, and forgets what can be had again after ``FORGOTTEN_S``.

Rule: a turn of work is one dimension's; the next one is another's where players want something there, too.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from net.bedrock.releases import ProtocolRange
from net.palette import BlockState, Palette
from net.server.block_ids import BlockIdForms, LocalStates, WordLists
from net.server.column_provider import ColumnProvider, StoredSections
from net.server.column_snapshots import SectionVersion
from net.server.generation_queue import MOST_WISHES, GenerationQueue, GenerationStats
from net.server.join_packets import check_speakable, custom_blocks_of
from net.server.options import HostOptions, IdForm
from net.server.save.saving import Saving
from net.server.worlds import ServerWorld
from net.space import BlockPos, Dimension, SubChunkPos, by_number

FORGOTTEN_S: Final = 60.0
"""Without players."""


class ServerDimension:
    """See the module.

    ``world``: what is there. ``options``: of the host. ``spoken``: protocols of clients. ``words``: what releases call
    blocks. ``stored``: what earlier lives left of it, None where nothing is stored. Raises UnknownState: the world
    holds a block that the highest protocol does not, and may not.
    """

    def __init__(
        self,
        world: ServerWorld,
        options: HostOptions,
        spoken: ProtocolRange,
        words: WordLists,
        stored: StoredSections | None = None,
    ) -> None:
        self.world = world  # as given
        self.states = LocalStates(world.states)  # local ids of its blocks
        self.forms = BlockIdForms(self.states, spoken, world.dimension.sections, words)  # how clients read it
        for state in () if options.bear_unknown else world.states:
            self.forms.home.check(state)
        self.provider = ColumnProvider(world, self.states, options.kept_columns, stored)  # of its columns
        # what of them is to be made next
        self.provision = GenerationQueue(self.provider, max(MOST_WISHES, options.columns_a_turn))
        self._empty_since: float | None = None

    @property
    def dimension(self) -> Dimension:
        return self.world.dimension

    def set_block(self, position: BlockPos, layer: int, state: BlockState, tick: int) -> tuple[int, SectionVersion]:
        """Changes a block; its local id, and the version that its section has now.

        ``layer``: 0 or 1. ``state``: what it becomes. Raises UnknownState: the highest protocol that is spoken has no
        such block; ValueError: the position is outside the dimension, or the layer neither 0 nor 1; TooManyChanges: too
        much is changed and not saved.
        """
        if not self.dimension.holds_section(position.y >> 4):
            raise ValueError(f"{position} is outside the {self.dimension.name}")
        if layer not in {0, 1}:
            raise ValueError(f"unknown layer {layer}")
        self.forms.home.check(state)
        local_id = self.states.local_id_of(state)
        return local_id, self.provider.set_block(position, layer, local_id, tick)

    def block(self, position: BlockPos, layer: int) -> BlockState:
        """What stands at a position inside the dimension, edits included."""
        index = (position.y >> 4) - self.dimension.floor_section
        return self.states.state_of(
            self.provider.snapshot(position.column).local_id(index, position.in_subchunk, layer)
        )

    def toggled(self, position: BlockPos) -> BlockState:
        """For air the world's first other block, air for anything else."""
        air, solid = self.world.states[:2]
        return solid if self.block(position, 0) == air else air

    def version(self, position: SubChunkPos) -> SectionVersion:
        """How often a sub-chunk inside the dimension was changed, and when it was last."""
        return self.provider.snapshot(position.column).version(position.y - self.dimension.floor_section)

    def rest(self, players: int, now: float) -> None:
        """A tick with so many players; see rule 2."""
        if players:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        elif now - self._empty_since >= FORGOTTEN_S:
            self.provider.forget()


class ServerDimensions:
    """See the module.

    ``worlds``: one a dimension; players start in the first. ``options``: of the host. ``spoken``: protocols of clients.
    ``saving``: what outlives the process, None for nothing. ``palette_of``: the palette of a protocol, by order. Raises
    UnknownState: a world holds a block that the protocol does not; LocalProtocolError: a protocol cannot say what ids
    mean here, or how tall a world is.
    """

    def __init__(
        self,
        worlds: Sequence[ServerWorld],
        options: HostOptions,
        spoken: ProtocolRange,
        saving: Saving | None = None,
        palette_of: Callable[[int], Palette] = Palette.for_protocol,
    ) -> None:
        self.custom_blocks = custom_blocks_of(worlds[0])
        words = WordLists(
            hashed=options.ids is IdForm.HASH,
            palette_of=lambda protocol: palette_of(protocol).with_custom(self.custom_blocks),
        )
        self._dimensions: dict[int, ServerDimension] = {}
        for world in worlds:
            check_speakable(world, options.ids, spoken.lowest)
            stored = None if saving is None else partial(saving.terrain.sections, world.dimension)
            served = self._dimensions[world.dimension.number] = ServerDimension(world, options, spoken, words, stored)
            if saving is not None:
                saving.attach(served.dimension, served.provider, served.states)
        self.start = self._dimensions[worlds[0].dimension.number]  # where players begin
        self._turns = deque(self)

    def __iter__(self) -> Iterator[ServerDimension]:
        return iter(self._dimensions.values())

    def of(self, number: int | None) -> ServerDimension:
        """The one of a dimension's number, or where players begin. Raises ValueError: it is not served."""
        served = self.start if number is None else self._dimensions.get(number)
        if served is None:
            raise ValueError(f"{self.start.world.name} has no dimension {by_number(number or 0).name}")
        return served

    def find(self, number: int) -> ServerDimension | None:
        """The one of a dimension's number, None where it is not served."""
        return self._dimensions.get(number)

    def work(self, most: int, now: float) -> bool:
        """Makes the columns that are needed most, ``most`` of them or up to one step; True when more may be made."""
        for _ in self._dimensions:
            provision = self._turns[0].provision
            self._turns.rotate(-1)
            made = provision.made
            if provision.work(most, now):
                return True
            if provision.made > made:
                return any(served.provision.wanted for served in self if served.provision is not provision)
        return False

    def forget(self) -> None:
        """Drops all columns that can be had again."""
        for served in self:
            served.provider.forget()

    @property
    def unknown_states(self) -> Sequence[BlockState]:
        """What was found so far that the highest protocol has no block for."""
        return [state for served in self for state in served.forms.home.unknown]

    def stats(self) -> GenerationStats:
        """A snapshot of what was made for whom, of all together."""
        each = [served.provision.stats() for served in self]
        return GenerationStats(
            sum(one.made for one in each), sum(one.shared for one in each), sum(one.wished for one in each)
        )
