"""One dimension of what is served: its world, who makes its columns, what was changed, and how it looks on the wire.

Rules:
1. Realms share nothing but what releases call blocks: neither columns nor local ids nor wishes of players.
2. One that nobody is in costs nothing but what it keeps, and forgets what can be had again after ``FORGOTTEN_S``.
"""

from typing import Final

from net.bedrock.spoken import Spoken
from net.palette import BlockState
from net.server.local_states import LocalStates
from net.server.options import HostOptions
from net.server.provider import Provider, StoredTerrain
from net.server.provision import MOST_WISHES, Provision
from net.server.snapshots import SectionVersion
from net.server.wire_forms import WireForms, WordLists
from net.server.worlds import World
from net.space.dimensions import Dimension
from net.space.positions import BlockPos, SubChunkPos

FORGOTTEN_S: Final = 60.0
"""Without players."""


class Realm:
    """See the module.

    Args:
        world: what is there.
        options: of the host.
        spoken: protocols of clients.
        words: what releases call blocks.
        stored: what earlier lives left of it, None where nothing is stored.

    Attributes:
        world: as given.
        states: local ids of its blocks.
        provider: of its columns.
        provision: what of them is to be made next.
        forms: how clients read it.

    Raises:
        UnknownState: the world holds a block that the highest protocol does not, and may not.
    """

    def __init__(
        self,
        world: World,
        options: HostOptions,
        spoken: Spoken,
        words: WordLists,
        stored: StoredTerrain | None = None,
    ) -> None:
        self.world = world
        self.states = LocalStates(world.states)
        self.forms = WireForms(self.states, spoken, world.dimension.sections, words)
        for state in () if options.bear_unknown else world.states:
            self.forms.home.check(state)
        self.provider = Provider(world, self.states, options.kept_columns, stored)
        self.provision = Provision(self.provider, max(MOST_WISHES, options.columns_a_turn))
        self._empty_since: float | None = None

    @property
    def dimension(self) -> Dimension:
        """Which one it is."""
        return self.world.dimension

    def set_block(self, position: BlockPos, layer: int, state: BlockState, tick: int) -> tuple[int, SectionVersion]:
        """Changes a block; its local id, and the version that its section has now.

        Args:
            position: of the block.
            layer: 0 or 1.
            state: what it becomes.
            tick: of the world.

        Raises:
            UnknownState: the highest protocol that is spoken has no such block.
            ValueError: the position is outside the dimension, or the layer neither 0 nor 1.
            TooManyChanges: too much is changed and not saved.
        """
        if not self.dimension.holds_section(position.y >> 4):
            raise ValueError(f"{position} is outside the {self.dimension.name}")
        if layer not in {0, 1}:
            raise ValueError(f"there is no layer {layer}")
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
