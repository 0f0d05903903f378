"""The free camera: what keys and mouse do to a view."""

from math import isclose

import pytest

from client.player import Eye, View
from net.space.positions import BlockPos
from render.settings import Action, Settings
from render.viewer.control.camera_control import ABOVE_BLOCKS, FASTEST_BLOCKS_S, ORTHO_BLOCKS, ZOOM_S, Controls


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
