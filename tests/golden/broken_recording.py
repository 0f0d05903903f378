"""Makes the recording of the scenes of cracks and broken blocks: blocks that somebody breaks before the eye.

``python -m tests.golden.broken_recording FILE.cscope``; virtual time, so the same file every time. It says when, in the
recording's seconds, blocks broke.
"""

import sys
from pathlib import Path

from client.connection.connection import Connection
from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from net.bedrock import LevelEvent, LevelEventNumber
from net.palette import BlockState, Palette
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
    for session in virtual.host._sessions:
        session.tell(LevelEvent(event, middle, argument))


def run(connection: Connection, seconds: float) -> None:
    """Lets so much time pass."""
    end = connection.now + seconds
    while connection.now < end:
        connection.pump()


def make(path: Path) -> None:
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


if __name__ == "__main__":
    make(Path(sys.argv[1]))
