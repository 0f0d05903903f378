"""Hashes and noise that give the same numbers on every machine: splitmix64 over integer positions.

Theory: value noise. A lattice of hashed numbers in -1..1 is interpolated with the smooth step t * t * (3 - 2 * t)
along one axis after the other, so that a box of n points costs n multiplications for the last axis only and less
for the others. Coordinates come as one array per axis (the box is their product).

Limits: float32 results; axes of at most a few thousand points. Rounding decides blocks (``floor`` of a height),
therefore the order of the operations here is part of the worlds and must not be "simplified".
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

GOLDEN: Final = 0x9E3779B97F4A7C15
FIRST: Final = 0xBF58476D1CE4E5B9
SECOND: Final = 0x94D049BB133111EB
WORD: Final = (1 << 64) - 1


def hash64(*parts: Any) -> Any:
    """A 64-bit hash of integers or integer arrays (broadcast together), uint64."""
    value: Any = GOLDEN
    for part in parts:
        if isinstance(value, int) and isinstance(part, int):  # a seed: NumPy's scalars would warn of overflow
            value = _mixed(value ^ (part + GOLDEN) & WORD)
            continue
        other: Any = np.asarray(part).astype(np.int64).astype(np.uint64)
        other = other + np.uint64(GOLDEN) if other.ndim else np.uint64((int(other) + GOLDEN) & WORD)
        value = np.asarray(np.uint64(value) ^ other)
        value = _mix_in_place(value) if value.ndim else np.asarray(np.uint64(_mixed(int(value))))
    return np.uint64(value) if isinstance(value, int) else value


def _mixed(value: int) -> int:
    """The mixing function of splitmix64."""
    value = (value ^ value >> 30) * FIRST & WORD
    value = (value ^ value >> 27) * SECOND & WORD
    return value ^ value >> 31


def _mix_in_place(value: Any) -> Any:
    """``_mixed`` for each number of an array, which it overwrites."""
    shifted = value >> np.uint64(30)
    value ^= shifted
    value *= np.uint64(FIRST)
    np.right_shift(value, np.uint64(27), out=shifted)
    value ^= shifted
    value *= np.uint64(SECOND)
    np.right_shift(value, np.uint64(31), out=shifted)
    value ^= shifted
    return value


def unit(*parts: Any) -> Any:
    """A number in [0, 1) from the same hash, float32."""
    return (hash64(*parts) >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)


def _axis(coordinates: Ints, cell_blocks: float) -> tuple[Ints, int, int, Floats]:
    """Lattice index of each coordinate from the lowest one, the lattice range, and the smoothed fraction."""
    scaled = np.asarray(coordinates, np.float64) / cell_blocks
    index = np.floor(scaled).astype(np.int64)
    t = (scaled - index).astype(np.float32)
    low = int(index.min())
    return index - low, low, int(index.max()) + 2, t * t * (3 - 2 * t)


def noise2(seed: int, xs: Ints, zs: Ints, cell_blocks: float) -> Floats:
    """Value noise on the grid xs x zs, -1..1, ``float32[x, z]``."""
    ix, x0, x1, tx = _axis(xs, cell_blocks)
    iz, z0, z1, tz = _axis(zs, cell_blocks)
    lattice = unit(seed, np.arange(x0, x1)[:, None], np.arange(z0, z1)[None, :]) * 2 - 1
    rows = lattice[ix] * (1 - tx)[:, None] + lattice[ix + 1] * tx[:, None]
    result: Floats = rows[:, iz] * (1 - tz) + rows[:, iz + 1] * tz
    return result


class Noise3:
    """Value noise in the box xs x zs x ys, -1..1, calculated a few rows at a time to fit into a core's cache."""

    def __init__(self, seed: int, xs: Ints, zs: Ints, ys: Ints, cell_blocks: float, cell_y_blocks: float) -> None:
        self._ix, x0, x1, self._tx = _axis(xs, cell_blocks)
        iz, z0, z1, tz = _axis(zs, cell_blocks)
        iy, y0, y1, ty = _axis(ys, cell_y_blocks)
        corners = (np.arange(x0, x1)[:, None, None], np.arange(z0, z1)[None, :, None], np.arange(y0, y1)[None, None, :])
        lattice = unit(seed, *corners) * 2 - 1
        lines = lattice[:, :, iy] * (1 - ty) + lattice[:, :, iy + 1] * ty
        self._planes = lines[:, iz] * (1 - tz)[None, :, None] + lines[:, iz + 1] * tz[None, :, None]

    def rows(self, first: int, end: int) -> Floats:
        """The noise of a range of xs, ``float32[x, z, y]``."""
        index, tx = self._ix[first:end], self._tx[first:end]
        result: Floats = self._planes[index]
        result *= (1 - tx)[:, None, None]
        other = self._planes[index + 1]
        other *= tx[:, None, None]
        result += other
        return result


def noise3(seed: int, xs: Ints, zs: Ints, ys: Ints, cell_blocks: float, cell_y_blocks: float) -> Floats:
    """The noise of a whole box at once."""
    return Noise3(seed, xs, zs, ys, cell_blocks, cell_y_blocks).rows(0, len(xs))


def gradient2(seed: int, xs: Ints, zs: Ints, cell_blocks: float) -> Floats:
    """Gradient noise on the grid xs x zs, about -0.7..0.7, ``float32[x, z]``: rounder hills than value noise.

    Gradients are hashed, not normalised: no trigonometry, whose last bits differ between machines.
    """
    ix, x0, x1, _ = _axis(xs, cell_blocks)
    iz, z0, z1, _ = _axis(zs, cell_blocks)
    corner_x, corner_z = np.arange(x0, x1)[:, None], np.arange(z0, z1)[None, :]
    slope_x, slope_z = unit(seed, corner_x, corner_z, 0) * 2 - 1, unit(seed, corner_x, corner_z, 1) * 2 - 1
    fx = (np.asarray(xs, np.float64) / cell_blocks - (ix + x0)).astype(np.float32)[:, None]
    fz = (np.asarray(zs, np.float64) / cell_blocks - (iz + z0)).astype(np.float32)[None, :]

    def corner(dx: int, dz: int) -> Floats:
        along_x: Floats
        along_x, along_z = (slope[ix + dx].take(iz + dz, axis=1) for slope in (slope_x, slope_z))
        along_x *= fx - dx
        along_z *= fz - dz
        along_x += along_z
        return along_x

    tx, tz = fx * fx * fx * (fx * (fx * 6 - 15) + 10), fz * fz * fz * (fz * (fz * 6 - 15) + 10)
    low = corner(0, 0) * (1 - tx) + corner(1, 0) * tx
    high = corner(0, 1) * (1 - tx) + corner(1, 1) * tx
    result: Floats = (low * (1 - tz) + high * tz) * np.float32(1.6)
    return result


def smooth(values: Floats, low: float, high: float) -> Floats:
    """0 up to ``low``, 1 from ``high``, a smooth step between."""
    t = np.clip((values - np.float32(low)) / np.float32(high - low), 0, 1)
    result: Floats = t * t * (3 - 2 * t)
    return result
