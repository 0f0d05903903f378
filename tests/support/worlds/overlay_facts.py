"""Facts for overlays that tests set: by default unknown sub-chunks."""

from collections.abc import Hashable
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.entities import EntityTracks
from client.session.request_log import RequestLog
from net.arrays import Places, SubChunkPositions
from render.mesh.vertex_format import Words
from render.overlays.facts import BrickFacts, CellFacts, FrameFacts, Links, SeamSides, Vector

NO_CELLS = np.zeros((0, 3), np.int32)
NONE = np.zeros(0, np.bool_)
NO_SEAMS = SeamSides(np.zeros((0, 3), np.int32), np.zeros(0, np.uint8), np.zeros(0, np.uint8))


class GivenFrame(msgspec.Struct, frozen=True):
    """A ``render.overlays.facts.FrameFacts``, empty except for what a test gives."""

    cells: CellFacts = msgspec.field(default_factory=lambda: CellFacts(NO_CELLS, *(NONE,) * 7))
    links: Links = msgspec.field(
        default_factory=lambda: Links(NO_CELLS, NONE, NONE, np.zeros(0, np.uint64), np.zeros((0, 6), np.int32))
    )
    solid_quads: tuple[tuple[npt.NDArray[np.int32], Words], ...] = ()
    held: BrickFacts = msgspec.field(default_factory=lambda: BrickFacts(0, 0, 0, 0, NO_CELLS))
    version: Hashable = 0


class GivenFacts(msgspec.Struct, frozen=True):
    """A ``render.overlays.facts.OverlayFacts``."""

    places: Places
    positions: SubChunkPositions
    states: npt.NDArray[np.uint8]
    stale: npt.NDArray[np.bool_]
    failed: npt.NDArray[np.bool_]
    unmeshed: npt.NDArray[np.bool_]
    unlit: npt.NDArray[np.bool_]
    unknown: npt.NDArray[np.bool_]
    unsent: npt.NDArray[np.int32] = msgspec.field(default_factory=lambda: np.zeros((0, 2), np.int32))
    trail: RequestLog | None = None
    tracks: EntityTracks | None = None
    seams: SeamSides = NO_SEAMS
    eye: Vector = (0.0, 0.0, 0.0)
    columns: npt.NDArray[np.int32] = msgspec.field(default_factory=lambda: np.zeros((0, 2), np.int32))
    floor_section: int = -4
    roof_blocks: int = 320
    second_layer: Any = None
    unknown_ids: Any = None
    drawn_s: Any = None
    meshes: Any = None
    ground: Any = None
    against: Any = None
    found: Any = None
    version: Hashable = 0
    frame: FrameFacts = msgspec.field(default_factory=GivenFrame)

    def but(self, **changed: Any) -> "GivenFacts":
        """The same facts with some replaced."""
        return replace(self, **changed)


def given_facts(positions: Any, states: Any = 0) -> GivenFacts:
    """Facts of sub-chunks; ``states``: one state for each, or one for all."""
    at = np.asarray(positions, np.int32).reshape(-1, 3)
    many = len(at)
    none = np.zeros(many, np.bool_)
    places = np.arange(24, 24 + many, dtype=np.int32)
    return GivenFacts(places, at, np.full(many, states, np.uint8), none, none, none, none, none)


def given_trail(many: int, now_s: float = 10.0, **said: Any) -> RequestLog:
    """A request log in which nothing has happened except what is given."""
    never = np.full(many, np.nan)
    facts: dict[str, Any] = {
        "now_s": now_s,
        "player": (0.0, 0.0, 0.0),
        "asked_s": never,
        "asked": np.zeros(many, np.uint16),
        "waves": np.zeros(many, np.int32),
        "awaited": np.zeros(many, np.bool_),
        "late": np.zeros(many, np.bool_),
        "answered_s": never,
        "codes": np.full(many, -1, np.int16),
        "needs": never.astype(np.float32),
        "height_kinds": np.zeros(many, np.uint8),
        "height_verdicts": np.zeros(many, np.uint8),
        "limits": np.full(many, -1, np.int32),
        "widths": np.zeros(many, np.uint8),
        "palettes": np.zeros(many, np.uint16),
        "faults": {},
    }
    return RequestLog(**{**facts, **said})
