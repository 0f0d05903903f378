"""Time of day to light and sky colours. Plain numbers, no GL.

Theory. The sun goes round in 24,000 ticks: it rises in the east (+x) at 0, stands highest at 6,000, sets at 12,000; the
moon is opposite. The day factor scales what daylight (channel D) is worth in the picture: 1 by day, a moonlit remainder
at night, falling while the sun is within some ten degrees of the horizon. Without a sky the D channel is empty, and
the colours are those of the dimension's air.
"""

from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from typing import Final

Colour = tuple[float, float, float]

TICKS_PER_DAY: Final = 24000
NOON_TICKS: Final = 6000
NETHER_NUMBER: Final = 1

_DAY_ZENITH: Final = (0.26, 0.49, 0.86)
_DAY_HORIZON: Final = (0.70, 0.84, 0.96)
_NIGHT_ZENITH: Final = (0.012, 0.018, 0.048)
_NIGHT_HORIZON: Final = (0.055, 0.070, 0.125)
_GLOW: Final = (0.98, 0.52, 0.24)
_DAYLIGHT: Final = (1.0, 0.985, 0.95)
_LOW_SUN: Final = (1.0, 0.80, 0.60)
_MOONLIGHT: Final = (0.10, 0.125, 0.20)


@dataclass(frozen=True, slots=True)
class Atmosphere:
    """How the air and the sky look; colours are what the screen shows, 0..1.

    Attributes:
        sun: unit vector towards the sun.
        day: 0 night .. 1 day.
        zenith: straight up.
        horizon: at the horizon.
        stars: how bright, 0..1.
        glow: colour of dawn and dusk.
        glow_strength: 0 away from them .. 1.
        daylight: colour of full daylight on a face.
        drown: how much full daylight takes away from lamps, 0..1.
        haze_per_block: share of a colour lost to the air in each block.
        has_sky: whether sun, moon, stars and clouds are there.
    """

    sun: tuple[float, float, float]
    day: float
    zenith: Colour
    horizon: Colour
    stars: float
    glow: Colour
    glow_strength: float
    daylight: Colour
    drown: float
    haze_per_block: float
    has_sky: bool


def atmosphere_at(time_ticks: float, has_sky: bool, dimension_number: int = 0) -> Atmosphere:
    """The atmosphere of a time.

    Args:
        time_ticks: 0..23999, taken modulo a day; 6000 is noon.
        has_sky: whether the dimension has one.
        dimension_number: chooses the air's colour where it has none.
    """
    if not has_sky:
        return _without_sky(dimension_number)
    angle = (time_ticks - NOON_TICKS) / TICKS_PER_DAY * 2.0 * pi
    tilt = 0.22  # the sun's path leans to the south, so that no two sides of a block are lit alike
    length = sqrt(1.0 + tilt * tilt)
    height = cos(angle)
    day = _smooth((height + 0.30) / 0.48)
    near_horizon = _smooth(1.0 - abs(height + 0.02) / 0.34)
    warm = _mix(_DAYLIGHT, _LOW_SUN, near_horizon * 0.8)
    return Atmosphere(
        sun=(-sin(angle) / length, height / length, tilt / length),
        day=day,
        zenith=_mix(_NIGHT_ZENITH, _DAY_ZENITH, day),
        horizon=_mix(_NIGHT_HORIZON, _DAY_HORIZON, day),
        stars=max(0.0, 1.0 - day * 1.6) * 0.9,
        glow=_GLOW,
        glow_strength=near_horizon * 0.85,
        daylight=_mix(_MOONLIGHT, warm, day),
        drown=0.75 * day,
        haze_per_block=0.0011,
        has_sky=True,
    )


def _without_sky(dimension_number: int) -> Atmosphere:
    nether = dimension_number == NETHER_NUMBER
    air = (0.20, 0.045, 0.03) if nether else (0.055, 0.04, 0.075)
    return Atmosphere(
        sun=(0.0, 1.0, 0.0),
        day=0.0,
        zenith=_mix(air, (0.0, 0.0, 0.0), 0.35),
        horizon=air,
        stars=0.0,
        glow=air,
        glow_strength=0.0,
        daylight=(0.3, 0.28, 0.3),
        drown=0.0,
        haze_per_block=0.004,
        has_sky=False,
    )


def _mix(a: Colour, b: Colour, share: float) -> Colour:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share


def _smooth(value: float) -> float:
    x = min(max(value, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)
