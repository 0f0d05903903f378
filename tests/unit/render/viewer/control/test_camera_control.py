"""The free camera: what keys and mouse do to a view.

Walking: A body among blocks: it stands, falls, jumps, slides, and never gets into what obstructs.

Stopping: What somebody who walks is told of holes, once.
"""

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.player import Eye, View
from client.world.block_table import PLACEHOLDER_NAME
from net.space import BlockPos
from render.settings import Action, Settings
from render.viewer.control.camera_control import (
    ABOVE_BLOCKS,
    EYE,
    FASTEST_BLOCKS_S,
    FORGOTTEN_S,
    HALF_WIDTH,
    NORTH_DEG,
    ORTHO_BLOCKS,
    ZOOM_S,
    Body,
    CameraStops,
    Controls,
    Obstructs,
    walked,
)

# ---------------------------------------------------------------- controls


def at_origin(yaw: float = 0.0, speed: float = 10.0) -> Controls:
    return Controls(View(Eye(0.0, 64.0, 0.0), yaw_deg=yaw), Settings(speed=speed))


def nothing(_block: BlockPos) -> bool:
    return False


@pytest.mark.parametrize(
    ("yaw", "direction"), [(0.0, (0, 0, 1)), (90.0, (-1, 0, 0)), (-90.0, (1, 0, 0)), (180.0, (0, 0, -1))]
)
def test_forward_is_where_the_look_goes(yaw: float, direction: tuple[int, int, int]) -> None:
    controls = at_origin(yaw)
    controls.press(Action.FORWARD)
    assert controls.move(0.5, nothing)
    moved = controls.view.eye
    assert all(
        isclose(m, 5.0 * d, abs_tol=1e-9) for m, d in zip((moved.x, moved.y - 64, moved.z), direction, strict=True)
    )


def test_right_is_to_the_right_of_the_look() -> None:
    controls = at_origin()
    controls.press(Action.RIGHT)
    controls.move(1.0, nothing)
    assert isclose(controls.view.eye.x, -10.0)


def test_two_keys_are_no_faster_than_one() -> None:
    controls = at_origin()
    controls.press(Action.FORWARD)
    controls.press(Action.LEFT)
    controls.move(1.0, nothing)
    assert isclose(controls.view.eye.distance_blocks(Eye(0.0, 64.0, 0.0)), 10.0)


def test_sprinting_multiplies_the_speed() -> None:
    controls = at_origin()
    controls.press(Action.UP)
    controls.press(Action.SPRINT)
    controls.move(1.0, nothing)
    assert isclose(controls.view.eye.y - 64.0, 10.0 * Settings().sprint)


def test_a_released_key_and_a_lost_window_stop_the_camera() -> None:
    controls = at_origin()
    controls.press(Action.FORWARD)
    controls.release(Action.FORWARD)
    assert not controls.move(1.0, nothing)
    controls.press(Action.FORWARD)
    controls.release_all()
    assert not controls.move(1.0, nothing)


def test_pitch_stops_and_yaw_wraps() -> None:
    controls = at_origin(yaw=170.0)
    controls.look(200.0, -10_000.0)
    assert controls.view.pitch_deg == 90.0
    assert isclose(controls.view.yaw_deg, -160.0)


def test_the_wheel_has_limits() -> None:
    controls = at_origin()
    controls.wheel(1000)
    assert controls.speed_blocks_s == FASTEST_BLOCKS_S
    controls.wheel(-1)
    assert controls.speed_blocks_s < FASTEST_BLOCKS_S


def test_an_action_that_moves_nothing_is_told_so() -> None:
    assert not at_origin().press(Action.PICTURE)
    assert not at_origin().flies


def test_settings_say_speeds_and_what_the_mouse_does() -> None:
    settings = Settings(speed=20.0, sprint=5.0, mouse=0.5, invert_mouse=True)
    controls = Controls(View(Eye(0.0, 64.0, 0.0)), settings)
    controls.press(Action.UP)
    controls.press(Action.SPRINT)
    controls.move(0.5, nothing)
    assert isclose(controls.view.eye.y, 64.0 + 50.0)
    controls.look(10.0, 10.0)
    assert (controls.view.yaw_deg, controls.view.pitch_deg) == (5.0, 5.0)


