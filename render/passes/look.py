"""What a frame shows besides the view and the world. Frozen; everything that moves follows from it."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.request_log import Trail
from client.session.weather import CLEAR, Weather
from net.frozen import frozen
from net.space.layout import ColumnPositions, Places
from net.space.positions import ColumnPos
from render.camera import Camera

STRUCK_FIELDS: Final = ("x", "y", "z", "what", "age_ms", "seed", "block")
Struck = npt.NDArray[np.int32]
"""[n, 7] as ``STRUCK_FIELDS``: a block that broke or was hit; what as in ``particles``, block a dense id."""


@frozen
class Look:
    """How a frame looks.

    Attributes:
        time_ticks: ticks since a sunrise under a full moon; of a day 6000 is noon, the eighth is like the first.
        weather: rain, snow where it is cold, and thunder; a dimension without a sky has none.
        seconds: what moves (rain, clouds, waves) is where it is after so long.
        session_s: the session's own time, where that is another (a film): overlays tell of it when things were drawn.
        gamma: over 1 lifts what is dark, under 1 deepens it; 1 leaves colours as they are.
        cracks: int32[n, 4] blocks that somebody breaks: x, y, z and how far in tenths, 0..9; None: none.
        struck: blocks that broke or were hit of late (``scene.bursts.struck``); None: none.
        overlays: names of overlays (``render.settings.overlays``).
        anchor: column whose surroundings the overlays show; None for all columns there are.
        anchor_radius_columns: how far around it.
        stale: bool[rows] columns that the overlay marks as not kept up to date (``Session.stale``); None: none.
        unsent: tells which columns the server left out (``Session.unsent``); None: nobody knows.
        trail: tells what was asked and answered of places (``Session.trail``); None: nobody knows.
        biome_names: what the server calls its own biomes (``Session.biome_names``).
        marks_every_s: how long overlays may show what was so a little earlier, in ``seconds``; 0: never.
        frozen: draws what this camera would, from wherever the frame's own looks; None: what the frame's own sees.
    """

    time_ticks: float = 6000.0
    weather: Weather = CLEAR
    seconds: float = 0.0
    session_s: float | None = None
    gamma: float = 1.0
    cracks: npt.NDArray[np.int32] | None = None
    struck: Struck | None = None
    overlays: frozenset[str] = frozenset()
    anchor: ColumnPos | None = None
    anchor_radius_columns: int = 8
    stale: npt.NDArray[np.bool_] | None = None
    unsent: Callable[[], ColumnPositions] | None = None
    trail: Callable[[Places], Trail] | None = None
    biome_names: Mapping[int, str] = field(default_factory=dict)
    marks_every_s: float = 0.0
    frozen: Camera | None = None

    @property
    def seen_s(self) -> float:
        """When this frame is seen, in the session's time."""
        return self.seconds if self.session_s is None else self.session_s
