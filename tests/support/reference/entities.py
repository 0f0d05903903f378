"""Plain reference of ``passes.entities`` and its shaders: rays against the boxes of entities, one by one in NumPy."""

from math import cos, radians, sin
from typing import Any, NamedTuple

import numpy as np

from client.entities import EntityPicture
from render.camera import Camera
from render.passes.entities import HEADLESS, painting_blocks

NONE = 0xFFFFFFFF


class Box(NamedTuple):
    """A rotated box of an entity."""

    row: int  # the entity's row
    origin: np.ndarray  # float64[3]
    axes: np.ndarray  # float64[3, 3] its own x, y, z as rows
    low: np.ndarray  # float64[3] lowest corner, in its own axes
    high: np.ndarray  # float64[3] highest corner


def angle_at(before: float, after: float, part: float) -> float:
    """Interpolates angles in degrees, the shorter way round."""
    return before + ((after - before + 180.0) % 360.0 - 180.0) * part


def turned(pitch_deg: float, yaw_deg: float) -> np.ndarray:
    """Axes of a rotated body as rows: left, up, ahead."""
    pitch, yaw = radians(pitch_deg), radians(yaw_deg)
    right = np.array([cos(yaw), 0.0, sin(yaw)])
    ahead = np.array([-sin(yaw) * cos(pitch), -sin(pitch), cos(yaw) * cos(pitch)])
    return np.stack([right, np.cross(ahead, right), ahead])


def boxes_of(entities: EntityPicture, now_us: int) -> list[Box]:
    """All boxes at a time; none for entities whose position or size is invalid."""
    return [box for number in range(len(entities.rows)) for box in _boxes(entities, number, now_us)]


def _boxes(entities: EntityPicture, number: int, now_us: int) -> list[Box]:
    after, before = entities.position[number], entities.before[number]
    wide, tall = map(float, entities.size[number])
    motif, item = entities.painting[number], bool(entities.item[number])
    if not (np.abs(after) < 1 << 30).all() or not (item or motif or (wide > 0 and tall > 0)):
        return []
    part = min(max((now_us - int(entities.moved_at[number])) / 150_000, 0.0), 1.0)
    at_once = bool(entities.teleported[number]) or not np.abs(before - after).sum() < 1 << 30
    if at_once:
        part = 1.0
    feet = after if at_once else before + (after - before) * part
    row, name = int(entities.rows[number]), entities.kinds[entities.kind[number]].removeprefix("minecraft:")
    level = np.eye(3)
    if motif:
        size = np.array([*painting_blocks(motif), 1 / 16]) / 2
        return [Box(row, feet, turned(0.0, 90.0 * int(entities.direction[number])), -size, size)]
    wide, tall = (0.25, 0.25) if item else (min(wide, 64.0), min(tall, 64.0))
    body = Box(row, feet, level, np.array([-wide / 2, 0, -wide / 2]), np.array([wide / 2, tall, wide / 2]))
    carries = entities.block[number] >= 0
    if item or (name == "falling_block" and carries) or (name in HEADLESS and not carries):
        return [body]
    if carries:
        side = 0.75 * wide
        low, high = np.array([-side / 2, 0, -side / 2]), np.array([side / 2, side, side / 2])
        return [body, Box(row, feet + np.array([0, tall, 0]), level, low, high)]
    (pitch_0, _, yaw_0), (pitch, _, yaw) = entities.angles_before[number].tolist(), entities.angles[number].tolist()
    axes = turned(angle_at(pitch_0, pitch, part), angle_at(yaw_0, yaw, part))
    high = np.array([0.3 * wide, min(0.25 * tall, 0.5 * wide) / 2, 0.95 * wide])
    return [body, Box(row, feet + np.array([0, 0.85 * tall, 0]), axes, high * [-1, -1, 0], high)]


def met(boxes: list[Box], camera: Camera, size_px: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each pixel's ray hits first: the entity's row, the depth along the view, and 3 x box + axis of the side."""
    width, height = size_px
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = 1 - (np.arange(height) + 0.5) / height * 2
    forward, right, up = (np.array(part) for part in camera.rays)
    plane = x[None, :, None] * right + y[:, None, None] * up
    way: Any = np.broadcast_to(forward, plane.shape) if camera.is_parallel else forward + plane
    begin = np.array(camera.eye) + (plane if camera.is_parallel else 0.0 * plane)
    depth = np.full((height, width), np.inf)
    number = np.full((height, width), NONE, np.uint32)
    side = np.full((height, width), -1, np.int64)
    for index, box in enumerate(boxes):
        near, along = (begin - box.origin) @ box.axes.T, way @ box.axes.T
        along = np.where(np.abs(along) < 1e-12, 1e-12, along)
        ends = np.stack([(box.low - near) / along, (box.high - near) / along])
        enters, leaves = ends.min(axis=0), ends.max(axis=0).min(axis=2)
        first = enters.max(axis=2)
        least = camera.near_blocks if camera.is_parallel else max(camera.near_blocks, 0.0)
        hit = (first <= leaves) & (first > least) & (first < depth)
        depth[hit], number[hit] = first[hit], box.row
        side[hit] = index * 3 + enters.argmax(axis=2)[hit]
    return number, depth, side
