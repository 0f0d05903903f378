"""Makes the recording of the scenes of edits: lamps and a hole in a roof that go, every border of a cell, a clock.

``python -m tests.golden.edits_recording FILE.cscope``; virtual time, so the same file every time. All stands before
anybody joins; then, in the recording's seconds:

    from 0.5   the server tells times of day, the last one at night under a quarter moon
    from 1.0   blocks of ``CELL`` change, one at each of its corners, edges and sides, a frame of a watched scene each
    from 3.0   lamps of each colour go, each beside one that stays; the hole in the roof is closed

Corners come before edges, and those before sides: so the cell beside each is meshed for the last time by the one edit
that lies in its own direction, and a missing one is to be seen.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

from client.connection.connection import Connection
from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from net.palette import BlockState
from net.server.options import HostOptions
from net.space import BlockPos
from tests.golden.broken_recording import PALETTE, run, state_of
from tests.support.session.virtual import SWIFT, VirtualSession

RADIUS: Final = 4
MORNING: Final = 1000
TIMES: Final = ((0.5, 36_700), (0.7, 2 * 24_000 + 14_500))
"""Seconds, and what is told then: the second one under a moon of its third day."""
BORDERS_S: Final = 1.0
LAMPS_S: Final = 3.0
END_S: Final = 4.0
STEP_S: Final = 0.06
"""A frame of a watched scene, and a little more."""

CELL: Final = BlockPos(0, -32, 0)
"""Lowest corner of the render cell whose borders are edited; it reaches 16, 32 and 16 blocks on."""
SIZE: Final = (16, 32, 16)
DIRECTIONS: Final = sorted(
    (way for way in product((-1, 0, 1), repeat=3) if any(way)), key=lambda way: (-sum(map(abs, way)), way)
)
"""Corners, edges, sides."""

FLOOR: Final = -60
"""Of the air over the flat world."""
LIT_Z: Final = -20
LAMPS: Final = {
    "red": ("colored_torch_rg", 0, -17),
    "green": ("colored_torch_rg", 1, -1),
    "blue": ("colored_torch_bp", 0, 15),
}
"""Block, ``color_bit`` and x: each beside a border of sub-chunks, one under another border."""
HUT: Final = (  # in no cell beside ``CELL``: an edit here would mesh that one again
    BlockPos(-6, FLOOR, 34),
    BlockPos(6, FLOOR + 5, 46),
)
HOLE: Final = (BlockPos(-1, FLOOR + 5, 39), BlockPos(1, FLOOR + 5, 41))


Put = Callable[[BlockPos, BlockState], None]
"""Changes a block."""


class Border(NamedTuple):
    """One border of ``CELL``."""

    way: tuple[int, int, int]  # from the cell to the one beside, -1, 0 or 1 along x, y and z
    block: BlockPos  # of the cell, that touches the border: the one that changes

    @property
    def beside(self) -> BlockPos:
        """The nearest block of the other cell."""
        return BlockPos(*(at + step for at, step in zip(self.block, self.way, strict=True)))


def borders() -> Iterator[Border]:
    """Corners, edges, sides."""
    for way in DIRECTIONS:
        inside = (size // 2 if not step else 0 if step < 0 else size - 1 for size, step in zip(SIZE, way, strict=True))
        yield Border(way, BlockPos(*(low + at for low, at in zip(CELL, inside, strict=True))))


def box(low: BlockPos, high: BlockPos) -> Iterator[BlockPos]:
    """All blocks of a box, both corners inclusive."""
    return (BlockPos(*at) for at in product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))


def with_values(name: str, **values: int) -> BlockState:
    """The first state of a block with such values."""
    return next(
        state
        for state in PALETTE.states
        if state.name == f"minecraft:{name}" and values.items() <= dict(state.states).items()
    )


def build(put: Put) -> None:
    """What stands before anybody joins."""
    for border in borders():
        x, y, z = border.beside
        if sum(map(abs, border.way)) == 1:  # a side: a block of the other cell, hidden towards this one
            put(border.beside, state_of("quartz_block"))
            put(border.block, state_of("red_sandstone"))
        else:  # only liquids look around edges and corners: four by four of shallow water on glass
            for at in box(BlockPos(x - 2, y, z - 2), BlockPos(x + 1, y, z + 1)):
                put(at, with_values("water", liquid_depth=6))
    for at in box(BlockPos(-24, FLOOR, LIT_Z), BlockPos(24, FLOOR + 20, LIT_Z)):
        put(at, state_of("quartz_block"))
    for block, bit, x in LAMPS.values():
        put(BlockPos(x, -49, LIT_Z - 1), with_values(block, color_bit=bit))
        put(BlockPos(x + 2, -58, LIT_Z - 1), with_values(block, color_bit=bit))
    for at in box(*HUT):
        rim = any(at[axis] in (HUT[0][axis], HUT[1][axis]) for axis in range(3))
        put(at, state_of("planks" if rim and at.y >= FLOOR else "air"))
    for at in box(*HOLE):
        put(at, state_of("air"))
    put(BlockPos(4, FLOOR + 1, 36), state_of("torch"))


def edit(put: Put, connection: Connection) -> None:
    """What changes while somebody looks."""
    for border in borders():
        put(border.block, state_of("air" if sum(map(abs, border.way)) == 1 else "water"))
        run(connection, STEP_S)
    until(connection, LAMPS_S)
    for _, _, x in LAMPS.values():
        put(BlockPos(x, -49, LIT_Z - 1), state_of("air"))
        run(connection, STEP_S)
    for at in box(*HOLE):
        put(at, state_of("planks"))


def until(connection: Connection, seconds: float) -> None:
    """Lets time pass up to a moment of the recording."""
    run(connection, max(0.0, seconds - (connection.now - connection.session.started_at)))


def make(path: Path) -> None:
    """Settles, tells the time, edits, waits."""
    virtual = VirtualSession("flat:1", HostOptions(time=MORNING), config=SessionConfig(radius=RADIUS, player=SWIFT))
    build(virtual.host.set_block)
    with virtual.connection(Options(radius=RADIUS, light=False, record=path)) as connection:
        connection.look(View(Eye(0.5, FLOOR + 2.6, -1.5)))
        connection.wait_settled()
        for seconds, time in TIMES:
            until(connection, seconds)
            virtual.host.set_time(time)
        until(connection, BORDERS_S)
        edit(virtual.host.set_block, connection)
        until(connection, END_S)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
