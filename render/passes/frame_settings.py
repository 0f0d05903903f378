"""What a frame shows, and how: sky, weather, entities, overlays, cut, and the options of the picture."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from client.entities import EntityPicture, EntityTracks
from client.report.diff import AgainstFacts
from client.report.find import FoundBlocks
from client.session.request_log import RequestLog
from client.weather import CLEAR, Weather
from net.arrays import I32, Bools, ColumnPositions, Places, SubChunkPositions
from net.space import ColumnPos
from render.camera import Camera
from render.draw_options import Cut

STRUCK_FIELDS: Final = ("x", "y", "z", "what", "age_ms", "seed", "block")
Struck = I32
"""[n, 7] as ``STRUCK_FIELDS``: a block that broke or was hit; ``what`` as in ``particles``, ``block`` a dense id."""


class FrameSettings(msgspec.Struct, frozen=True):
    """What a frame shows, and how."""

    # ticks since a sunrise under a full moon; of a day 6000 is noon, the eighth is like the first
    time_ticks: float = 6000.0
    weather: Weather = CLEAR  # rain, snow where it is cold, and thunder; a dimension without a sky has none
    fogs: tuple[str, ...] = ()  # identifiers of the fogs that the server set, the uppermost last
    seconds: float = 0.0  # animations (rain, clouds, waves) are shown at this time
    # the session's own time if it differs (a film): overlays compare it with the times of events
    session_s: float | None = None
    gamma: float = 1.0  # over 1 lightens dark colours, under 1 darkens them; 1 leaves colours as they are
    cracks: I32 | None = None  # int32[n, 4] blocks that players break: x, y, z and progress in tenths, 0..9; None: none
    # blocks that broke or were hit recently (``render.scene.frame.particles.struck``); None: none
    struck: Struck | None = None
    entities: EntityPicture | None = None  # the entities (``Entities.picture``); None: none are drawn
    now_us: int = 0  # the session's clock, for positions of entities between two moves
    overlays: frozenset[str] = frozenset()  # names of overlays (``render.settings.overlays``)
    # legend rows whose boxes are not drawn: pairs of an overlay and the label of one of its rows
    hidden_rows: frozenset[tuple[str, str]] = frozenset()
    anchor: ColumnPos | None = None  # column whose surroundings the overlays show; None: all columns
    anchor_radius_columns: int = 8  # how far around it
    stale: Bools | None = None  # bool[rows] columns that the overlay marks as stale (``StaleColumns.rows``); None: none
    # returns the columns that the server left out (``Session.unsent``); None: unknown
    unsent: Callable[[], ColumnPositions] | None = None
    # returns the log of requests and answers at places (``Session.trail``); None: unknown
    trail: Callable[[Places], RequestLog] | None = None
    # returns where entities are and were (``Session.tracks``); None: unknown
    tracks: Callable[[], EntityTracks] | None = None
    # returns how blocks of places differ from another world's (``Against.facts``); None: there is no other world
    against: Callable[[Places, SubChunkPositions], AgainstFacts | None] | None = None
    found: FoundBlocks | None = None  # results of a block search, which the overlay of that name marks
    biome_names: Mapping[int, str] = {}  # names of the server's own biomes (``Session.biome_names``)
    marks_every_s: float = 0.0  # maximum age of what overlays show, in ``seconds``; 0: always computed anew
    cut: Cut | None = None  # heights that are shown; None: all
    shadows: bool = False  # whether solid things cast shadows of the sun and the moon
    # draws what this camera would draw, from the frame's own position; None: what the frame's own camera sees
    frozen: Camera | None = None

    @property
    def seen_s(self) -> float:
        """The time that this frame shows, in the session's time."""
        return self.seconds if self.session_s is None else self.session_s
