"""Falling blocks: sand, gravel and the like become entities while they fall.

Rules:
1. After an edit the position and the one above it are checked: an unsupported block there falls like the games'
   entities, one step a tick. It lands on the first block that is not replaceable (``REPLACED``), or above a block
   placed in its way. It is then an ordinary block: saved, and sent to the clients that have its sub-chunk.
2. At most ``MOST_FALLING`` blocks fall at a time and ``STARTS_A_TICK`` start in a tick; the others wait, at most
   ``MOST_LOOKS`` positions. A block beyond that stays until the next edit beside it. Ids and paths depend only on edits
   and ticks.
3. Killing the process loses no block: while one falls, the log of edits has it at the position where it will land
   (``promised``). It is logged again when another block takes that position, and after each snapshot, which does not
   contain it.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

import msgspec

from net.palette import BlockState
from net.server.block_ids import AIR
from net.server.building import REPLACED, BlockReplacement
from net.server.dimensions import ServerDimension
from net.server.entities import FALLING_BLOCK, ServerEntity
from net.space import BlockPos

FALLS: Final = (":sand", ":red_sand", ":gravel", "concrete_powder", "anvil")
"""Endings of the names of blocks that fall."""
FIRST_FALLING: Final = 1 << 22
"""Runtime and unique ids."""
MOST_FALLING: Final = 128
STARTS_A_TICK: Final = 32
"""3 ms (measured: 50 us for an edit and the check of the landing position)."""
LOOKS_A_TICK: Final = 256
"""2 ms (measured: 8 us each)."""
MOST_LOOKS: Final = 4096
GRAVITY: Final = 0.04
"""Blocks a tick, gained each tick."""
DRAG: Final = 0.98
"""Factor on the speed after each tick."""

Place = tuple[int, BlockPos]
"""A dimension's number, and a position in it."""


class _Falling(msgspec.Struct):
    entity_id: int
    served: ServerDimension
    state: BlockState
    x: int
    z: int
    feet_y: float
    promised: BlockPos  # its position in the log
    speed: float = 0.0  # blocks a tick

    @property
    def place(self) -> BlockPos:
        return BlockPos(self.x, int(self.feet_y // 1), self.z)


class FallingBlocks:
    """The falling blocks of one host; see the module.

    ``edit``: makes an edit and returns whether it succeeded. ``log``: writes an edit to the log without making it.
    """

    def __init__(
        self,
        edit: Callable[[ServerDimension, BlockReplacement], bool],
        log: Callable[[ServerDimension, BlockPos, BlockState], None],
    ) -> None:
        self._edit = edit
        self._log = log
        self._looks: dict[Place, ServerDimension] = {}  # positions to check, oldest first
        self._falling: dict[int, _Falling] = {}  # by entity id
        self._promises: dict[Place, _Falling] = {}
        self._next_id = FIRST_FALLING
        self.news: list[int] = []  # ids of blocks that started to fall or landed in the last tick

    def edited(self, served: ServerDimension, position: BlockPos) -> None:
        """A block of layer 0 changed: queues the checks of rule 1."""
        number = served.dimension.number
        if taken := self._promises.get((number, position)):
            self._promise(taken)
        for place in (position, position._replace(y=position.y + 1)):
            if len(self._looks) < MOST_LOOKS and served.dimension.holds_section(place.y >> 4):
                self._looks[number, place] = served

    def tick(self) -> None:
        """Moves all falling blocks one step, and starts others."""
        self.news.clear()
        begun = self._next_id
        for one in list(self._falling.values()):
            self._step(one)
        for (number, place), served in list(islice(self._looks.items(), LOOKS_A_TICK)):
            if len(self._falling) >= MOST_FALLING or self._next_id - begun >= STARTS_A_TICK:
                break
            del self._looks[number, place]
            self._look(served, place)

    def land_all(self) -> None:
        """Lands all falling blocks at once, when the server stops."""
        for one in list(self._falling.values()):
            self._land(one, self._rest(one))

    def promise_all(self) -> None:
        """Logs all falling blocks again after a snapshot, which contains none of them."""
        for one in self._falling.values():
            self._log(one.served, one.promised, one.state)

    def entities(self) -> Iterator[ServerEntity]:
        for one in self._falling.values():
            block = one.served.states.local_id_of(one.state)
            feet = (one.x + 0.5, one.feet_y, one.z + 0.5)
            yield ServerEntity(one.entity_id, FALLING_BLOCK, one.served.dimension.number, feet, block=block)

    # ---------------------------------------------------------------- inside

    def _look(self, served: ServerDimension, place: BlockPos) -> None:
        state = served.block(place, 0)
        if not state.name.endswith(FALLS) or not _is_free(served, place._replace(y=place.y - 1)):
            return
        if not self._edit(served, BlockReplacement(place, 0, served.states.state_of(AIR))):
            return
        one = _Falling(self._next_id, served, state, place.x, place.z, float(place.y), place)
        self._next_id += 1
        self._falling[one.entity_id] = one
        self.news.append(one.entity_id)
        self._promise(one)

    def _step(self, one: _Falling) -> None:
        one.speed += GRAVITY
        below = one.feet_y - one.speed
        one.speed *= DRAG
        place = one.place
        if not _is_free(one.served, place):  # a player placed a block there
            self._land(one, self._rest(one))
            return
        while place.y > below:
            if not _is_free(one.served, under := place._replace(y=place.y - 1)):
                self._land(one, place)
                return
            place = under
        one.feet_y = below

    def _land(self, one: _Falling, place: BlockPos) -> None:
        """Places the block; if the world refuses the edit, it stays a falling entity."""
        self._break_promise(one)
        if self._edit(one.served, BlockReplacement(place, 0, one.state)):
            del self._falling[one.entity_id]
            self.news.append(one.entity_id)
        else:
            self._promise(one)

    def _rest(self, one: _Falling) -> BlockPos:
        """The position where it would land now."""
        place, served = one.place, one.served
        while not _is_free(served, place) and served.dimension.holds_section(place.y + 1 >> 4):
            place = place._replace(y=place.y + 1)
        while _is_free(served, under := place._replace(y=place.y - 1)):
            place = under
        return place

    def _promise(self, one: _Falling) -> None:
        """Logs it at its landing position, above others that will land there."""
        self._break_promise(one)
        place = self._rest(one)
        dimension = one.served.dimension
        while (dimension.number, place) in self._promises and dimension.holds_section(place.y + 1 >> 4):
            place = place._replace(y=place.y + 1)
        one.promised = place
        self._promises[dimension.number, place] = one
        self._log(one.served, place, one.state)

    def _break_promise(self, one: _Falling) -> None:
        """Logs the actual block at the promised position again."""
        if self._promises.get((one.served.dimension.number, one.promised)) is one:
            del self._promises[one.served.dimension.number, one.promised]
            self._log(one.served, one.promised, one.served.block(one.promised, 0))


def _is_free(served: ServerDimension, place: BlockPos) -> bool:
    """Whether a block may fall into a position; below the dimension's floor it may not."""
    if not served.dimension.holds_section(place.y >> 4):
        return False
    state = served.block(place, 0)
    return state == served.states.state_of(AIR) or state.name.endswith(REPLACED)
