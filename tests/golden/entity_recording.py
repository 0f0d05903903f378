"""Makes the recording of the scene of entities: one of each shape before the eye, in water, behind glass, on its way.

``python -m tests.golden.entity_recording FILE.cscope``; virtual time, so the same file every time. The last moves come
a second before its end.
"""

import sys
from pathlib import Path

from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from net.bedrock import (
    AddActor,
    AddItemActor,
    AddPainting,
    AddPlayer,
    EntityValue,
    Message,
    MoveActorAbsolute,
    SetActorData,
    ValueType,
)
from net.bedrock.packets.entity_values import ItemStack
from net.space import BlockPos
from tests.golden.broken_recording import FLOOR, RADIUS, RUNTIME_IDS, run, state_of
from tests.support.session.virtual import SWIFT, VirtualSession

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


def make(path: Path) -> None:
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
            for session in virtual.host._sessions:
                session.tell(message)
        run(connection, 2.0)
        y = float(FLOOR)
        for session in virtual.host._sessions:
            session.tell(MoveActorAbsolute(103, (3.0, y, 2.5), head_yaw=90.0))
            session.tell(MoveActorAbsolute(110, (6.0, y, 9.0), head_yaw=150.0, flags=2))
            session.tell(SetActorData(102, (EntityValue(4, ValueType.STRING, "Bella"),)))
        run(connection, 0.1)
        run(connection, 1.0)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
