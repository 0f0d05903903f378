"""What overlays may know: a protocol of plain arrays, so that a test gives them without a scene or a session.

Rules:
1. Arrays are over the sub-chunks of the columns around the look's anchor (``places``, ``positions``), unless they say
   otherwise. Nobody writes to them.
2. What costs something is a property that is worked out when it is asked for: an overlay that is off costs nothing.
3. What happened and when comes from ``client.session.request_log`` alone, in ``trail.now_s``, the session's own time.
   ``trail`` is None where nobody gave one; overlays then say nothing.
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
from net.space import ColumnPositions, Places, SubChunkPositions
from render.mesh.vertex_format import Words

# ---------------------------------------------------------------- culling

Flags = npt.NDArray[np.bool_]


class CellVerdict(IntEnum):
    """Why a render cell is on the screen, or is not: the first that holds, from the last one up."""

    DRAWN = 0  # in the frame's list
    FRUSTUM = 1  # reached by the walk, and outside of the frustum
    OCCLUDED = 2  # has something to show, and the walk did not come there
    EMPTY = 3  # nothing to draw in it
    NO_SPACE = 4  # the GPU has no room for the light of its faces
    NOT_MESHED = 5  # its first mesh is wanted, is being made, waits for its turn, or failed
    PLACEHOLDER = 6  # nothing is known of it, but maybe that half of it is air
    TOO_FAR = 7  # of a column that is known, and too far from all anchors to be on the GPU


class CellFacts(msgspec.Struct, frozen=True, eq=False):
    """Render cells of all known columns."""

    positions: npt.NDArray[np.int32]  # int32[m, 3]
    resident: Flags  # bool[m] whose column is on the GPU
    missing: Flags  # bool[m] of which some sub-chunk is not known, and none that is holds anything but air
    meshed: Flags  # bool[m] that have a mesh, an empty one too
    filled: Flags  # bool[m] that have quads on the GPU
    lit: Flags  # bool[m] whose faces' light has room
    listed: Flags  # bool[m] in the list of what the culling eye may see, whichever way it looks
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
    """Sub-chunks around the culling eye, and how sight goes through them."""

    positions: SubChunkPositions  # int32[k, 3] by x, z, y
    reached: Flags  # bool[k] by the walk
    missing: Flags  # bool[k] placeholders: reached, they are asked for, and never passed
    links: npt.NDArray[np.uint64]  # uint64[k] bit ``from * 8 + to``: which face sees which
    beside: npt.NDArray[np.int32]  # int32[k, 6] number of the sub-chunk beside each side, -1 where it is none of these


class BrickFacts(msgspec.Struct, frozen=True, eq=False):
    """How the GPU's copy of the block ids compares with the store."""

    bricks: int  # resident sub-chunks that are there block by block
    uniform: int  # of one block, which are an entry
    left_out: int  # without room
    waiting: int  # not there yet, or older than the store's
    differing: npt.NDArray[np.int32]  # int32[k, 3] blocks around the eye of which the copy, read back, has another


class FrameFacts(Protocol):
    """One frame; each is worked out when it is asked for."""

    @property
    def version(self) -> Hashable:
        """Another one whenever the culling camera, or what it lists, is another."""

    @property
    def cells(self) -> CellFacts:
        """Render cells and what culling did with them."""

    @property
    def links(self) -> Links:
        """Sight around the culling eye."""

    @property
    def solid_quads(self) -> tuple[tuple[npt.NDArray[np.int32], Words], ...]:
        """Render cells around the eye, read back: position int32[3], and opaque and cut-out quads uint32[n, 2]."""

    @property
    def held(self) -> BrickFacts:
        """The GPU's copy of the blocks, read back around the eye."""


# ---------------------------------------------------------------- facts

Vector = tuple[float, float, float]


