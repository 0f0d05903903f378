"""Where particles are, one by one in plain Python: the twin of ``shaders/drift.frag``.

Floats are rounded to 32 bits after each step, as a shader's are; a driver may still fuse a product and a sum.
"""

from collections.abc import Callable
from math import floor

import numpy as np

from render.passes.particles import GRIND_PARTICLES, HIT_PARTICLES, Burst

Vector = np.ndarray
StopAt = Callable[[tuple[int, int, int]], float]
"""How high a block stops bodies, 0..1 from its floor."""

WAYS = np.array([(-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0)], np.float32)
F = np.float32
TICK_MS = 50
GRIND_PERIOD_MS = 800


def scramble(value: int) -> int:
    value &= 0xFFFFFFFF
    value ^= value >> 16
    value = value * 0x7FEB352D & 0xFFFFFFFF
    value ^= value >> 15
    value = value * 0x846CA68B & 0xFFFFFFFF
    return value ^ value >> 16


def chance(x: int, y: int, z: int) -> np.float32:
    return F(scramble(x + scramble(y + scramble(z))) >> 8) * F(1 / 16777216)


def drifted(burst: list[int], number: int, stop_at: StopAt) -> Vector | None:
    """Where a particle is, from its burst's block, and its size; None where there is none.

    Args:
        burst: a row of ``BURST_FIELDS``.
        number: of the particle in it.
        stop_at: of the world's blocks.
    """
    x, y, z, what, age, seed, _, _ = burst
    kind, face = what & 255, what >> 8
    breaks = kind == Burst.BREAK
    if not breaks and number >= (HIT_PARTICLES if kind == Burst.HIT else GRIND_PARTICLES):
        return None
    if kind == Burst.GRIND:
        since = age + int(chance(seed, number, 9) * F(GRIND_PERIOD_MS))
        age = since % GRIND_PERIOD_MS
        seed = scramble(seed + since // GRIND_PERIOD_MS * 0x9E3779B9) & 0x7FFFFFFF
        face = min(int(chance(seed, number, 8) * F(6)), 5)
    life = (F(12) if breaks else F(7)) + (F(16) if breaks else F(8)) * chance(seed, number, 4)
    if F(age) >= life * F(TICK_MS):
        return None

    def stopping(at: Vector) -> np.float32:
        cell = tuple(floor(axis) for axis in at)
        if breaks and cell == (0, 0, 0):
            return F(0)
        top = F(stop_at((x + cell[0], y + cell[1], z + cell[2])))
        return top if at[1] - F(cell[1]) < top else F(0)

    at, speed = _broken(seed, number) if breaks else _dust(seed, number, face)
    if stopping(at) > 0:
        return None
    before = at
    for _ in range(age // TICK_MS + 1):
        before, (at, speed) = at, _step(at, speed, stopping)
    part = F(age % TICK_MS) / F(TICK_MS)
    where = before * (F(1) - part) + at * part
    size = (F(0.05) if breaks else F(0.03)) * (F(1) + chance(seed, number, 5))
    return np.append(where, size * min((life - F(age) / F(TICK_MS)) * F(0.25), F(1))).astype(np.float32)


def _broken(seed: int, number: int) -> tuple[Vector, Vector]:
    part = (np.array([number & 3, number >> 2 & 3, number >> 4], np.float32) + F(0.5)) * F(0.25)
    loose = np.array([chance(seed, number, which) for which in range(3)], np.float32) - F(0.5)
    way = part - F(0.5) + loose * F(0.8)
    return part, way * (F(0.10) + F(0.12) * chance(seed, number, 3)) + np.array([0, 0.10, 0], np.float32)


def _dust(seed: int, number: int, face: int) -> tuple[Vector, Vector]:
    inside = np.array([chance(seed, number, which) for which in range(3)], np.float32)
    across = F(1) - np.abs(WAYS[face])
    at = F(0.5) + WAYS[face] * F(0.56) + (inside - F(0.5)) * F(0.9) * across
    speed = WAYS[face] * (F(0.02) + F(0.04) * chance(seed, number, 3))
    speed = speed + (inside[[2, 0, 1]] - F(0.5)) * F(0.05) * across
    return at, speed + np.array([0, 0.03, 0], np.float32)


def _step(at: Vector, speed: Vector, stopping: Callable[[Vector], np.float32]) -> tuple[Vector, Vector]:
    at, speed = at.copy(), speed.copy()
    speed[1] -= F(0.04)
    to = at + np.array([0, speed[1], 0], np.float32)
    top = stopping(to)
    grounded = top > 0 and speed[1] < 0
    if grounded:
        at[1] = min(F(floor(to[1])) + top, at[1])
    if top > 0:
        speed[1] = 0
    else:
        at[1] = to[1]
    for axis in (0, 2):
        to = at.copy()
        to[axis] += speed[axis]
        if stopping(to) > 0:
            speed[axis] = 0
        else:
            at = to
    speed *= F(0.98)
    if grounded:
        speed[[0, 2]] *= F(0.7)
    return at, speed