def test_zooming_shows_less_turns_less_and_leaves_the_view_as_it_is() -> None:
    controls = at_origin()
    controls.press(Action.ZOOM)
    controls.move(1.0, nothing)
    assert controls.shown.fov_deg == 70.0 / 4
    assert controls.view.fov_deg == 70.0
    controls.look(100.0, 0.0)
    assert isclose(controls.view.yaw_deg, 100.0 * Settings().mouse / 4)
    assert not controls.flies
    controls.release(Action.ZOOM)
    controls.move(1.0, nothing)
    assert controls.shown == controls.view
    narrow = Controls(View(Eye(0.0, 0.0, 0.0), fov_deg=20.0))
    narrow.press(Action.ZOOM)
    narrow.move(1.0, nothing)
    assert narrow.shown.fov_deg == 10.0


def test_from_above_one_looks_down_and_comes_back() -> None:
    controls = at_origin()
    controls.look(0.0, 100.0)
    before = controls.view
    controls.top_down()
    assert controls.from_above
    assert (controls.view.pitch_deg, controls.view.eye.y) == (90.0, before.eye.y + ABOVE_BLOCKS)
    assert controls.view.yaw_deg == NORTH_DEG
    controls.top_down()
    assert controls.view == before


def test_one_walks_on_the_ground_and_flies_from_there() -> None:
    controls = at_origin()
    controls.walk_or_fly()
    assert controls.walks
    controls.press(Action.FORWARD)
    for _ in range(40):
        controls.move(0.1, lambda block: block.y < 60)
    assert isclose(controls.view.eye.y, 60 + 1.62)
    assert isclose(controls.view.eye.z, 40 * 0.1 * 4.3, rel_tol=1e-6)
    controls.go(View(Eye(5.0, 100.0, 5.0)))
    controls.move(0.1, lambda block: block.y < 60)
    assert 99.0 < controls.view.eye.y < 100.0
    controls.walk_or_fly()
    controls.release_all()
    assert not controls.move(1.0, nothing)


def test_flight_stops_at_what_obstructs_only_where_a_setting_says_so_and_slides_along_it() -> None:
    def wall(block: BlockPos) -> bool:
        return block.z >= 5

    for collides in (False, True):
        controls = Controls(View(Eye(0.0, 64.0, 0.0)), Settings(speed=200.0, collide=collides))
        controls.press(Action.FORWARD)
        controls.press(Action.LEFT)
        controls.move(0.25, wall)
        eye = controls.view.eye
        assert (eye.z < 5.0 - HALF_WIDTH) == collides
        assert eye.x > 30, "it slides"
        assert (controls.body is not None) == collides
        assert not controls.walks
    controls.go(View(Eye(0.0, 64.0, 20.0), yaw_deg=180.0))
    controls.move(0.25, wall)
    assert controls.view.eye.z < 5.0, "who is within gets out"


def test_zooming_takes_a_moment_there_and_back() -> None:
    controls = at_origin()
    controls.press(Action.ZOOM)
    fovs = []
    for _ in range(5):
        controls.move(ZOOM_S / 4, nothing)
        fovs.append(controls.shown.fov_deg)
    assert fovs[0] > fovs[1] > fovs[2] > fovs[3] == fovs[4] == 70.0 / 4
    assert isclose(fovs[1], 35.0), "half of the way is half of the factor"
    controls.release_all()
    controls.move(ZOOM_S / 2, nothing)
    assert isclose(controls.shown.fov_deg, 35.0)


def test_an_orthographic_picture_is_left_and_found_as_high_as_it_was() -> None:
    controls = at_origin()
    controls.switch_ortho()
    assert controls.view.ortho_blocks == ORTHO_BLOCKS
    speed = controls.speed_blocks_s
    assert controls.wheel(2)
    assert controls.view.ortho_blocks == pytest.approx(ORTHO_BLOCKS / 1.25**2)
    assert controls.speed_blocks_s == speed
    high = controls.view.ortho_blocks
    controls.switch_ortho()
    assert controls.view.ortho_blocks is None
    assert not controls.wheel(1)
    controls.switch_ortho()
    assert controls.view.ortho_blocks == high
    controls.wheel(-100)
    assert controls.view.ortho_blocks == 4096.0
    controls.wheel(100)
    assert controls.view.ortho_blocks == 1.0


