"""Drawing functions that all painters use: noise, colours, shapes, mip levels.

A picture is float64 [16, 16, 4], red, green, blue, alpha in 0..255, row 0 at the top. Colours are sRGB.

Rules:
1. Grain is a hash of (seed, counter), splitmix64, so no release of a library changes a picture; value noise on a coarse
   lattice gives shapes. Every field wraps around at its edges, because textures repeat.
2. Mip levels average light, not codes: sRGB is converted to linear first. Where alpha is coverage, it weights the
   colours, so leaves get no dark rims. Coverage is averaged, then scaled so that the share of texels that pass the
   alpha test at one half is the same as at full size: distant leaves do not thin out.
"""

import zlib
from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np

from net.arrays import F64, I64, U8, Bools

# ---------------------------------------------------------------- grain

SIDE: Final = 16
Field = F64
"""[16, 16] by row (0 at the top) and column, mostly 0..1."""

_STEPS: Final = np.arange(1, SIDE * SIDE + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_30: Final = np.uint64(30)
_27: Final = np.uint64(27)
_11: Final = np.uint64(11)
_UNIT: Final = 2.0**-53


def seed_of(text: str) -> int:
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
        return x.astype(np.float64) * _UNIT

    def dust(self) -> Field:
        """Noise without correlation between texels."""
        return self.numbers(SIDE * SIDE).reshape(SIDE, SIDE)

    def clouds(self, rows: int = 4, columns: int = 4) -> Field:
        """Smooth blotches: a lattice of rows x columns numbers, interpolated."""
        lattice = self.numbers(rows * columns).reshape(rows, columns)
        return _spread(rows) @ lattice @ _spread(columns).T

    def pebbles(self, count: int) -> tuple[I64, Field]:
        """[16, 16] the pebble that a texel belongs to, and its distance from the border (0 on it, 1 well inside)."""
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


# ---------------------------------------------------------------- canvas

Colour = F64
"""[3] red, green, blue, 0..255."""
Picture = F64
Painter = Callable[..., Picture]
"""(grain, *colours) -> picture."""

_AT: Final = np.mgrid[0:SIDE, 0:SIDE]
ROWS: Final[I64] = _AT[0]
COLUMNS: Final[I64] = _AT[1]


def colour(text: str) -> Colour:
    """``#rrggbb`` as numbers. Raises ValueError for any other text."""
    if len(text) != 7 or text[0] != "#":
        raise ValueError(f"{text!r} is not a #rrggbb colour")
    return np.array([int(text[k : k + 2], 16) for k in (1, 3, 5)], np.float64)


def shaded(base: Colour, light: Field) -> Picture:
    """An opaque picture of one colour, each texel ``light`` times as bright."""
    picture = np.empty((SIDE, SIDE, 4))
    picture[..., :3] = base * light[..., None]
    picture[..., 3] = 255
    return picture


def mixed(first: Colour, second: Colour, share: Field) -> Picture:
    """An opaque picture that blends two colours, ``share`` of the second."""
    picture = np.empty((SIDE, SIDE, 4))
    picture[..., :3] = first + (second - first) * np.minimum(np.maximum(share, 0), 1)[..., None]
    picture[..., 3] = 255
    return picture


def clear(base: Colour) -> Picture:
    """A transparent picture of one colour, so that small mip levels keep the colour."""
    picture = np.zeros((SIDE, SIDE, 4))
    picture[..., :3] = base
    return picture


def put(picture: Picture, where: Bools, base: Colour, light: Field | float = 1.0, alpha: float = 255) -> Picture:
    """Paints a colour where the mask is set; returns the picture."""
    picture[where, :3] = base * light[where, None] if isinstance(light, np.ndarray) else base * light
    picture[where, 3] = alpha
    return picture


def box(left: int, top: int, right: int, bottom: int) -> Bools:
    """The texels of a rectangle, right and bottom exclusive."""
    return (left <= COLUMNS) & (right > COLUMNS) & (top <= ROWS) & (bottom > ROWS)


def disc(x: float, y: float, radius: float) -> Bools:
    """The texels whose centres lie in a circle."""
    return (COLUMNS + 0.5 - x) ** 2 + (ROWS + 0.5 - y) ** 2 <= radius**2


def frame(width: int = 1) -> Bools:
    """The texels within ``width`` of the edge."""
    return ~box(width, width, SIDE - width, SIDE - width)


def rim(picture: Picture, strength: float = 0.18, width: int = 1) -> Picture:
    """Lightens the upper left edge and darkens the lower right one: a bevel."""
    light = np.ones((SIDE, SIDE))
    light[(width > ROWS) | (width > COLUMNS)] += strength
    light[(SIDE - width <= ROWS) | (SIDE - width <= COLUMNS)] -= strength
    picture[..., :3] *= light[..., None]
    return picture


def grained(grain: Grain, dust: float, clouds: float, rows: int = 4, columns: int = 4) -> Field:
    """Brightness around 1: fine dust and soft blotches of these strengths."""
    return 1 + dust * (grain.dust() - 0.5) + clouds * (grain.clouds(rows, columns) - 0.5)


# ---------------------------------------------------------------- mips

Textures = U8
"""[layers, side, side, 4] red, green, blue, alpha; row 0 at the top."""

Values = F64

_GAMMA = 2.2


AT_ONCE_TEXELS: Final = 1 << 19
"""One batch of ``mip_levels``: 2,048 layers of 16 x 16, 32 of 128 x 128; as floats they take 32 times the memory."""


def mip_levels(textures: Textures, coverage: Bools) -> tuple[Textures, ...]:
    """All mip levels from full size to 1 x 1; ``coverage`` bool[layers]: alpha is coverage, not the mask of a tint."""
    layers, side = textures.shape[:2]
    at_once = max(1, AT_ONCE_TEXELS // side**2)
    if layers <= at_once:
        return _levels(textures, coverage)
    parts = [_levels(textures[k : k + at_once], coverage[k : k + at_once])[1:] for k in range(0, layers, at_once)]
    return textures, *(np.concatenate(level) for level in zip(*parts, strict=True))


def _levels(textures: Textures, coverage: Bools) -> tuple[Textures, ...]:
    linear = (textures[..., :3].astype(np.float64) / 255) ** _GAMMA
    alpha = textures[..., 3].astype(np.float64) / 255
    share = (alpha > 0.5).mean((1, 2))
    levels = [textures]
    while linear.shape[1] > 1:
        weight = np.where(coverage[:, None, None], alpha, 1.0)[..., None] + 1e-4
        linear = _quarters(linear * weight) / _quarters(weight)
        alpha = _quarters(alpha[..., None])[..., 0]
        levels.append(_encode(linear, _lifted(alpha, share, coverage)))
    return tuple(levels)


def _quarters(values: Values) -> Values:
    layers, side, _, channels = values.shape
    return values.reshape(layers, side // 2, 2, side // 2, 2, channels).mean((2, 4))


def _lifted(alpha: Values, share: Values, coverage: Bools) -> Values:
    """Scales each layer's alpha so that the given share of its texels lies over a half."""
    flat = np.sort(alpha.reshape(len(alpha), -1), axis=1)[:, ::-1]
    wanted = np.ceil(share * flat.shape[1] - 1e-6).astype(int)
    limit = flat[np.arange(len(flat)), np.clip(wanted - 1, 0, flat.shape[1] - 1)]
    holes = coverage & (share > 0) & (share < 1) & (limit > 0.05)
    factor = np.where(holes, np.maximum(1, 0.51 / np.maximum(limit, 0.05)), 1)
    return np.minimum(alpha * factor[:, None, None], 1)


def _encode(linear: Values, alpha: Values) -> Textures:
    encoded = np.empty((*alpha.shape, 4), np.uint8)
    encoded[..., :3] = np.rint(255 * np.clip(linear, 0, 1) ** (1 / _GAMMA))
    encoded[..., 3] = np.rint(255 * alpha)
    return encoded
