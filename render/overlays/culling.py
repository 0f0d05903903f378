"""What a frame drew and why, in plain arrays: facts of the overlays ``verdict``, ``graph``, ``merge`` and ``mirror``.

The culling camera is the frame's own, or the one that is frozen (``Look.frozen``) while the eye flies on.
"""

from collections.abc import Hashable
from enum import IntEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.space.layout import SubChunkPositions
from render.mesh.quads import Words

Flags = npt.NDArray[np.bool_]


class Verdict(IntEnum):
    """Why a render cell is on the screen, or is not: the first that holds, from the last one up."""

    DRAWN = 0  # in the frame's list
    FRUSTUM = 1  # reached by the walk, and outside of the frustum
    OCCLUDED = 2  # has something to show, and the walk did not come there
    EMPTY = 3  # nothing to draw in it
    NO_ROOM = 4  # the GPU has no room for the light of its faces
    NOT_MESHED = 5  # its first mesh is wanted, is being made, waits for its turn, or failed
    PLACEHOLDER = 6  # nothing is known of it, but maybe that half of it is air
    TOO_FAR = 7  # of a column that is known, and too far from all anchors to be on the GPU


@frozen(eq=False)
class Cells:
    """Render cells of all known columns.

    Attributes:
        positions: int32[m, 3].
        resident: bool[m] whose column is on the GPU.
        missing: bool[m] of which some sub-chunk is not known, and none that is holds anything but air.
        meshed: bool[m] that have a mesh, an empty one too.
        filled: bool[m] that have quads on the GPU.
        lit: bool[m] whose faces' light has room.
        listed: bool[m] in the list of what the culling eye may see, whichever way it looks.
        drawn: bool[m] of these, inside its frustum.
    """

    positions: npt.NDArray[np.int32]
    resident: Flags
    missing: Flags
    meshed: Flags
    filled: Flags
    lit: Flags
    listed: Flags
    drawn: Flags

    def verdicts(self) -> npt.NDArray[np.uint8]:
        """uint8[m] Verdict of each."""
        verdicts = np.full(len(self.positions), Verdict.OCCLUDED, np.uint8)
        verdicts[self.listed] = Verdict.FRUSTUM
        verdicts[self.drawn] = Verdict.DRAWN
        verdicts[~self.lit & ~self.drawn] = Verdict.NO_ROOM
        verdicts[~self.filled] = Verdict.EMPTY
        verdicts[~self.meshed] = Verdict.NOT_MESHED
        verdicts[self.missing & ~self.filled] = Verdict.PLACEHOLDER
        verdicts[~self.resident] = Verdict.TOO_FAR
        return verdicts


@frozen(eq=False)
class Links:
    """Sub-chunks around the culling eye, and how sight goes through them.

    Attributes:
        positions: int32[k, 3] by x, z, y.
        reached: bool[k] by the walk.
        missing: bool[k] placeholders: reached, they are asked for, and never passed.
        links: uint64[k] bit ``from * 8 + to``: which face sees which.
        beside: int32[k, 6] number of the sub-chunk beside each side, -1 where it is none of these.
    """

    positions: SubChunkPositions
    reached: Flags
    missing: Flags
    links: npt.NDArray[np.uint64]
    beside: npt.NDArray[np.int32]


@frozen(eq=False)
class Held:
    """How the GPU's copy of the block ids compares with the store.

    Attributes:
        bricks: resident sub-chunks that are there block by block.
        uniform: of one block, which are an entry.
        left_out: without room.
        waiting: not there yet, or older than the store's.
        differing: int32[k, 3] blocks around the eye of which the copy, read back, has another.
    """

    bricks: int
    uniform: int
    left_out: int
    waiting: int
    differing: npt.NDArray[np.int32]


class FrameFacts(Protocol):
    """One frame; each is worked out when it is asked for."""

    @property
    def version(self) -> Hashable:
        """Another one whenever the culling camera, or what it lists, is another."""
        ...

    @property
    def cells(self) -> Cells:
        """Render cells and what culling did with them."""
        ...

    @property
    def links(self) -> Links:
        """Sight around the culling eye."""
        ...

    @property
    def solid_quads(self) -> tuple[tuple[npt.NDArray[np.int32], Words], ...]:
        """Render cells around the eye, read back: position int32[3], and opaque and cut-out quads uint32[n, 2]."""
        ...

    @property
    def held(self) -> Held:
        """The GPU's copy of the blocks, read back around the eye."""
        ...
