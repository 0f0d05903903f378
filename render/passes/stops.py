"""What stops particles and drops, by dense id, as ``shaders/include/stops.glsl`` reads it: one byte a block state.

Rules:
1. The low five bits are how high a block stops a body, in sixteenths from its floor: 16 for cubes, of models as high as
   their quads reach, 0 for what bodies pass.
2. ``STOPS_DROPS`` marks liquids: rain ends on them, bodies sink in.

Limit: blocks stop as wide as they are, so a bit may rest beside a fence post in the air of its block.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.mesh.build import MeshTables
from render.mesh.quads import MODEL, MODEL_WORDS, read

STOP_MASK: Final = 31
STOPS_DROPS: Final = 32
WHOLE: Final = 16
FIRST_IDS: Final = 16384
MODEL_CLASS, CUTOUT_CLASS, LIQUID_CLASS, PLACEHOLDER_CLASS = 0, 1, 3, 4
"""Places in ``MeshTables.classes``."""


def defines() -> dict[str, int | str]:
    """The bits, for shaders."""
    return {"STOP_MASK": f"{STOP_MASK}u", "STOPS_DROPS": f"{STOPS_DROPS}u"}


def stop_values(tables: MeshTables, obstructs: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """uint8[n] by dense id.

    Args:
        tables: how blocks look; they say how high models are.
        obstructs: bool[n or more] whether a body cannot pass.
    """
    count, classes = len(tables.looks), tables.classes
    heights = np.full(count, WHOLE, np.uint8)
    models = slice(int(classes[MODEL_CLASS]), int(classes[CUTOUT_CLASS]))
    heights[models] = _model_heights(tables)[models]
    values: npt.NDArray[np.uint8] = np.where(obstructs[:count], heights, 0).astype(np.uint8)
    values[int(classes[LIQUID_CLASS]) : int(classes[PLACEHOLDER_CLASS])] = STOPS_DROPS
    values[0] = 0
    return values


def _model_heights(tables: MeshTables) -> npt.NDArray[np.uint8]:
    """uint8[n] the highest corner of each id's quads in sixteenths; WHOLE without any, or with none above 0."""
    heights = np.full(len(tables.looks), WHOLE, np.uint8)
    first, end = tables.model_rows.T
    some = np.flatnonzero(end > first)
    if len(some):
        words = tables.model_quads.view(np.uint32).reshape(-1, MODEL_WORDS)
        tops = read(MODEL, words, "y") + sum(np.maximum(read(MODEL, words, edge), 0) for edge in ("uy", "vy"))
        starts = np.unique(first[some])  # ids that look alike share their rows, and all rows belong to some
        highest = np.maximum.reduceat(tops, starts)[np.searchsorted(starts, first[some])]
        heights[some] = np.where(highest > 0, np.minimum(highest, WHOLE), WHOLE)
    return heights


class Stops:
    """The table on the GPU. Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Nothing is sent before ``fit``."""
        self._gpu = gpu
        self._buffer: BufferTexture | None = None
        self._tables: MeshTables | None = None

    def fit(self, tables: MeshTables, obstructs: npt.NDArray[np.bool_]) -> None:
        """Takes the tables of now, and binds them; the same tables again are not sent again."""
        if self._buffer is None or self._tables is not tables:
            values = stop_values(tables, obstructs)
            size = max(FIRST_IDS, 1 << (len(values) - 1).bit_length())
            if self._buffer is None:
                self._buffer = BufferTexture(self._gpu, "stops", Unit.STOPS, rawgl.R8UI, size)
            elif size > self._buffer.bytes:
                self._buffer.grow(size)
            padded = np.zeros(self._buffer.bytes, np.uint8)
            padded[: len(values)] = values
            self._buffer.write(padded, 0)
            self._tables = tables
        self._buffer.bind()

    def release(self) -> None:
        """Frees its GL objects."""
        if self._buffer is not None:
            self._buffer.release()
