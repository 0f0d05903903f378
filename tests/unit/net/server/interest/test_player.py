"""One player's priorities."""

import math

import numpy as np
import pytest

from net.server.block_ids import LocalStates
from net.server.column_provider import Provider
from net.server.player_priority import EVERY_S, PlayerInterest, Priorities, Sight, weights_of
from net.space.dimensions import OVERWORLD
from net.space.positions import ColumnPos
from tests.support.cave_world import CAVE, TOP_Y, CaveWorld

HERE = ColumnPos(0, 0)
RADIUS = 6
SOUTH = 0.0  # yaw: +z
IN_CAVE = (0.5, 3.0, 0.5)
ABOVE = (8.0, TOP_Y + 2.0, 8.0)


def provider_of(world: CaveWorld, kept_columns: int = 4096) -> Provider:
    return Provider(world, LocalStates(world.states), kept_columns)


def provided(radius: int = RADIUS) -> Provider:
    provider = provider_of(CaveWorld())
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            provider.snapshot(ColumnPos(x, z))
    return provider


def looking(provider: Provider, eye: tuple[float, float, float], yaw: float = math.nan) -> PlayerInterest:
    interest = PlayerInterest(provider, OVERWORLD, weights_of(70.0, 16 / 9))
    interest.place(eye)
    if not math.isnan(yaw):
        interest.observe(0.0, eye, yaw, 0.0)
    return interest


def priorities(interest: PlayerInterest, now: float = 0.0, *, occlusion: bool = False) -> Priorities:
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
    sight = Sight(provider, OVERWORLD)
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
