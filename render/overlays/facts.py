"""The input of overlays: a protocol of plain arrays, so that tests need no scene or session.

Rules:
1. Arrays are over the sub-chunks of the columns around the view's anchor (``places``, ``positions``), unless stated
   otherwise. They are read-only.
2. Expensive values are properties, calculated when they are read: an overlay that is off costs nothing.
3. Events and their times come only from ``client.session.request_log``, in ``trail.now_s``, the session's own time.
   ``trail`` is None if there is no log; overlays then show nothing.
4. The culling camera is the frame's own, or the frozen one (``FrameSettings.frozen``) while the eye flies on.
"""

from collections.abc import Hashable, Mapping
from enum import IntEnum
from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from client.entities import EntityTracks
from client.report.diff import AgainstFacts
from client.report.find import FoundBlocks
from client.session.request_log import RequestLog
from net.arrays import ColumnPositions, Places, SubChunkPositions
from render.mesh.vertex_format import Words

# ---------------------------------------------------------------- culling

Flags = npt.NDArray[np.bool_]


class CellVerdict(IntEnum):
    """Why a render cell is on the screen, or is not: the first that applies, from the last one up."""

    DRAWN = 0  # in the frame's list
    FRUSTUM = 1  # reached by the walk, and outside of the frustum
    OCCLUDED = 2  # has something to draw, but the walk did not reach it
    EMPTY = 3  # nothing to draw
    NO_SPACE = 4  # the GPU has no memory for the light of its faces
    NOT_MESHED = 5  # its first mesh is missing, in progress, waiting, or failed
    PLACEHOLDER = 6  # none of it is known, except that half of it may be air
    TOO_FAR = 7  # of a known column that is too far from all anchors to be on the GPU


class CellFacts(msgspec.Struct, frozen=True, eq=False):
    """Render cells of all known columns."""

    positions: npt.NDArray[np.int32]  # int32[m, 3]
    resident: Flags  # bool[m] column on the GPU
    missing: Flags  # bool[m] some sub-chunk is unknown, and the known ones are air
    meshed: Flags  # bool[m] has a mesh, possibly empty
    filled: Flags  # bool[m] has quads on the GPU
    lit: Flags  # bool[m] light of its faces has memory
    listed: Flags  # bool[m] in the list of cells visible from the culling eye in any direction
    drawn: Flags  # bool[m] of these, inside its frustum

    def verdicts(self) -> npt.NDArray[np.uint8]:
        """uint8[m] Verdict of each."""
        verdicts = np.full(len(self.positions), CellVerdict.OCCLUDED, np.uint8)
        verdicts[self.listed] = CellVerdict.FRUSTUM
        verdicts[self.drawn] = CellVerdict.DRAWN
        verdicts[~self.lit & ~self.drawn] = CellVerdict.NO_SPACE
        verdicts[~self.filled] = CellVerdict.EMPTY
        verdicts[~self.meshed] = CellVerdict.NOT_MESHED
        verdicts[self.missing & ~self.filled] = CellVerdict.PLACEHOLDER
        verdicts[~self.resident] = CellVerdict.TOO_FAR
        return verdicts


class Links(msgspec.Struct, frozen=True, eq=False):
    """Sub-chunks around the culling eye, and the connections of their faces."""

    positions: SubChunkPositions  # int32[k, 3] by x, z, y
    reached: Flags  # bool[k] by the walk
    missing: Flags  # bool[k] placeholders: they are requested when reached, and never passed
    links: npt.NDArray[np.uint64]  # uint64[k] bit ``from * 8 + to``: connected faces
    beside: npt.NDArray[np.int32]  # int32[k, 6] index of the neighbour on each side, -1 if it is not among these


class BrickFacts(msgspec.Struct, frozen=True, eq=False):
    """How the GPU's copy of the block ids compares with the store."""

    bricks: int  # resident sub-chunks stored block by block
    uniform: int  # sub-chunks of one block, stored as an entry
    left_out: int  # without memory
    waiting: int  # not uploaded yet, or older than the store's
    differing: npt.NDArray[np.int32]  # int32[k, 3] blocks around the eye whose copy, read back, differs


class FrameFacts(Protocol):
    """One frame; each value is calculated when it is read."""

    @property
    def version(self) -> Hashable:
        """Changes whenever the culling camera, or its list, changes."""

    @property
    def cells(self) -> CellFacts:
        """Render cells and their culling results."""

    @property
    def links(self) -> Links:
        """Connections of sub-chunks around the culling eye."""

    @property
    def solid_quads(self) -> tuple[tuple[npt.NDArray[np.int32], Words], ...]:
        """Render cells around the eye, read back: position int32[3], and opaque and cut-out quads uint32[n, 2]."""

    @property
    def held(self) -> BrickFacts:
        """The GPU's copy of the blocks, read back around the eye."""


