"""Matrices, planes and rays of a camera agree with each other and with Bedrock's angles."""

import numpy as np
import pytest
from pyrr import matrix44

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


def parallel(yaw: float = 30.0, pitch: float = 15.0) -> Camera:
    return Camera.of(View(Eye(1.5, -70.25, 1e6 + 0.5), yaw, pitch, ortho_blocks=40.0), 16 / 9)


@pytest.mark.parametrize("depth", [-1000.0, 0.0, 1000.0])
@pytest.mark.parametrize("pitch", [-90.0, -45.0, 0.0, 90.0])
def test_parallel_rays_meet_the_corners_of_the_picture_at_any_depth(pitch: float, depth: float) -> None:
    look = parallel(pitch=pitch)
    forward, right, up = (np.array(ray) for ray in look.rays)
    assert np.linalg.norm(up) == pytest.approx(20.0)
    for x in (-1.0, 0.0, 1.0):
        for y in (-1.0, 0.0, 1.0):
            point = x * right + y * up + depth * forward
            clip = np.append(point, 1.0) @ look.view_projection()
            assert clip == pytest.approx((x, y, depth / 1024, 1.0), abs=1e-4)
            assert (point * 0.999 @ look.planes()[:, :3].T + look.planes()[:, 3] > -1e-2).all()
    beside = np.array([1.01 * right, -1.01 * up, 1030 * forward, -1030 * forward])
    assert ((beside @ look.planes()[:, :3].T + look.planes()[:, 3]).min(axis=1) < 0).all()


def test_from_the_stand_what_is_deeper_is_farther() -> None:
    look = parallel()
    forward, right, _ = (np.array(ray) for ray in look.rays)
    from_stand = np.array(look.eye) - np.array(look.stand)
    near, far = (np.linalg.norm(from_stand + depth * forward + aside * right) for depth, aside in ((0, 10), (0.1, 0)))
    assert near < far


def test_only_a_parallel_camera_shows_what_is_behind_it() -> None:
    assert not camera().is_parallel
    assert parallel().near_blocks < 0 < camera().near_blocks
    assert (camera().reach_blocks(90.0), parallel().reach_blocks(90.0)) == (90.0, 2048.0)


@pytest.mark.parametrize(("yaw", "pitch"), [(0.0, 0.0), (20.0, 10.0), (-179.3, 89.9), (90.0, -90.0), (33.1, 45.7)])
def test_the_matrix_is_the_one_that_looks_from_the_eye_along_the_view(yaw: float, pitch: float) -> None:
    looks = camera(yaw, pitch)
    look = matrix44.create_look_at((0.0, 0.0, 0.0), looks.forward, looks.up, dtype=np.float64)
    lens = matrix44.create_perspective_projection(70.0, 16 / 9, looks.near_blocks, looks.far_blocks, dtype=np.float64)
    assert np.array_equal(looks.view_projection(), matrix44.multiply(look, lens).astype(np.float32))
