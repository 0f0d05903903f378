"""What overlays may know: a protocol of plain arrays, so that a test gives them without a scene or a session.

Rules:
1. Arrays are over the sub-chunks of the columns around the look's anchor (``places``, ``positions``), unless they say
   otherwise. Nobody writes to them.
2. What costs something is a property that is worked out when it is asked for: an overlay that is off costs nothing.
3. What happened and when comes from ``client.session.request_log`` alone; render reads nothing inside a session.
   ``trail`` is None where nobody gave one; overlays then say nothing.
4. Time is ``trail.now_s``, the session's own: the same session gives the same picture.
"""

from collections.abc import Hashable, Mapping
from dataclasses import field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.session.request_log import Trail
from net.frozen import frozen
from net.space.layout import ColumnPositions, Places, SubChunkPositions
from render.overlays.culling import FrameFacts

Vector = tuple[float, float, float]


@frozen(eq=False)
class SeamSides:
    """Sub-chunks with sides through which light may still come.

    Attributes:
        positions: int32[m, 3], in the order of ``Facts.positions``.
        hanging: uint8[m] bits 0-5 by side -x, +x, -z, +z, below, above: those that hang on what is missing.
        waiting: uint8[m] the same for those that wait for a light step.
    """

    positions: SubChunkPositions
    hanging: npt.NDArray[np.uint8]
    waiting: npt.NDArray[np.uint8]


@frozen(eq=False)
class Meshes:
    """Render cells of the columns that overlays show: columns by x, then z, each from below.

    Attributes:
        positions: int32[m, 3].
        pictures: uint8[m] a ``render.scene.picture.Picture`` each.
        generations: int64[m] how often something else was shown in it.
        age_s: float64[m] since that was seen to happen the last time; NaN: it has not been seen to.
        quads: int64[m] on the GPU.
        faces: int64[m] blocks' faces and model quads that these stand for.
    """

    positions: npt.NDArray[np.int32]
    pictures: npt.NDArray[np.uint8]
    generations: npt.NDArray[np.int64]
    age_s: npt.NDArray[np.float64]
    quads: npt.NDArray[np.int64]
    faces: npt.NDArray[np.int64]


@frozen(eq=False)
class Ground:
    """The surface of columns of which anything is known.

    Attributes:
        columns: int32[c, 2].
        biomes: uint16[c, 16, 16] by x, then z; UNKNOWN_BIOME where nobody said.
        tops: int32[c, 16, 16] y one above the top block; of the column's highest where it is not known.
        own_names: what the server calls biomes that it numbered itself.
    """

    columns: npt.NDArray[np.int32]
    biomes: npt.NDArray[np.uint16]
    tops: npt.NDArray[np.int32]
    own_names: Mapping[int, str] = field(default_factory=dict)


class Facts(Protocol):
    """One moment of one store."""

    @property
    def version(self) -> Hashable:
        """Another one whenever anything here but the eye and the time is another."""
        ...

    @property
    def places(self) -> Places:
        """int32[n] sub-chunks that overlays show: columns by x, then z, each from the floor up."""
        ...

    @property
    def positions(self) -> SubChunkPositions:
        """int32[n, 3] where they are."""
        ...

    @property
    def states(self) -> npt.NDArray[np.uint8]:
        """uint8[n] Knowledge."""
        ...

    @property
    def stale(self) -> npt.NDArray[np.bool_]:
        """bool[n] whose column the server does not keep up to date."""
        ...

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """bool[n] whose render cell could not be meshed."""
        ...

    @property
    def unmeshed(self) -> npt.NDArray[np.bool_]:
        """bool[n] whose render cell shows nothing yet, since its first mesh is wanted or being made."""
        ...

    @property
    def unlit(self) -> npt.NDArray[np.bool_]:
        """bool[n] of columns whose light is not made, or not as their blocks are now, or of cells without room for it.

        Room is the GPU's, for all the light that falls on a render cell, which is not drawn then.
        """
        ...

    @property
    def unsent(self) -> ColumnPositions:
        """int32[m, 2] columns around the anchor that the server left out amid those that it announced."""
        ...

    @property
    def seams(self) -> SeamSides:
        """Where light may still come."""
        ...

    @property
    def columns(self) -> ColumnPositions:
        """int32[c, 2] the columns of all these, by x, then z."""
        ...

    @property
    def floor_section(self) -> int:
        """Absolute y of the dimension's lowest sub-chunk."""
        ...

    @property
    def roof_blocks(self) -> int:
        """One above the dimension's highest block."""
        ...

    @property
    def second_layer(self) -> npt.NDArray[np.bool_]:
        """bool[n] which have a second layer that is not all air."""
        ...

    @property
    def unknown_ids(self) -> npt.NDArray[np.int64]:
        """int64[n] how many different ids that no palette knows each shows in its first layer."""
        ...

    @property
    def drawn_s(self) -> npt.NDArray[np.float64]:
        """float64[n] when each was first seen drawn, in the trail's seconds; NaN: nobody saw it."""
        ...

    @property
    def meshes(self) -> Meshes:
        """Render cells and what they cost."""
        ...

    @property
    def ground(self) -> Ground:
        """Surface and biomes."""
        ...

    @property
    def eye(self) -> Vector:
        """The camera's eye in blocks."""
        ...

    @property
    def trail(self) -> Trail | None:
        """What was asked and answered of them; arrays by the same n."""
        ...

    @property
    def frame(self) -> FrameFacts:
        """What the frame drew, and why."""
        ...