# ---------------------------------------------------------------- facts

Vector = tuple[float, float, float]


class SeamSides(msgspec.Struct, frozen=True, eq=False):
    """Sub-chunks with sides through which light is incomplete."""

    positions: SubChunkPositions  # int32[m, 3], in the order of ``OverlayFacts.positions``
    # uint8[m] bits 0-5 by side -x, +x, -z, +z, below, above: those that depend on missing sub-chunks
    hanging: npt.NDArray[np.uint8]
    waiting: npt.NDArray[np.uint8]  # uint8[m] the same for sides that wait for a light step


class Meshes(msgspec.Struct, frozen=True, eq=False):
    """Render cells of the shown columns: columns by x, then z, each from below."""

    positions: npt.NDArray[np.int32]  # int32[m, 3]
    pictures: npt.NDArray[np.uint8]  # uint8[m] a ``render.scene.cells.CellState`` each
    generations: npt.NDArray[np.int64]  # int64[m] how often its content changed
    # float64[m] time since the last observed change; NaN: none observed
    age_s: npt.NDArray[np.float64]
    quads: npt.NDArray[np.int64]  # int64[m] on the GPU
    faces: npt.NDArray[np.int64]  # int64[m] blocks' faces and model quads that these represent


class SurfaceFacts(msgspec.Struct, frozen=True, eq=False):
    """The surface of columns of which any part is known."""

    columns: npt.NDArray[np.int32]  # int32[c, 2]
    biomes: npt.NDArray[np.uint16]  # uint16[c, 16, 16] by x, then z; UNKNOWN_BIOME for unknown ones
    # int32[c, 16, 16] y one above the top block; if it is unknown, that of the column's highest
    tops: npt.NDArray[np.int32]
    own_names: Mapping[int, str] = {}  # the server's names of its own biome numbers


class OverlayFacts(Protocol):
    """The state of one store at one time."""

    @property
    def version(self) -> Hashable:
        """Changes whenever anything here except eye and time changes."""

    @property
    def places(self) -> Places:
        """int32[n] shown sub-chunks: columns by x, then z, each from the floor up."""

    @property
    def positions(self) -> SubChunkPositions:
        """int32[n, 3] their positions."""

    @property
    def states(self) -> npt.NDArray[np.uint8]:
        """uint8[n] SubChunkState."""

    @property
    def stale(self) -> npt.NDArray[np.bool_]:
        """bool[n] the server does not update the column."""

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """bool[n] the render cell could not be meshed."""

    @property
    def unmeshed(self) -> npt.NDArray[np.bool_]:
        """bool[n] the render cell has no mesh yet: its first one is missing or in progress."""

    @property
    def unlit(self) -> npt.NDArray[np.bool_]:
        """bool[n] without light for the present blocks, or in cells whose light has no memory on the GPU."""

    @property
    def unsent(self) -> ColumnPositions:
        """int32[m, 2] columns around the anchor that the server omitted among announced ones."""

    @property
    def seams(self) -> SeamSides:
        """Sides with incomplete light."""

    @property
    def columns(self) -> ColumnPositions:
        """int32[c, 2] the columns of all these, by x, then z."""

    @property
    def floor_section(self) -> int:
        """Absolute y of the dimension's lowest sub-chunk."""

    @property
    def roof_blocks(self) -> int:
        """One above the dimension's highest block."""

    @property
    def second_layer(self) -> npt.NDArray[np.bool_]:
        """bool[n] has a second layer that is not all air."""

    @property
    def unknown(self) -> npt.NDArray[np.bool_]:
        """bool[n] has blocks whose ids are not in the palette."""

    @property
    def unknown_ids(self) -> npt.NDArray[np.int64]:
        """int64[n] number of different ids in the first layer that no palette has."""

    @property
    def drawn_s(self) -> npt.NDArray[np.float64]:
        """float64[n] time when each was first seen drawn, in the trail's seconds; NaN: never."""

    @property
    def meshes(self) -> Meshes:
        """Render cells and their costs."""

    @property
    def ground(self) -> SurfaceFacts:
        """Surface and biomes."""

    @property
    def eye(self) -> Vector:
        """The camera's eye in blocks."""

    @property
    def trail(self) -> RequestLog | None:
        """The log of requests and answers; arrays by the same n."""

    @property
    def tracks(self) -> EntityTracks | None:
        """Entities and their past positions; None without them."""

    @property
    def against(self) -> AgainstFacts | None:
        """Differences from another world; None without another world."""

    @property
    def found(self) -> FoundBlocks | None:
        """The blocks of the last search; None without a search."""

    @property
    def frame(self) -> FrameFacts:
        """The frame's draw results and their reasons."""