class SeamSides(msgspec.Struct, frozen=True, eq=False):
    """Sub-chunks with sides through which light may still come."""

    positions: SubChunkPositions  # int32[m, 3], in the order of ``OverlayFacts.positions``
    # uint8[m] bits 0-5 by side -x, +x, -z, +z, below, above: those that hang on what is missing
    hanging: npt.NDArray[np.uint8]
    waiting: npt.NDArray[np.uint8]  # uint8[m] the same for those that wait for a light step


class Meshes(msgspec.Struct, frozen=True, eq=False):
    """Render cells of the columns that overlays show: columns by x, then z, each from below."""

    positions: npt.NDArray[np.int32]  # int32[m, 3]
    pictures: npt.NDArray[np.uint8]  # uint8[m] a ``render.scene.cells.CellState`` each
    generations: npt.NDArray[np.int64]  # int64[m] how often something else was shown in it
    # float64[m] since that was seen to happen the last time; NaN: it has not been seen to
    age_s: npt.NDArray[np.float64]
    quads: npt.NDArray[np.int64]  # int64[m] on the GPU
    faces: npt.NDArray[np.int64]  # int64[m] blocks' faces and model quads that these stand for


class SurfaceFacts(msgspec.Struct, frozen=True, eq=False):
    """The surface of columns of which anything is known."""

    columns: npt.NDArray[np.int32]  # int32[c, 2]
    biomes: npt.NDArray[np.uint16]  # uint16[c, 16, 16] by x, then z; UNKNOWN_BIOME where nobody said
    # int32[c, 16, 16] y one above the top block; of the column's highest where it is not known
    tops: npt.NDArray[np.int32]
    own_names: Mapping[int, str] = {}  # what the server calls biomes that it numbered itself


class OverlayFacts(Protocol):
    """One moment of one store."""

    @property
    def version(self) -> Hashable:
        """Another one whenever anything here but the eye and the time is another."""

    @property
    def places(self) -> Places:
        """int32[n] sub-chunks that overlays show: columns by x, then z, each from the floor up."""

    @property
    def positions(self) -> SubChunkPositions:
        """int32[n, 3] where they are."""

    @property
    def states(self) -> npt.NDArray[np.uint8]:
        """uint8[n] SubChunkState."""

    @property
    def stale(self) -> npt.NDArray[np.bool_]:
        """bool[n] whose column the server does not keep up to date."""

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """bool[n] whose render cell could not be meshed."""

    @property
    def unmeshed(self) -> npt.NDArray[np.bool_]:
        """bool[n] whose render cell shows nothing yet, since its first mesh is wanted or being made."""

    @property
    def unlit(self) -> npt.NDArray[np.bool_]:
        """bool[n] without light as their blocks are now, or of cells for all of whose light the GPU has no room."""

    @property
    def unsent(self) -> ColumnPositions:
        """int32[m, 2] columns around the anchor that the server left out amid those that it announced."""

    @property
    def seams(self) -> SeamSides:
        """Where light may still come."""

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
        """bool[n] which have a second layer that is not all air."""

    @property
    def unknown_ids(self) -> npt.NDArray[np.int64]:
        """int64[n] how many different ids that no palette knows each shows in its first layer."""

    @property
    def drawn_s(self) -> npt.NDArray[np.float64]:
        """float64[n] when each was first seen drawn, in the trail's seconds; NaN: nobody saw it."""

    @property
    def meshes(self) -> Meshes:
        """Render cells and what they cost."""

    @property
    def ground(self) -> SurfaceFacts:
        """Surface and biomes."""

    @property
    def eye(self) -> Vector:
        """The camera's eye in blocks."""

    @property
    def trail(self) -> RequestLog | None:
        """What was asked and answered of them; arrays by the same n."""

    @property
    def tracks(self) -> EntityTracks | None:
        """Entities and where they were; None where nobody tells."""

    @property
    def against(self) -> AgainstFacts | None:
        """How their blocks differ from those of another world; None where none is held against this one."""

    @property
    def found(self) -> FoundBlocks | None:
        """The blocks that somebody looked for; None where nobody did."""

    @property
    def frame(self) -> FrameFacts:
        """What the frame drew, and why."""
