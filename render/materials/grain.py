"""Random fields for textures: the same name gives the same picture on every machine.

Rules:
1. No library's generator: a hash of (seed, counter), so no release of anything changes a picture.
2. Every field wraps around at its edges, as textures repeat.

Theory: splitmix64 for the numbers; value noise on a coarse lattice, interpolated by a fixed wrapping matrix, for
shapes.
"""

import zlib
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

SIDE: Final = 16
Field = npt.NDArray[np.float64]
"""[16, 16] by row (0 at the top) and column, mostly 0..1."""

_STEPS: Final = np.arange(1, SIDE * SIDE + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_30: Final = np.uint64(30)
_27: Final = np.uint64(27)
_11: Final = np.uint64(11)
_UNIT: Final = 2.0**-53


def seed_of(text: str) -> int:
    """A 64-bit seed of a name."""
    raw = text.encode(errors="surrogateescape")
    return zlib.crc32(raw) << 32 | zlib.crc32(raw[::-1] + b"grain")


class Grain:
    """A stream of random fields that belongs to one picture."""

    def __init__(self, name: str) -> None:
        self._seed = seed_of(name)

    def numbers(self, count: int) -> Field:
        """[count] numbers, 0 <= n < 1; at most 256."""
        self._seed = (self._seed * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        x = _STEPS[:count] ^ np.uint64(self._seed)
        x ^= x >> _30
        x *= _FIRST
        x ^= x >> _27
        x *= _SECOND
        x >>= _11
        numbers: Field = x.astype(np.float64) * _UNIT
        return numbers

    def dust(self) -> Field:
        """Every texel by itself."""
        return self.numbers(SIDE * SIDE).reshape(SIDE, SIDE)

    def clouds(self, rows: int = 4, columns: int = 4) -> Field:
        """Smooth blotches: a lattice of rows x columns numbers, interpolated."""
        lattice = self.numbers(rows * columns).reshape(rows, columns)
        return _spread(rows) @ lattice @ _spread(columns).T

    def pebbles(self, count: int) -> tuple[npt.NDArray[np.int64], Field]:
        """[16, 16] which pebble a texel belongs to, and how near to a border it is (0 on it, 1 well inside)."""
        centres = self.numbers(2 * count).reshape(2, count) * SIDE
        at = np.arange(SIDE) + 0.5
        dx = np.abs(at[:, None] - centres[0])
        dy = np.abs(at[:, None] - centres[1])
        dx, dy = np.minimum(dx, SIDE - dx), np.minimum(dy, SIDE - dy)
        distance = np.sqrt(dx[:, None, :] ** 2 + dy[None, :, :] ** 2)
        nearest = np.partition(distance, 1, axis=2)
        return distance.argmin(2), np.clip((nearest[..., 1] - nearest[..., 0]) / 1.6, 0, 1)


@cache
def _spread(size: int) -> Field:
    """[16, size]: wrapping cosine interpolation of a lattice."""
    weights = np.zeros((SIDE, size))
    for texel in range(SIDE):
        at = texel * size / SIDE
        low, part = int(at), at - int(at)
        part = (1 - np.cos(part * np.pi)) / 2
        weights[texel, low] += 1 - part
        weights[texel, (low + 1) % size] += part
    return weights
