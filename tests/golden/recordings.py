"""Makes the recordings of golden scenes, in virtual time, so the same file every time.

``python -m tests.golden.recordings broken|stale|entities|edits FILE.cscope``

    broken    cracks, and blocks that somebody breaks before the eye; it prints when, in the recording's seconds
    stale     ``scenes/stale_columns.toml``: a look-out that the server's circle has left
    entities  one of each shape before the eye, in water, behind glass, on its way; the last moves come a second before
              the end
    edits     lamps and a hole in a roof that go, every border of a cell, a clock

Of the edits all stands before anybody joins; then, in the recording's seconds:

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
from client.options import Options, PinnedAnchor
from client.player import Eye, View
from client.session.config import SessionConfig
from net.bedrock import (
    AddActor,
    AddItemActor,
    AddPainting,
    AddPlayer,
    EntityValue,
    LevelEvent,
    LevelEventNumber,
    Message,
    MoveActorAbsolute,
    SetActorData,
    ValueType,
)
from net.bedrock.packets.entity_values import ItemStack
from net.palette import BlockState, Palette
from net.server.host_options import HostOptions
from net.space import BlockPos
from tests.support.session.virtual import SWIFT, VirtualSession

RADIUS = 2
FLOOR = -60
"""Of the air over the flat world."""
BROKEN = {
    "planks": BlockPos(-3, -57, 6),
    "stone": BlockPos(0, -57, 6),
    "grass": BlockPos(3, -57, 6),
}
CRACKED = {
    "stone": BlockPos(-6, FLOOR, 7),
    "glass": BlockPos(-4, FLOOR, 7),
    "stained_glass": BlockPos(-2, FLOOR, 7),
    "leaves": BlockPos(0, FLOOR, 7),
    "stained_glass_pane": BlockPos(2, FLOOR, 7),
    "glass_pane": BlockPos(4, FLOOR, 7),
    "fence": BlockPos(6, FLOOR, 7),
    "stone_stairs": BlockPos(8, FLOOR, 7),
    "ice": BlockPos(10, FLOOR, 7),
}
CRACKED_TICKS = 100
PALETTE = Palette.for_protocol(486)
RUNTIME_IDS = dict(zip(PALETTE.states, PALETTE.runtime_ids.tolist(), strict=True))


def state_of(name: str) -> BlockState:
    """The first state of a block."""
    return next(state for state in PALETTE.states if state.name == f"minecraft:{name}")


def tell(virtual: VirtualSession, event: LevelEventNumber, block: BlockPos, argument: int) -> None:
    """What the server says of a block."""
    middle = (block.x + 0.5, block.y + 0.5, block.z + 0.5)
    for session in virtual.host.sessions:
        session.send(LevelEvent(event, middle, argument))


def run(connection: Connection, seconds: float) -> None:
    """Lets so much time pass."""
    end = connection.now + seconds
    while connection.now < end:
        connection.pump()


def make_broken(path: Path) -> None:
    """Settles, sets blocks, digs at some for three seconds, breaks others, waits two seconds."""
    virtual = VirtualSession("flat:1", config=SessionConfig(radius=RADIUS, player=SWIFT))
    with virtual.connection(Options(radius=RADIUS, light=False, record=path)) as connection:
        connection.wait_settled()
        connection.look(View(Eye(0.5, FLOOR + 2.6, -1.5)))
        connection.wait_settled()
        put = virtual.host.set_block
        for name, place in [*BROKEN.items(), *CRACKED.items()]:
            put(place, state_of(name))
        for x in (-3, 0, 3):  # steps for bits to fall on: a block before two slabs
            put(BlockPos(x, FLOOR, 6), state_of("stone"))
            put(BlockPos(x + 1, FLOOR, 5), state_of("stone_slab"))
        run(connection, 0.5)
        for place in CRACKED.values():
            tell(virtual, LevelEventNumber.START_CRACKING, place, 65_535 // CRACKED_TICKS)
        run(connection, 3.0)
        for name, place in BROKEN.items():
            tell(virtual, LevelEventNumber.DESTROY_BLOCK, place, RUNTIME_IDS[state_of(name)])
            put(place, state_of("air"))
        print(f"broken at {connection.session.now - connection.session.started_at:.2f} s")  # noqa: T201 - for whoever breaks one by hand
        run(connection, 2.0)


# --------------------------------------------------------------------- stale

AWAY_BLOCKS = 16.0 * 7


def make_stale(path: Path) -> None:
    """Settles at the spawn of the hills, pins it, flies on until the circle has left it, settles there."""
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=RADIUS, player=SWIFT))
    with virtual.connection(Options(radius=RADIUS, light=False, record=path)) as connection:
        connection.wait_settled()
        eye = connection.session.movement.view.eye
        connection.pin("home", PinnedAnchor(eye.x, eye.z, RADIUS, y=eye.y + 30.0))
        connection.wait_settled()
        connection.look(View(Eye(eye.x + AWAY_BLOCKS, eye.y, eye.z)))
        connection.wait_settled()
        for _ in range(50):
            connection.pump()
        assert connection.session.dimension.terrain.staleness.rows.sum() > (2 * RADIUS + 1) ** 2


# --------------------------------------------------------------------- entity

NAMED = EntityValue(4, ValueType.STRING, "Ada"), EntityValue(81, ValueType.BYTE, 1)
WALL = [BlockPos(x, y, 11) for x in range(-8, 9) for y in range(FLOOR, FLOOR + 4)]
POOL = [BlockPos(x, FLOOR - 1, z) for x in range(3, 8) for z in range(3, 7)]
PANES = [BlockPos(x, y, 4) for x in (-8, -7, -6) for y in (FLOOR, FLOOR + 1)]
LAMP = BlockPos(7, FLOOR, 9)


def sized(width: float, height: float) -> tuple[EntityValue, ...]:
    """As metadata."""
    return EntityValue(53, ValueType.FLOAT, width), EntityValue(54, ValueType.FLOAT, height)


def block_number(name: str) -> int:
    """The first state's, in this session."""
    return RUNTIME_IDS[state_of(name)]


