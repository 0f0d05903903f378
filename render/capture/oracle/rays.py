"""Bundles of rays: one through the middle of each pixel, or evenly over the whole sphere."""

from math import pi, sqrt

import numpy as np

from render.camera import Camera
from render.capture.oracle.cast import Directions

GOLDEN_ANGLE = pi * (3 - sqrt(5))


def pixel_rays(camera: Camera, width: int, height: int) -> Directions:
    """float64[height * width, 3], rows from the top; of length 1 along the look, so that distances are depths."""
    forward = np.array(camera.rays[0])
    if camera.is_parallel:
        return np.tile(forward, (width * height, 1))
    rays: Directions = forward + _aside(camera, width, height)
    return rays


def pixel_begins(camera: Camera, width: int, height: int) -> Directions:
    """float64[height * width, 3] where the rays of pixels begin, in blocks of the world, rows from the top.

    The eye; those of a parallel camera begin at the nearest depth drawn, ``near_blocks`` before the eye's own.
    """
    eye = np.array(camera.eye)
    if not camera.is_parallel:
        return np.tile(eye, (width * height, 1))
    begins: Directions = eye + camera.near_blocks * np.array(camera.rays[0]) + _aside(camera, width, height)
    return begins


def _aside(camera: Camera, width: int, height: int) -> Directions:
    """How far each pixel's middle is from the picture's, at one block's depth, or at any where rays are parallel."""
    _, right, up = (np.array(vector) for vector in camera.rays)
    across = (np.arange(width) + 0.5) / width * 2 - 1
    down = 1 - (np.arange(height) + 0.5) / height * 2
    aside: Directions = (down[:, None, None] * up + across[None, :, None] * right).reshape(-1, 3)
    return aside


def sphere_rays(count: int) -> Directions:
    """float64[count, 3] of unit length, evenly over the sphere (a golden spiral), the same at every call."""
    index = np.arange(count) + 0.5
    y = 1 - 2 * index / count
    radius = np.sqrt(1 - y * y)
    turn = GOLDEN_ANGLE * index
    return np.stack([np.cos(turn) * radius, y, np.sin(turn) * radius], axis=1)
