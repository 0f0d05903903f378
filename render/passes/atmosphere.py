"""Light and sky colours from time of day and weather, in plain numbers; the medium around the eye; sky and vignette.

Theory. The sun's circle takes 24,000 ticks: it is in the east (+x) at 0, highest at 6,000, in the west at 12,000. As
in the game it moves slower by day than by night, and crosses the horizon some 790 ticks before 0 and after 12,000. The
moon is opposite, full on the first of eight days and new on the fifth. The day factor scales daylight (channel D); it
is the game's: 93, 66 and 38 % at 12,000, 12,500 and 13,000, whatever the light's colour. Moonlight is the minimum.
Sides that face the sun or the moon get more light, sides that face away get less by the same amount, and tops get
exactly the factor. Rain desaturates the sky and removes some of the light, thunder more; both hide sun, moon and
stars. Without a sky the D channel is empty, and the colours are those of the dimension's air.

A server's fogs and packs may give the colours of the air (the horizon), of rain and of the sky under full daylight.
They get dark with the day as ours do, and are never darker than ours at that moment, or than ``LEAST_BRIGHT``: a black
fog would make the whole picture black.
"""

from collections.abc import Mapping
from math import cos, pi, sin, sqrt
from typing import Final

import msgspec
from msgspec.structs import replace

from client.weather import CLEAR, Weather
from render.gpu.device import GlOwner, Gpu

Colour = tuple[float, float, float]

TICKS_PER_DAY: Final = 24000
NOON_TICKS: Final = 6000
MOON_DAYS: Final = 8
"""Days from one full moon to the next."""
NETHER_NUMBER: Final = 1

_DAY_ZENITH: Final = (0.20, 0.43, 0.84)
_DAY_HORIZON: Final = (0.70, 0.84, 0.97)
_NIGHT_ZENITH: Final = (0.010, 0.016, 0.044)
_NIGHT_HORIZON: Final = (0.052, 0.068, 0.130)
_DUSK_ZENITH: Final = (0.17, 0.21, 0.46)
_GLOW: Final = (1.0, 0.50, 0.20)
_DAYLIGHT: Final = (1.0, 0.985, 0.95)
_LOW_SUN: Final = (1.0, 0.80, 0.60)
_NEW_MOON: Final = (0.170, 0.216, 0.340)
_FULL_MOON: Final = (0.225, 0.288, 0.455)
_DIRECT: Final = 0.16
"""Share of full daylight that a face looking straight at the sun gets in addition to the sky's light; at the horizon,
where light has the longest way through the air, half as much."""
_LEAST_LIGHT: Final = (0.012, 0.013, 0.018)
_LEAST_LIGHT_OF_NETHER: Final = (0.66, 0.49, 0.43)
_LEAST_LIGHT_OF_END: Final = (0.72, 0.70, 0.76)
"""Minimum light: without it, everything that neither daylight nor a lamp reaches would be black."""
_RAIN: Final = (0.43, 0.47, 0.53)
_THUNDER: Final = (0.20, 0.215, 0.25)


LEAST_BRIGHT: Final = 0.08
"""Perceived brightness below which no colour that a server or a pack gives is shown, unless ours is darker."""


class GivenColour(msgspec.Struct, frozen=True):
    """A colour that a server or a pack gives, 0..1."""

    colour: Colour = (0.0, 0.0, 0.0)
    share: float = 0.0  # of the biomes around that have it; ours has the rest


class GivenAir(msgspec.Struct, frozen=True):
    """The colours of the air that a server or packs give, under full daylight."""

    fog: GivenColour = GivenColour()  # of the horizon and what fades into it
    rain: GivenColour = GivenColour()  # the same while it rains
    sky: GivenColour = GivenColour()  # straight up


NONE_GIVEN: Final = GivenAir()


class Atmosphere(msgspec.Struct, frozen=True):
    """How the air and the sky look; colours are what the screen shows, 0..1."""

    sun: tuple[float, float, float]  # unit vector towards the sun
    direct: tuple[
        float, float, float
    ]  # towards the sun or the moon: faces that look there get more light (``_DIRECT``)
    day: float  # 0 night .. 1 day
    zenith: Colour  # straight up
    horizon: Colour  # at the horizon
    stars: float  # how bright, 0..1
    moon: float  # its phase as an angle in radians: 0 full, pi new
    clear: float  # share of sun, moon and their halos that the weather leaves, 0..1
    glow: Colour  # colour of dawn and dusk
    glow_strength: float  # 0 far from dawn and dusk .. 1
    daylight: Colour  # colour of full daylight on a face
    drown: float  # share by which full daylight reduces the light of lamps, 0..1
    haze_per_block: float  # share of a colour lost to the air in each block
    least_light: Colour  # on faces that neither lamps nor daylight reach
    has_sky: bool  # whether the dimension has sun, moon, stars and clouds
    noise: float = 0.0  # how much a sky without them varies from speck to speck


