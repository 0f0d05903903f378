"""Matrices, planes and rays of a camera agree with each other and with Bedrock's angles."""

import numpy as np
import pytest

from client.player.view import Eye, View
from render.camera import Camera


def camera(yaw: float = 30.0, pitch: float = 15.0) -> Camera:
    return Camera((1.5, -70.25, 1e6 + 0.5), yaw, pitch, 70.0, 16 / 9)


@pytest.mark.parametrize(
    ("yaw", "pitch", "forward"),
    [(0, 0, (0, 0, 1)), (90, 0, (-1, 0, 0)), (-90, 0, (1, 0, 0)), (180, 0, (0, 0, -1)), (0, 90, (0, -1, 0))],
)
def test_angles_are_bedrocks(yaw: float, pitch: float, forward: tuple[float, float, float]) -> None:
    assert camera(yaw, pitch).forward == pytest.approx(forward, abs=1e-12)


@pytest.mark.parametrize("pitch", [-90.0, -45.0, 0.0, 60.0, 90.0])
@pytest.mark.parametrize("yaw", [-135.0, 0.0, 77.0])
def test_the_corner_rays_meet_the_corners_of_the_picture(yaw: float, pitch: float) -> None:
    look = camera(yaw, pitch)
    forward, right, up = (np.array(ray) for ray in look.rays)
    for x in (-1.0, 0.0, 1.0):
        for y in (-1.0, 0.0, 1.0):
            point = 5.0 * (forward + x * right + y * up)
            clip = np.append(point, 1.0) @ look.view_projection()
            assert clip[:2] / clip[3] == pytest.approx((x, y), abs=1e-5)
            inside = point * 0.999 @ look.planes()[:, :3].T + look.planes()[:, 3]
            assert (inside > -1e-2).all()


def test_planes_leave_out_what_is_behind_beside_and_too_far() -> None:
    look = camera()
    forward, right, up = (np.array(ray) for ray in look.rays)
    for outside in (-forward, forward + 1.1 * right, forward - 1.1 * up, forward * 1100, forward * 0.05):
        distances = outside @ look.planes()[:, :3].T + look.planes()[:, 3]
        assert distances.min() < 0


def test_the_eye_block_rounds_down() -> None:
    assert camera().eye_block == (1, -71, 1000000)


def test_a_view_becomes_a_camera() -> None:
    made = Camera.of(View(Eye(1.0, 2.0, 3.0), 10.0, 20.0, 60.0), 2.0)
    assert (made.eye, made.yaw_deg, made.pitch_deg, made.fov_deg, made.aspect) == (
        (1.0, 2.0, 3.0),
        10.0,
        20.0,
        60.0,
        2.0,
    )
