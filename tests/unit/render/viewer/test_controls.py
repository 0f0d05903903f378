"""The free camera: what keys and mouse do to a view."""

from math import isclose

import pytest

from client.player import Eye, View
from render.viewer.controls import FASTEST_BLOCKS_S, SPRINT_FACTOR, Controls


def at_origin(yaw: float = 0.0, speed: float = 10.0) -> Controls:
    return Controls(View(Eye(0.0, 64.0, 0.0), yaw_deg=yaw), speed)


@pytest.mark.parametrize(
    ("yaw", "direction"), [(0.0, (0, 0, 1)), (90.0, (-1, 0, 0)), (-90.0, (1, 0, 0)), (180.0, (0, 0, -1))]
)
def test_forward_is_where_the_look_goes(yaw: float, direction: tuple[int, int, int]) -> None:
    controls = at_origin(yaw)
    controls.press("W")
    assert controls.fly(0.5)
    moved = controls.view.eye
    assert all(
        isclose(m, 5.0 * d, abs_tol=1e-9) for m, d in zip((moved.x, moved.y - 64, moved.z), direction, strict=True)
    )


def test_right_is_to_the_right_of_the_look() -> None:
    controls = at_origin()
    controls.press("D")
    controls.fly(1.0)
    assert isclose(controls.view.eye.x, -10.0)


def test_two_keys_are_no_faster_than_one() -> None:
    controls = at_origin()
    controls.press("W")
    controls.press("A")
    controls.fly(1.0)
    assert isclose(controls.view.eye.distance_blocks(Eye(0.0, 64.0, 0.0)), 10.0)


def test_sprinting_multiplies_the_speed() -> None:
    controls = at_origin()
    controls.press("SPACE")
    controls.press("LCTRL")
    controls.fly(1.0)
    assert isclose(controls.view.eye.y - 64.0, 10.0 * SPRINT_FACTOR)


def test_a_released_key_and_a_lost_window_stop_the_camera() -> None:
    controls = at_origin()
    controls.press("W")
    controls.release("W")
    assert not controls.fly(1.0)
    controls.press("W")
    controls.release_all()
    assert not controls.fly(1.0)


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


def test_a_key_without_a_meaning_is_told_so() -> None:
    assert not at_origin().press("F13")
