"""One player's priorities.

Occlusion: What a player is sent when the server decides, by real sessions in virtual time.
"""

import math

import numpy as np
import pytest

from client.session.config import SessionConfig
from net.bedrock import MovePlayer, RequestChunkRadius
from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_provider import ColumnProvider
from net.server.options import ColumnMode, HostOptions
from net.server.player_priority import EVERY_S, PlayerPriority, PlayerVisibility, Priorities, weights_of
from net.space.dimensions import OVERWORLD
from net.space.positions import BlockPos, ColumnPos
from tests.support.session.plain_client import Talk, make_host
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds.server import CAVE, SHAFT, TOP_Y, CaveWorld

# ---------------------------------------------------------------- player

HERE = ColumnPos(0, 0)
RADIUS = 6
SOUTH = 0.0  # yaw: +z
IN_CAVE = (0.5, 3.0, 0.5)
ABOVE = (8.0, TOP_Y + 2.0, 8.0)


def provider_of(world: CaveWorld, kept_columns: int = 4096) -> ColumnProvider:
    return ColumnProvider(world, LocalStates(world.states), kept_columns)


def provided(radius: int = RADIUS) -> ColumnProvider:
    provider = provider_of(CaveWorld())
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            provider.snapshot(ColumnPos(x, z))
    return provider


def looking(provider: ColumnProvider, eye: tuple[float, float, float], yaw: float = math.nan) -> PlayerPriority:
    interest = PlayerPriority(provider, OVERWORLD, weights_of(70.0, 16 / 9))
    interest.place(eye)
    if not math.isnan(yaw):
        interest.observe(0.0, eye, yaw, 0.0)
    return interest


def priorities(interest: PlayerPriority, now: float = 0.0, *, occlusion: bool = False) -> Priorities:
    assert interest.step(now, HERE, RADIUS, occlusion=occlusion)
    return interest.now


def test_the_cone_of_sight_goes_through_the_corners_of_the_picture() -> None:
    assert weights_of(90.0, 1.0).cone == pytest.approx(1 / math.sqrt(3))
    assert weights_of(70.0, 16 / 9).cone < weights_of(70.0, 1.0).cone


def test_without_a_look_the_nearest_come_first_and_each_is_a_float32() -> None:
    found = priorities(looking(provided(), ABOVE))
    assert len(found) == (2 * RADIUS + 1) ** 2
    assert min(found, key=lambda column: found[column]) == HERE
    assert found[ColumnPos(1, 0)] < found[ColumnPos(3, 0)] < found[ColumnPos(6, 6)]
    assert all(np.float32(number) == number for number in found.values())


def test_what_lies_behind_comes_after_what_lies_ahead() -> None:
    found = priorities(looking(provided(), ABOVE, SOUTH))
    assert found[ColumnPos(0, 4)] < found[ColumnPos(0, -4)]


def test_what_no_line_of_sight_reaches_comes_later_and_is_left_out_where_occlusion_counts() -> None:
    everything = priorities(looking(provided(), IN_CAVE))
    seen = priorities(looking(provided(), IN_CAVE), occlusion=True)
    assert seen.keys() < everything.keys()
    hidden = everything.keys() - seen.keys()
    assert max(everything[column] for column in seen) < min(everything[column] for column in hidden)


def test_who_rises_towards_the_open_needs_soon_what_it_is_about_to_see() -> None:
    interest = looking(provided(), (0.5, 20.0, 0.5))
    for tick in range(5):
        interest.observe(tick * 0.05, (0.5, 20.0 + 1.5 * tick, 0.5), SOUTH, 0.0)
    found = priorities(interest, 0.2, occlusion=True)
    assert interest.soon
    assert not interest.soon.keys() & found.keys()
    assert min(interest.soon.values()) > max(found.values())


def test_who_stands_still_needs_nothing_soon() -> None:
    interest = looking(provided(), IN_CAVE, SOUTH)
    priorities(interest, occlusion=True)
    assert interest.soon == {}


def test_a_step_without_news_does_nothing_and_with_news_waits_its_time() -> None:
    provider = provider_of(CaveWorld())
    interest = looking(provider, IN_CAVE)
    assert interest.step(0.0, HERE, RADIUS, occlusion=False)
    assert not interest.step(10.0, HERE, RADIUS, occlusion=False)
    provider.snapshot(HERE)
    assert interest.step(10.0, HERE, RADIUS, occlusion=False)
    provider.snapshot(ColumnPos(1, 0))
    assert not interest.step(10.0 + EVERY_S / 2, HERE, RADIUS, occlusion=False)
    assert interest.step(10.0 + EVERY_S, HERE, RADIUS, occlusion=False)


