"""Drawing options, declared once for the command line, captures, films and the window."""

from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec.structs import asdict

from client.errors import UsageError
from client.weather import Weather

HIGHEST: Final = 1 << 20
"""In blocks; every world lies between minus and plus this height."""


class Cut(NamedTuple):
    """The heights that are shown. Blocks above and below are hidden, and the cut faces are marked as cut."""

    low: int = -HIGHEST  # the lowest, in blocks
    high: int = HIGHEST  # one above the highest

    def shows(self, y: int) -> bool:
        return self.low <= y < self.high


def parse_cut(text: str) -> Cut:
    """Reads ``Y`` (hide everything above) or ``LOW,HIGH``. Raises UsageError: it is neither."""
    try:
        heights = [int(part) for part in text.split(",")]
    except ValueError:
        heights = []
    low, high = (-HIGHEST, *heights) if len(heights) == 1 else heights if len(heights) == 2 else (0, 0)
    if not -HIGHEST <= low < high <= HIGHEST:
        raise UsageError(f"'{text}' is not a cut: write Y, or LOW,HIGH with LOW below HIGH.")
    return Cut(low, high)


class DrawOptions(msgspec.Struct, frozen=True):
    """The options that ``view``, ``shot`` and ``film`` share; each command adds its own fields."""

    size_px: tuple[int, int] = (1280, 720)  # width and height
    fov_deg: float = 70.0  # vertical field of view
    gamma: float = 1.0  # over 1 brightens dark areas
    flat_light: bool = False  # one light value a face instead of smooth light
    gpu_light: bool = False  # compute shaders make the light, if the context has them, with the same pixels
    # GPU memory for bricks of block ids and light, the rest is not drawn; None: the driver's limit
    gpu_budget_bytes: int | None = None
    overlays: tuple[str, ...] = ()  # names of overlays drawn over the world; in a window, those on at its start
    time: int | None = None  # time of day 0..23999, or None for the server's
    weather: Weather | None = None  # or None for the server's
    packs: tuple[Path, ...] = ()  # resource packs over our textures, later ones over earlier
    cut: Cut | None = None  # heights that are shown; None: all
    shadows: bool = False  # whether solid blocks cast shadows of the sun and the moon
    ortho_blocks: float | None = None  # height of an orthographic picture; None: in perspective

    def extended(self, kind: "type[Drawing]", **more: Any) -> "Drawing":  # Any: each of its fields has its own type
        return kind(**asdict(self), **more)


Drawing = TypeVar("Drawing", bound=DrawOptions)
