"""Single blocks that change are applied together, and still in the order of the wire."""

from client.session.config import SessionConfig
from client.session.session import Session
from net.bedrock import LevelChunk, Message, PlayStatus, UpdateBlock
from net.palette import BlockState, Palette
from net.space.positions import BlockPos, ColumnPos
from tests.support.session_messages import received, start_game

PALETTE = Palette(
    [BlockState("minecraft:air", ()), BlockState("minecraft:stone", ()), BlockState("minecraft:dirt", ())]
)
HERE = BlockPos(1, 70, 2)
ALL_AIR = LevelChunk(ColumnPos(0, 0), 0, 0, None, None, b"\x01\x04\x00")


def told(*messages: Message) -> Session:
    session = Session(SessionConfig(), PALETTE, 0.0)
    for message in (start_game(), PlayStatus(3), *messages):
        session.handle(received(message), 0.0)
    session.end_drain()
    return session


def name(session: Session) -> str:
    return session.store.block(HERE).name.removeprefix("minecraft:")


def test_the_last_of_several_changes_stays() -> None:
    assert name(told(ALL_AIR, UpdateBlock(HERE, 1), UpdateBlock(HERE, 2))) == "dirt"


def test_a_column_that_comes_after_a_change_replaces_it() -> None:
    session = told(ALL_AIR, UpdateBlock(HERE, 1), ALL_AIR)
    assert name(session) == "air"
    assert session.stats(0.0).terrain.block_updates == 1


def test_a_change_that_comes_after_a_column_is_seen_in_it() -> None:
    assert name(told(UpdateBlock(HERE, 2), ALL_AIR, UpdateBlock(HERE, 1))) == "stone"