def test_zooming_shows_a_quarter_of_an_orthographic_picture_and_turns_as_much_less() -> None:
    controls = at_origin()
    controls.switch_ortho()
    controls.press(Action.ZOOM)
    controls.move(1.0, nothing)
    assert controls.shown.ortho_blocks == ORTHO_BLOCKS / 4
    controls.look(100.0, 0.0)
    assert isclose(controls.view.yaw_deg, 100.0 * Settings().mouse / 4)


# ---------------------------------------------------------------- walking

FLOOR = 64


def floor(block: BlockPos) -> bool:
    return block.y < FLOOR


def room(block: BlockPos) -> bool:
    """3 x 3 blocks wide, 3 high."""
    return not (-1 <= block.x <= 1 and FLOOR <= block.y < FLOOR + 3 and -1 <= block.z <= 1)


def standing(obstructs: Obstructs = floor) -> Body:
    return walked(Body(Eye(0.5, FLOOR + EYE, 0.5)), (0.0, 0.0), False, 0.1, obstructs)


def test_it_falls_to_the_ground_and_stands_there() -> None:
    body = Body(Eye(0.5, FLOOR + 10.0, 0.5))
    for _ in range(30):
        body = walked(body, (0.0, 0.0), False, 0.1, floor)
    assert body.stands
    assert isclose(body.eye.y, FLOOR + EYE)


def test_a_jump_is_higher_than_a_block_and_lower_than_two() -> None:
    body, highest = standing(), 0.0
    for _ in range(120):
        body = walked(body, (0.0, 0.0), body.stands, 1 / 60, floor)
        highest = max(highest, body.eye.y - EYE - FLOOR)
    assert 1.05 < highest < 1.5


def test_it_stops_at_a_wall_slides_along_it_and_hits_its_head() -> None:
    body = standing(room)
    for _ in range(20):
        body = walked(body, (4.0, 1.0), True, 0.1, room)
    assert 2.0 - HALF_WIDTH - 0.05 < body.eye.x <= 2.0 - HALF_WIDTH + 1e-6
    assert body.eye.z > 1.4
    assert body.eye.y - EYE + 1.8 <= FLOOR + 3 + 1e-6


def test_a_jump_takes_it_up_a_block() -> None:
    def step(block: BlockPos) -> bool:
        return block.y < FLOOR + (block.x >= 2)

    body = standing(step)
    for _ in range(20):
        body = walked(body, (4.3, 0.0), True, 0.1, step)
    assert body.eye.x > 3.0
    assert body.eye.y >= FLOOR + 1 + EYE - 1e-9


def test_who_stands_in_an_obstacle_gets_out_and_does_not_fall() -> None:
    body = Body(Eye(0.5, FLOOR - 5.0, 0.5))
    moved = walked(body, (4.0, 0.0), False, 0.25, floor)
    assert isclose(moved.eye.x, 1.5, rel_tol=1e-6)
    assert moved.eye.y == body.eye.y


def test_what_stops_it_and_what_it_stands_in_is_known() -> None:
    body = standing(room)
    assert (body.within, body.against) == (None, None)
    body = walked(body, (4.0, 0.0), False, 0.25, room)
    assert body.against is None
    for _ in range(4):
        body = walked(body, (4.0, 0.0), False, 0.25, room)
    assert body.against is not None
    assert (body.against.x, body.against.y) == (2, FLOOR)
    assert walked(body, (-4.0, 0.0), False, 0.1, room).against is None, "it goes the other way"
    inside = walked(Body(Eye(0.5, FLOOR - 5.0, 0.5)), (0.0, 0.0), False, 0.1, floor)
    assert inside.within == BlockPos(0, FLOOR - 7, 0)
    assert inside.against is None
    out = walked(inside, (0.0, 0.0), False, 0.1, lambda _block: False)
    assert out.within is None