def entities() -> list[Message]:
    """All that comes."""
    y = float(FLOOR)
    cart = EntityValue(16, ValueType.INT, block_number("tnt")), EntityValue(18, ValueType.BYTE, 1)
    return [
        AddPlayer("00000000-0000-0000-0000-0000000000a1", "Ada", 101, 101, (-4.0, y, 6.0), yaw=160.0, head_yaw=200.0,
                  pitch=10.0, metadata=(*sized(0.6, 1.8), *NAMED)),
        AddActor(102, 102, "minecraft:cow", (-1.5, y, 6.5), head_yaw=120.0, metadata=sized(0.9, 1.3)),
        AddActor(103, 103, "minecraft:pig", (1.0, y, 5.0), head_yaw=180.0, pitch=-30.0, metadata=sized(0.9, 0.9)),
        AddActor(104, 104, "some:thing", (3.5, y, 8.5), head_yaw=180.0, metadata=sized(1.5, 2.5)),
        AddActor(105, 105, "minecraft:minecart", (0.5, y, 8.5), metadata=(*sized(0.98, 0.7), *cart)),
        AddActor(106, 106, "minecraft:falling_block", (-2.5, y + 2.5, 8.5),
                 metadata=(*sized(0.98, 0.98), EntityValue(2, ValueType.INT, block_number("sand")))),
        AddActor(107, 107, "minecraft:squid", (5.5, y - 1.0, 5.0), metadata=sized(0.9, 0.8)),
        AddActor(108, 108, "minecraft:creeper", (-7.0, y, 6.0), head_yaw=180.0, metadata=sized(0.6, 1.8)),
        AddActor(109, 109, "minecraft:arrow", (2.0, y + 1.0, 3.0), metadata=sized(0.25, 0.25)),
        AddActor(110, 110, "minecraft:chicken", (7.0, y, 8.0), head_yaw=150.0, metadata=sized(0.6, 0.8)),
        AddItemActor(111, 111, ItemStack(5, 1, block=block_number("stone")), (-0.5, y, 3.5)),
        AddItemActor(112, 112, ItemStack(300, 1), (0.5, y, 3.5)),
        AddPainting(113, 113, (-5.0, y + 2.0, 10.97), 2, "Pool"),
        AddPainting(114, 114, (0.0, y + 2.5, 10.97), 2, "Kebab"),
    ]  # fmt: skip


