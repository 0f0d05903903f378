"""Painters of animated textures: liquids, fire, portals. Each takes a picture's number in its loop; 0 for stills.

Rules:
1. A loop has ``FRAMES`` pictures and closes: the first follows the last.
2. Screenshots show picture 0.

Theory: fields wrap around, so one that moves by one texel a picture is back after 16 pictures; two that move against
each other look like waves.
"""

from typing import Final

import numpy as np

from render.materials.canvas import (
    COLUMNS,
    ROWS,
    SIDE,
    Colour,
    Grain,
    Picture,
    clear,
    disc,
    grained,
    mixed,
    put,
    shaded,
)

FRAMES: Final = SIDE
WATER_ALPHA: Final = 168
COARSE: Final = (-1, 0, 1)
"""Waves a tile, either way, that show its grid from afar."""


def water(grain: Grain, base: Colour, *, frame: int = 0) -> Picture:
    """Soft ripples, translucent; nearly grey, because the tint gives the colour."""
    ripples = np.roll(grain.clouds(5, 3), frame, 0) * 0.6 + np.roll(grain.clouds(8, 4), -frame, 1) * 0.4
    picture = shaded(base, 0.8 + 0.36 * ripples)
    picture[..., 3] = WATER_ALPHA
    return picture


def stream(grain: Grain, base: Colour, *, frame: int = 0) -> Picture:
    """Water that runs down: upright ripples."""
    ripples = np.roll(grain.clouds(4, 8), frame, 0) * 0.6 + np.roll(grain.clouds(8, 16), frame, 0) * 0.4
    picture = shaded(base, 0.8 + 0.36 * ripples)
    picture[..., 3] = WATER_ALPHA
    return picture


def bubbles(grain: Grain, base: Colour, *, frame: int = 0) -> Picture:
    """Water with bubbles rising in it."""
    picture = water(grain, base, frame=frame)
    for x, y, radius in ((4, 3, 1.6), (11, 7, 1.2), (6, 12, 1.8), (13, 13, 1.1)):
        ring = disc(x, 8, radius) & ~disc(x, 8, radius - 1)
        picture[np.roll(ring, y - 8 - frame, 0), :3] = 250
    return picture


def lava(grain: Grain, base: Colour, hot: Colour, *, frame: int = 0) -> Picture:
    """Glowing swirls in a darker skin; without what varies over a whole tile, so that a lava sea shows no grid."""
    swirl = np.roll(grain.clouds(4, 4), frame, 0) * 0.45 + np.roll(grain.clouds(7, 7), -frame, 1) * 0.55
    waves = np.fft.fft2(swirl)
    waves[np.ix_(COARSE, COARSE)] = 0.0
    return mixed(base, hot, 0.38 + np.fft.ifft2(waves).real * 2.0)


def lava_stream(grain: Grain, base: Colour, hot: Colour, *, frame: int = 0) -> Picture:
    """Lava that runs down."""
    swirl = np.roll(grain.clouds(3, 6) * 0.65 + grain.clouds(6, 12) * 0.35, frame, 0)
    return mixed(base, hot, (swirl - 0.3) * 2.3)


def flames(grain: Grain, base: Colour, hot: Colour, *, frame: int = 0) -> Picture:
    """Tongues of fire."""
    picture = clear(base)
    height = 5 + 10 * grain.clouds(8, 6)[frame] * (0.6 + 0.4 * np.roll(grain.numbers(SIDE), frame))
    part = (SIDE - ROWS) / height[None, :]
    put(picture, part <= 1, base, grained(grain, 0.1, 0.1))
    return put(picture, part <= 0.55, hot, grained(grain, 0.1, 0.0))


def portal(grain: Grain, base: Colour, *, frame: int = 0) -> Picture:
    """Swirls, see-through."""
    swirl = 0.8 * np.roll(grain.clouds(3, 3), frame, 1) + 0.3 * np.roll(grain.clouds(8, 8), -frame, 0)
    picture = shaded(base, 0.6 + swirl)
    picture[..., 3] = 190
    return picture


def starry(grain: Grain, base: Colour, star: Colour) -> Picture:
    """Dark with points of light: end portals, sculk."""
    return put(shaded(base, grained(grain, 0.3, 0.4)), grain.dust() > 0.94, star)


def gateway(grain: Grain, base: Colour, star: Colour) -> Picture:
    """Points of light drawn out into rays."""
    return put(starry(grain, base, star), (np.abs(COLUMNS - ROWS) % 7 == 0) & (grain.dust() > 0.6), star * 0.6)
