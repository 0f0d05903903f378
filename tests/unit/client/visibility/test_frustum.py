"""The frustum keeps every box that holds a visible point."""

import numpy as np

from client.visibility.frustum import Frustum


def looking_along_minus_z(near: float, far: float) -> Frustum:
    clip = np.zeros((4, 4))
    clip[0, 0] = clip[1, 1] = 1.0
    clip[2, 2] = (far + near) / (near - far)
    clip[2, 3] = 2 * far * near / (near - far)
    clip[3, 2] = -1.0
    return Frustum.of(clip)


def test_boxes_ahead_are_shown_and_boxes_behind_are_not() -> None:
    frustum = looking_along_minus_z(0.1, 100)
    corners = np.array([[-8, -8, -40], [-8, -8, 20], [200, -8, -40], [-8, -8, -400]])
    assert frustum.shows(corners, (16, 16, 16)).tolist() == [True, False, False, False]


def test_a_model_that_sticks_out_of_its_box_is_shown() -> None:
    frustum = looking_along_minus_z(0.1, 100)
    aside = np.array([[40, -8, -40]])  # the plane of the right side goes through (40, y, -40)
    for blocks, shown in ((0.0, [True, False, False]), (1.0, [True, True, False])):
        found = [bool(frustum.shows(aside + np.array([away, 0, 0]), (16, 16, 16), blocks)[0]) for away in (-1, 1, 3)]
        assert found == shown


def test_no_box_with_a_point_inside_is_lost() -> None:
    rng = np.random.default_rng(1)
    frustum = looking_along_minus_z(0.1, 100)
    points = rng.uniform(-100, 100, (4000, 3))
    inside = (np.c_[points, np.ones(4000)] @ frustum.planes.T >= 0).all(axis=1)
    corners = (points // 16).astype(np.int64) * 16
    assert frustum.shows(corners, (16, 16, 16), 0.0)[inside].all()
    assert inside.sum() > 100