def make_entities(path: Path) -> None:
    """Settles, builds, adds all, and moves two: one walks, one is elsewhere at once."""
    virtual = VirtualSession("flat:1", config=SessionConfig(radius=RADIUS, player=SWIFT))
    with virtual.connection(Options(radius=RADIUS, light=False, record=path)) as connection:
        connection.wait_settled()
        connection.look(View(Eye(0.5, FLOOR + 2.6, -1.5)))
        connection.wait_settled()
        for name, places in {"stonebrick": WALL, "water": POOL, "glass": PANES, "seaLantern": [LAMP]}.items():
            for place in places:
                virtual.host.set_block(place, state_of(name))
        run(connection, 0.5)
        for message in entities():
            for session in virtual.host.sessions:
                session.send(message)
        run(connection, 2.0)
        y = float(FLOOR)
        for session in virtual.host.sessions:
            session.send(MoveActorAbsolute(103, (3.0, y, 2.5), head_yaw=90.0))
            session.send(MoveActorAbsolute(110, (6.0, y, 9.0), head_yaw=150.0, flags=2))
            session.send(SetActorData(102, (EntityValue(4, ValueType.STRING, "Bella"),)))
        run(connection, 0.1)
        run(connection, 1.0)


# --------------------------------------------------------------------- edits

EDITS_RADIUS: Final = 4
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

EDITS_FLOOR: Final = -60
"""Of the air over the flat world."""
LIT_Z: Final = -20
LAMPS: Final = {
    "red": ("colored_torch_rg", 0, -17),
    "green": ("colored_torch_rg", 1, -1),
    "blue": ("colored_torch_bp", 0, 15),
}
"""Block, ``color_bit`` and x: each beside a border of sub-chunks, one under another border."""
HUT: Final = (  # in no cell beside ``CELL``: an edit here would mesh that one again
    BlockPos(-6, EDITS_FLOOR, 34),
    BlockPos(6, EDITS_FLOOR + 5, 46),
)
HOLE: Final = (BlockPos(-1, EDITS_FLOOR + 5, 39), BlockPos(1, EDITS_FLOOR + 5, 41))


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
    for at in box(BlockPos(-24, EDITS_FLOOR, LIT_Z), BlockPos(24, EDITS_FLOOR + 20, LIT_Z)):
        put(at, state_of("quartz_block"))
    for block, bit, x in LAMPS.values():
        put(BlockPos(x, -49, LIT_Z - 1), with_values(block, color_bit=bit))
        put(BlockPos(x + 2, -58, LIT_Z - 1), with_values(block, color_bit=bit))
    for at in box(*HUT):
        rim = any(at[axis] in (HUT[0][axis], HUT[1][axis]) for axis in range(3))
        put(at, state_of("planks" if rim and at.y >= EDITS_FLOOR else "air"))
    for at in box(*HOLE):
        put(at, state_of("air"))
    put(BlockPos(4, EDITS_FLOOR + 1, 36), state_of("torch"))


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


def make_edits(path: Path) -> None:
    """Settles, tells the time, edits, waits."""
    virtual = VirtualSession(
        "flat:1", HostOptions(time=MORNING), config=SessionConfig(radius=EDITS_RADIUS, player=SWIFT)
    )
    build(virtual.host.set_block)
    with virtual.connection(Options(radius=EDITS_RADIUS, light=False, record=path)) as connection:
        connection.look(View(Eye(0.5, EDITS_FLOOR + 2.6, -1.5)))
        connection.wait_settled()
        for seconds, time in TIMES:
            until(connection, seconds)
            virtual.host.set_time(time)
        until(connection, BORDERS_S)
        edit(virtual.host.set_block, connection)
        until(connection, END_S)


if __name__ == "__main__":
    makers = {"broken": make_broken, "stale": make_stale, "entities": make_entities, "edits": make_edits}
    makers[sys.argv[1]](Path(sys.argv[2]))