def atmosphere_at(
    time_ticks: float, has_sky: bool, dimension_number: int = 0, weather: Weather = CLEAR, given: GivenAir = NONE_GIVEN
) -> Atmosphere:
    """The atmosphere at ticks since a sunrise under a full moon; without a sky, the dimension's air."""
    if not has_sky:
        return _without_sky(dimension_number, given)
    angle = _sun_angle(time_ticks)
    moon = time_ticks // TICKS_PER_DAY % MOON_DAYS / MOON_DAYS * 2.0 * pi
    tilt = 0.22  # the sun's path leans to the south, so that no two sides of a block get equal light
    length = sqrt(1.0 + tilt * tilt)
    height = cos(angle)
    day = min(max(2.0 * height + 0.5, 0.0), 1.0)
    near_horizon = _smooth(1.0 - abs(height + 0.02) / 0.44)
    warm = _as_bright_as(_DAYLIGHT, _mix(_DAYLIGHT, _LOW_SUN, near_horizon * 0.8))
    moonlight = _mix(_NEW_MOON, _FULL_MOON, 0.5 + 0.5 * cos(moon))

    def colours(given: GivenAir) -> tuple[Colour, Colour]:
        day_zenith, day_horizon = _given(_DAY_ZENITH, given.sky), _given(_DAY_HORIZON, given.fog)
        # By day nothing of the night mixes with a given colour, which may be darker than the night in some channel.
        night_zenith = _scaled(_NIGHT_ZENITH, 1.0 - day * given.sky.share)
        night_horizon = _scaled(_NIGHT_HORIZON, 1.0 - day * given.fog.share)
        zenith = _mix(_day_and_night(_scaled(day_zenith, day), night_zenith), _DUSK_ZENITH, near_horizon * 0.35)
        horizon = _day_and_night(_scaled(day_horizon, day), night_horizon)
        return _overcast(zenith, day, weather, given.rain), _overcast(horizon, day, weather, given.rain)

    zenith, horizon = colours(NONE_GIVEN)
    if given != NONE_GIVEN:
        zenith, horizon = map(_bright_enough, colours(given), (zenith, horizon))
    clear = (1.0 - weather.rain) * (1.0 - weather.thunder)
    light = (1.0 - 0.30 * weather.rain) * (1.0 - 0.45 * weather.thunder)
    sunlight = _scaled(_mix(warm, _DAYLIGHT, 1.0 - clear), day)
    risen = _smooth(1.0 + height / 0.3)  # the sun's share of the light's direction; the moon has the rest
    strength = _DIRECT * (0.5 + 0.5 * abs(height)) * clear
    direct = strength * (risen - (1.0 - risen) * (0.5 + 0.5 * cos(moon))) / length
    return Atmosphere(
        sun=(-sin(angle) / length, height / length, tilt / length),
        direct=(-sin(angle) * direct, 0.0, tilt * direct),
        day=day,
        zenith=zenith,
        horizon=horizon,
        stars=max(0.0, 1.0 - day * 1.6) * 0.9 * clear,
        moon=moon,
        clear=clear,
        glow=_GLOW,
        glow_strength=near_horizon * 0.85 * (0.15 + 0.85 * clear),
        daylight=_scaled(_day_and_night(sunlight, moonlight), light),
        drown=0.75 * day * light,
        haze_per_block=0.0011 + 0.0040 * weather.rain,
        least_light=_LEAST_LIGHT,
        has_sky=True,
    )


def _sun_angle(time_ticks: float) -> float:
    """The sun's angle from its highest position, in radians, as in the game."""
    turn = (time_ticks - NOON_TICKS) / TICKS_PER_DAY % 1.0
    return (turn + (0.5 - 0.5 * cos(pi * turn) - turn) / 3.0) * 2.0 * pi


def _as_bright_as(other: Colour, colour: Colour) -> Colour:
    bright = _luma(colour)
    return _scaled(colour, _luma(other) / bright) if bright > 0.0 else other


def _luma(colour: Colour) -> float:
    return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]