def test_a_pause_is_no_long_fall() -> None:
    assert walked(Body(Eye(0.5, 500.0, 0.5)), (0.0, 0.0), False, 3600.0, floor).eye.y > 498.0


@given(
    st.sets(st.tuples(st.integers(-3, 3), st.integers(FLOOR, FLOOR + 3), st.integers(-3, 3)), max_size=40),
    st.lists(
        st.tuples(st.floats(-6, 6), st.floats(-6, 6), st.booleans(), st.floats(0.0, 0.3)), min_size=1, max_size=12
    ),
)
def test_a_body_that_is_free_stays_out_of_every_block(
    blocks: set[tuple[int, int, int]], moves: list[tuple[float, float, bool, float]]
) -> None:
    solid = {BlockPos(*block) for block in blocks} - {BlockPos(0, FLOOR, 0), BlockPos(0, FLOOR + 1, 0)}

    def obstructs(block: BlockPos) -> bool:
        return block.y < FLOOR or block in solid

    body = standing(obstructs)
    for x, z, jump, elapsed_s in moves:
        body = walked(body, (x, z), jump, elapsed_s, obstructs)
        feet = body.eye.y - EYE
        for bx, by, bz in [*solid, *((x, FLOOR - 1, z) for x in range(-9, 10) for z in range(-9, 10))]:
            apart = max(
                bx - body.eye.x - HALF_WIDTH, body.eye.x - HALF_WIDTH - bx - 1,
                bz - body.eye.z - HALF_WIDTH, body.eye.z - HALF_WIDTH - bz - 1,
                by - feet - 1.8, feet - by - 1,
            )  # fmt: skip
            assert apart >= -1e-5, (bx, by, bz)


# ---------------------------------------------------------------- stopping

HOLE, OTHER = BlockPos(3, 64, 0), BlockPos(16, 64, 0)
FREE = Body(Eye(0.5, 64 + EYE, 0.5))


def stops() -> CameraStops:
    """From x = 3 on nothing is known; below 60 there is stone."""

    def name_at(block: BlockPos) -> str:
        return PLACEHOLDER_NAME if block.x >= 3 else "minecraft:stone" if block.y < 60 else "minecraft:air"

    return CameraStops(name_at, lambda block: f"Refused at {block.x}.")


def against(block: BlockPos) -> Body:
    return Body(FREE.eye, against=block)


def test_a_hole_that_stops_one_is_told_once_until_it_was_left() -> None:
    told = stops()
    assert told.news(FREE, 0.0) is None
    assert told.news(against(HOLE), 1.0) == "A placeholder stops you. Refused at 3."
    assert told.news(against(HOLE), 1.1) is None
    assert told.news(FREE, 1.2) is None
    assert told.news(against(HOLE), 1.2 + FORGOTTEN_S / 2) is None, "one slides along it"
    assert told.news(FREE, 3.0 + FORGOTTEN_S) is None
    assert told.news(against(HOLE), 7.0) == "A placeholder stops you. Refused at 3."
    assert told.news(against(OTHER), 7.1) == "A placeholder stops you. Refused at 16."
    assert told.news(against(HOLE), 7.2) is None, "one goes to and fro between two"


def test_a_hole_below_and_around_are_told_too() -> None:
    assert stops().news(Body(Eye(3.5, 64 + EYE, 0.5), stands=True), 0.0) == "A placeholder holds you up. Refused at 3."
    assert stops().news(Body(Eye(3.5, 64 + EYE, 0.5)), 0.0) is None, "it still falls"
    within = Body(FREE.eye, within=HOLE)
    assert stops().news(within, 0.0) == "A placeholder is around you, so you do not fall. Refused at 3."


def test_a_wall_is_no_news_but_a_block_around_one_is() -> None:
    told = stops()
    assert told.news(against(BlockPos(0, 59, 0)), 0.0) is None
    assert told.news(Body(FREE.eye, stands=True), 0.0) is None
    inside = Body(FREE.eye, within=BlockPos(0, 50, 0))
    assert told.news(inside, 0.0) == "You are inside stone: walk out of it, or fly."
    assert told.news(inside, 1.0) is None


def test_nothing_is_told_while_one_flies() -> None:
    assert stops().news(None, 0.0) is None
