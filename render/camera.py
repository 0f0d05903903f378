"""View to matrices and planes; the only user of pyrr.

Rules:
1. Everything is relative to the eye: no matrix holds a world position, so nothing jitters far from the origin.
2. Only pyrr's functional API, always with ``dtype`` (its objects warn under numpy 2.5, and guess integers).
3. Sines and cosines come from ``math``: numpy's differ between CPUs in the last bit, and pictures are compared.
4. Angles as in ``client.player``: yaw 0 looks to +Z, 90 to -X; positive pitch looks down.
5. In an orthographic picture the eye is the middle of the depth range: as much is shown behind it as before it, so the
   near plane does not cut the view from a low eye in two.
"""

from functools import lru_cache
from math import cos, floor, radians, sin, sqrt, tan
from typing import Any

import msgspec
import numpy as np
from pyrr import matrix44

from client.player import View
from net.arrays import F32, F64

Matrix = F32
"""[4, 4] for row vectors, ``clip = position @ matrix``; its bytes are GL's column order."""
Planes = F64
"""[6, 4]: a point p relative to the eye is inside where ``p @ plane[:3] + plane[3] >= 0`` for all six."""
Vector = tuple[float, float, float]
PARALLEL_REACH_BLOCKS = 1024.0
"""Depth range of an orthographic picture, before the eye and behind it."""
STAND_BLOCKS = 1e7
"""In an orthographic picture, distances are measured from a point so far behind the eye. They differ from depths along
the view direction by a hundredth of a block at 500 blocks."""


class Camera(msgspec.Struct, frozen=True):
    """A view of the world, with the aspect ratio of a picture."""

    eye: Vector  # position in blocks
    yaw_deg: float  # 0 = +Z, 90 = -X
    pitch_deg: float  # -90 up .. 90 down
    fov_deg: float  # vertical field of view
    aspect: float  # width over height
    near_blocks: float = 0.1  # nearest depth drawn
    far_blocks: float = 1024.0  # farthest depth drawn
    ortho_blocks: float | None = None  # height of an orthographic picture in blocks; None: in perspective

    @classmethod
    def of(cls, view: View, aspect: float) -> "Camera":
        eye = (view.eye.x, view.eye.y, view.eye.z)
        angles = view.yaw_deg, view.pitch_deg, view.fov_deg
        if view.ortho_blocks is None:
            return cls(eye, *angles, aspect)
        return cls(eye, *angles, aspect, -PARALLEL_REACH_BLOCKS, PARALLEL_REACH_BLOCKS, view.ortho_blocks)

    @property
    def is_parallel(self) -> bool:
        """Whether lines of sight are parallel: an orthographic picture."""
        return self.ortho_blocks is not None

    def reach_blocks(self, from_eye: float) -> float:
        """Length of rays that reach ``from_eye``; parallel rays cross the whole depth range instead."""
        return self.far_blocks - self.near_blocks if self.is_parallel else from_eye

    @property
    def stand(self) -> Vector:
        """Origin of distances and of the visibility of faces: the eye or, if orthographic, far behind it."""
        if self.ortho_blocks is None:
            return self.eye
        (x, y, z), (fx, fy, fz) = self.eye, self.forward
        return x - STAND_BLOCKS * fx, y - STAND_BLOCKS * fy, z - STAND_BLOCKS * fz

    @property
    def eye_block(self) -> tuple[int, int, int]:
        x, y, z = self.eye
        return floor(x), floor(y), floor(z)

    @property
    def forward(self) -> Vector:
        """Unit vector of the view direction."""
        yaw, pitch = radians(self.yaw_deg), radians(self.pitch_deg)
        return -sin(yaw) * cos(pitch), -sin(pitch), cos(yaw) * cos(pitch)

    @property
    def right(self) -> Vector:
        """Unit vector to the right of the picture."""
        yaw = radians(self.yaw_deg)
        return -cos(yaw), 0.0, -sin(yaw)

    @property
    def up(self) -> Vector:
        """Unit vector to the top of the picture."""
        yaw, pitch = radians(self.yaw_deg), radians(self.pitch_deg)
        return -sin(yaw) * sin(pitch), cos(pitch), cos(yaw) * sin(pitch)

    @property
    def rays(self) -> tuple[Vector, Vector, Vector]:
        """Forward, and right and up scaled so that ``forward + x * right + y * up`` is the ray of x, y in -1..1.

        For an orthographic camera the ray is forward, and begins at ``eye + x * right + y * up``.
        """
        high = tan(radians(self.fov_deg) / 2) if self.ortho_blocks is None else self.ortho_blocks / 2
        wide = high * self.aspect
        x, y, z = self.right
        right = (x * wide, y * wide, z * wide)
        x, y, z = self.up
        return self.forward, right, (x * high, y * high, z * high)

    @property
    def cut_off_blocks(self) -> float:
        """Distance from the eye to the corners of the near plane; nearer points are clipped. 0 if orthographic."""
        if self.is_parallel:
            return 0.0
        high = tan(radians(self.fov_deg) / 2)
        return self.near_blocks * sqrt(1 + high * high * (1 + self.aspect * self.aspect))

    def view_projection(self) -> Matrix:
        """Positions relative to the eye to clip space."""
        return _combined(self).astype(np.float32)

    def planes(self) -> Planes:
        """Left, right, bottom, top, near, far; normals of unit length; relative to the eye."""
        return _planes(self).copy()


@lru_cache(maxsize=8)
def _planes(camera: Camera) -> Planes:
    """As ``Camera.planes``; do not write to it. Cached, because each overlay needs it in each frame."""
    *columns, last = _combined(camera).T.tolist()
    planes = []
    for column in columns:
        for sign in (1.0, -1.0):
            a, b, c, d = (whole + sign * part for whole, part in zip(last, column, strict=True))
            length = sqrt(a * a + b * b + c * c)
            planes.append((a / length, b / length, c / length, d / length))
    return np.array(planes)


@lru_cache(maxsize=8)
def _combined(camera: Camera) -> F64:
    """Positions relative to the eye to clip space, for row vectors; do not write to it."""
    look = _towards(camera.forward, camera.up)
    lens = _lens(camera.fov_deg, camera.aspect, camera.near_blocks, camera.far_blocks, camera.ortho_blocks)
    combined: F64 = matrix44.multiply(look, lens)
    combined.flags.writeable = False
    return combined


def _towards(forward: Vector, up: Vector) -> F64:
    """As ``matrix44.create_look_at``, which takes a quarter of a millisecond: x right, y up, z backwards."""
    forward = _unit(forward)
    right = _unit(_cross(forward, up))
    rows = zip(right, _unit(_cross(right, forward)), forward, strict=True)
    return np.array([*((x, y, -z, 0.0) for x, y, z in rows), (0.0, 0.0, 0.0, 1.0)])


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _unit(a: Vector) -> Vector:
    length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return a[0] / length, a[1] / length, a[2] / length


@lru_cache(maxsize=8)
def _lens(fov_deg: float, aspect: float, near_blocks: float, far_blocks: float, ortho_blocks: float | None) -> F64:
    """The projection, independent of the direction; not writable, since callers share it."""
    depths = near_blocks, far_blocks
    if ortho_blocks is None:
        lens: Any = matrix44.create_perspective_projection(fov_deg, aspect, *depths, dtype=np.float64)
    else:
        up, right = ortho_blocks / 2, ortho_blocks / 2 * aspect
        lens = matrix44.create_orthogonal_projection(-right, right, -up, up, *depths, dtype=np.float64)
    lens = np.asarray(lens)
    lens.flags.writeable = False
    return lens