def _day_and_night(day: Colour, night: Colour) -> Colour:
    """Light of day and night together: no brighter than the brighter one, so that dusk follows the game's curve."""
    (a, b, c), (d, e, f) = day, night
    return _as_bright_as(max(day, night, key=_luma), (max(a, d), max(b, e), max(c, f)))


def _overcast(sky: Colour, day: float, weather: Weather, given: GivenColour) -> Colour:
    light = 0.10 + 0.90 * day
    rain = _given(_RAIN, given)
    thunder = _given(_THUNDER, replace(given, colour=_scaled(given.colour, _luma(_THUNDER) / _luma(_RAIN))))
    grey = _mix(sky, _scaled(rain, light), 0.85 * weather.rain)
    return _mix(grey, _scaled(thunder, light), 0.85 * weather.thunder)


def _without_sky(dimension_number: int, given: GivenAir) -> Atmosphere:
    nether = dimension_number == NETHER_NUMBER
    own = (0.27, 0.065, 0.04) if nether else (0.105, 0.085, 0.130)
    air = bright_enough(_given(own, given.fog))

    def upwards(colour: Colour) -> Colour:
        return _mix(colour, (0.0, 0.0, 0.0), 0.35)

    return Atmosphere(
        sun=(0.0, 1.0, 0.0),
        direct=(0.0, 0.0, 0.0),
        day=0.0,
        zenith=_bright_enough(_given(upwards(air), given.sky), upwards(own)),
        horizon=air,
        stars=0.0,
        moon=0.0,
        clear=1.0,
        glow=air,
        glow_strength=0.0,
        daylight=(0.3, 0.28, 0.3),
        drown=0.0,
        haze_per_block=0.004,
        least_light=_LEAST_LIGHT_OF_NETHER if nether else _LEAST_LIGHT_OF_END,
        has_sky=False,
        noise=0.0 if nether else 0.9,
    )


def _given(own: Colour, given: GivenColour) -> Colour:
    return _mix(own, given.colour, given.share)


def _bright_enough(colour: Colour, own: Colour) -> Colour:
    """A given colour, not darker than ours at the same moment, or than ``LEAST_BRIGHT``."""
    return bright_enough(colour, min(_luma(own), LEAST_BRIGHT))


def bright_enough(colour: Colour, least: float = LEAST_BRIGHT) -> Colour:
    """A colour, lightened to a least perceived brightness."""
    lack = max(least - _luma(colour), 0.0)
    return colour[0] + lack, colour[1] + lack, colour[2] + lack


def _mix(a: Colour, b: Colour, share: float) -> Colour:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share


def _scaled(colour: Colour, by: float) -> Colour:
    return colour[0] * by, colour[1] * by, colour[2] * by


def _smooth(value: float) -> float:
    x = min(max(value, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


# ---------------------------------------------------------------- medium


class Medium(msgspec.Struct, frozen=True):
    """The medium between the eye and what it sees."""

    colour: Colour  # colour that distant things fade into, 0..1
    density_per_block: float  # how fast they fade; 0: not at all
    surface_y_blocks: float = 0.0  # height above the eye where the medium ends
    clear_blocks: float = 0.0  # distance up to which nothing fades
    layer: str = "air"  # of fogs that applies in it


AIR: Final = Medium((0.0, 0.0, 0.0), 0.0)
OF_AIR: Final = {"AIR": 1}
"""Defines for programs that are drawn only while the eye is in air."""
WATER: Final = Medium((0.085, 0.36, 0.53), 0.034, layer="water")
LAVA: Final = Medium((0.90, 0.26, 0.03), 1.4, layer="lava")


class SkyPass(GlOwner):
    """Sky, sun, moon, stars and clouds: one triangle drawn after everything solid; only visible pixels are computed."""

    def __init__(self, gpu: Gpu, defines: Mapping[str, int | str] | None = None) -> None:
        super().__init__(gpu)
        self._array = self._own(gpu.vertices("full_screen.vert", "sky.frag", defines))

    def draw(self) -> None:
        """Fills the pixels at the far plane. Leaves the depth unchanged, since it would be the same."""
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.DEPTH_TEST)
        ctx.depth_func = "<="
        self._array.render(vertices=3)
        ctx.depth_func = "<"


class VignettePass(GlOwner):
    """The vignette of an eye inside an opaque block: darkens the corners of the picture; keeps the depth."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        self._array = self._own(gpu.vertices("full_screen.vert", "vignette.frag"))

    def draw(self) -> None:
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.BLEND)
        ctx.blend_func = ctx.DEFAULT_BLENDING
        self._array.render(vertices=3)