@pytest.mark.parametrize("yaw", [math.inf, math.nan, 1e30])
def test_nonsense_is_borne(yaw: float) -> None:
    interest = looking(provided(1), (2e7, -2e7, 2e7))
    interest.observe(0.0, (2e7, 2e7, -2e7), yaw, -yaw)
    found = priorities(interest)
    assert all(math.isfinite(number) for number in found.values())


def test_looking_makes_no_column() -> None:
    world = CaveWorld()
    priorities(looking(provider_of(world), IN_CAVE))
    assert world.made == []


def test_sight_keeps_what_it_learnt_when_the_provider_forgets() -> None:
    provider = provided()
    sight = PlayerVisibility(provider, OVERWORLD)
    sight.listen(HERE, RADIUS)
    before = sight.reached(IN_CAVE)
    provider.forget()
    sight.listen(HERE, RADIUS)
    assert np.array_equal(sight.reached(IN_CAVE), before)
    reach = (CAVE.high[0] >> 4) + 1  # the rock around the cave is reached, not passed
    inside = before[RADIUS - reach - 1 : RADIUS + reach + 1, RADIUS - reach - 1 : RADIUS + reach + 1]
    assert inside.sum() == before.sum()


def test_each_sub_chunk_has_a_need_of_its_own() -> None:
    interest = looking(provided(), IN_CAVE, SOUTH)
    priorities(interest)
    places = [(0, 0, 1), (0, 0, -2), (0, 0, 3), (0, 2, 1), (0, 0, RADIUS + 2)]
    near, behind, rock, above, outside = interest.needs(np.array(places, np.int32)).tolist()
    assert near < behind
    assert near + 32.0 < rock  # nothing leads there but stone
    assert near + 32.0 < above
    assert near < outside


def test_who_walks_needs_soon_what_will_lie_in_its_area_and_nothing_behind() -> None:
    interest = looking(provided(), ABOVE, SOUTH)
    for step in range(1, 5):
        interest.observe(0.1 * step, (ABOVE[0], ABOVE[1], ABOVE[2] + 3.0 * step), SOUTH, 0.0)
    assert interest.step(1.0, HERE, RADIUS, occlusion=False, sight=False)
    ahead = min(column.z for column in interest.soon)
    assert ahead == RADIUS + 1
    assert {column.x for column in interest.soon} == set(range(-RADIUS, RADIUS + 1))
    assert max(column.z for column in interest.soon) <= RADIUS + 7  # three seconds at 30 blocks a second
    middle, corner = interest.soon[ColumnPos(0, ahead)], interest.soon[ColumnPos(RADIUS, ahead)]
    assert middle < corner


# ---------------------------------------------------------------- occlusion

OCCLUSION_RADIUS = 8
WHOLE = (2 * OCCLUSION_RADIUS + 1) ** 2


def joined(world: CaveWorld, *, occlusion: bool) -> tuple[VirtualSession, int, int]:
    """A session that had four seconds to get all it is sent; columns and sub-chunks sent."""
    options = HostOptions(mode=ColumnMode.FULL, occlusion=occlusion)
    config = SessionConfig(radius=OCCLUSION_RADIUS - 1, player=SWIFT)
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
    assert session.session.spawn.phase.name == "PLAYING"


def test_what_the_player_sees_is_all_there() -> None:
    session, _, _ = joined(CaveWorld(), occlusion=True)
    for x in range(CAVE.low[0] >> 4, (CAVE.high[0] >> 4) + 1):
        for z in range(CAVE.low[2] >> 4, (CAVE.high[2] >> 4) + 1):
            assert ColumnPos(x, z) in session.session.dimension.store.row_of


def test_on_the_surface_everything_is_sent() -> None:
    _, sent, _ = joined(CaveWorld(feet=(0.5, TOP_Y + 2.0, 0.5)), occlusion=True)
    assert sent == WHOLE


def talk_in(world: CaveWorld) -> Talk:
    talk = Talk(make_host(world, HostOptions(mode=ColumnMode.FULL, occlusion=True)))
    assert talk.run(lambda: talk.host.stats() != () and talk.host.stats()[0].phase.value != "joining")
    talk.wire.send(RequestChunkRadius(OCCLUSION_RADIUS))
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
