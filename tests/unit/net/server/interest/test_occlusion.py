"""What a player is sent when the server decides, by real sessions in virtual time."""

from client.session.config import SessionConfig
from net.bedrock import MovePlayer, RequestChunkRadius
from net.palette import BlockState
from net.server.options import ColumnMode, HostOptions
from net.space.positions import BlockPos, ColumnPos
from tests.support.cave_world import CAVE, SHAFT, TOP_Y, CaveWorld
from tests.support.server_talk import Talk, make_host
from tests.support.virtual_session import SWIFT, VirtualSession

RADIUS = 8
WHOLE = (2 * RADIUS + 1) ** 2


def joined(world: CaveWorld, *, occlusion: bool) -> tuple[VirtualSession, int, int]:
    """A session that had four seconds to get all it is sent; columns and sub-chunks sent."""
    options = HostOptions(mode=ColumnMode.FULL, occlusion=occlusion)
    config = SessionConfig(radius=RADIUS - 1, player=SWIFT)
    session = VirtualSession(world, options, config)
    session.run(lambda: False, 4.0)
    sent = session.host.stats()[0].columns_sent
    return session, sent, sent * (TOP_Y + 64) // 16


def test_a_player_in_a_closed_cave_is_sent_at_least_60_percent_fewer_places() -> None:
    open_handed, closed = CaveWorld(), CaveWorld()
    _, _, everything = joined(open_handed, occlusion=False)
    session, _, sent = joined(closed, occlusion=True)
    assert everything == WHOLE * (TOP_Y + 64) // 16
    assert sent <= 0.4 * everything
    assert len(closed.made) <= 0.4 * len(open_handed.made)  # nor are they made
    assert session.session.phase.name == "PLAYING"


def test_what_the_player_sees_is_all_there() -> None:
    session, _, _ = joined(CaveWorld(), occlusion=True)
    for x in range(CAVE.low[0] >> 4, (CAVE.high[0] >> 4) + 1):
        for z in range(CAVE.low[2] >> 4, (CAVE.high[2] >> 4) + 1):
            assert ColumnPos(x, z) in session.session.store.row_of


def test_on_the_surface_everything_is_sent() -> None:
    _, sent, _ = joined(CaveWorld(feet=(0.5, TOP_Y + 2.0, 0.5)), occlusion=True)
    assert sent == WHOLE


def talk_in(world: CaveWorld) -> Talk:
    talk = Talk(make_host(world, HostOptions(mode=ColumnMode.FULL, occlusion=True)))
    assert talk.run(lambda: talk.host.stats() != () and talk.host.stats()[0].phase.value != "joining")
    talk.wire.send(RequestChunkRadius(RADIUS))
    talk.rest(4.0)
    return talk


def test_who_leaves_the_cave_is_sent_what_comes_into_sight() -> None:
    talk = talk_in(CaveWorld())
    assert len(talk.columns) < 0.4 * WHOLE
    talk.wire.send(MovePlayer(1, (1.5, TOP_Y + 3.0, 1.5), 0.0, 0.0, 0.0))
    talk.rest(4.0)
    assert len(talk.columns) == WHOLE


def test_a_lid_that_is_broken_lets_sight_out() -> None:
    talk = talk_in(CaveWorld(CAVE, SHAFT))
    assert len(talk.columns) < 0.4 * WHOLE
    for y in range(SHAFT.high[1] + 1, TOP_Y):
        talk.host.set_block(BlockPos(1, y, 1), BlockState("minecraft:air"))
    talk.rest(4.0)
    assert len(talk.columns) == WHOLE
