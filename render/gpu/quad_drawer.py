"""Runs of quads out of the arena, many in one call.

Theory. The index pattern of cube quads steps by 4 vertices a quad, that of model quads by 12, which is all that differs
between them; a run begins where its base vertex says. Two ways say so to the driver, with the same pixels:

    plain      glMultiDrawElementsBaseVertex (GL 3.2) with arrays in our memory
    indirect   glMultiDrawElementsIndirect (GL 4.3) with commands in a buffer, sent when others are loaded

Rules:
1. ``load`` sends what is drawn, ``draw_loaded`` draws it, whole or in part, as often as wanted: a frame like the last
   one sends nothing.
2. Runs are drawn in the order given.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.gpu.device import Gpu

CUBE_STEP: Final = 4
MODEL_STEP: Final = 12
COMMAND_WORDS: Final = 5
"""Indices, instances, first index, base vertex, first instance: int32 each, as the driver reads them."""
CORNERS: Final = np.array((0, 1, 2, 0, 2, 3), np.uint32)
"""Of a quad's two triangles; vertex = first unit of the quad * 4 + corner."""

Vector32 = npt.NDArray[np.int32]


class QuadDrawer:
    """Draws runs of one quad format with one program."""

    def __init__(self, gpu: Gpu, program: Any, step: int, indirect: bool = False, longest_quads: int = 4096) -> None:
        """Makes the index pattern.

        Args:
            gpu: the context.
            program: reads units by ``gl_VertexID``.
            step: vertices from one quad to the next, ``CUBE_STEP`` or ``MODEL_STEP``.
            indirect: whether commands lie in a buffer; where ``capabilities.draws_indirect``.
            longest_quads: quads one draw can have at first; grows.
        """
        self._gpu = gpu
        self._program = program
        self._step = step
        self._indirect = indirect
        self._longest = 0
        self._indices: Any = None
        self._array: Any = None
        self._reserve(longest_quads)
        self._loaded = 0
        self._counts = self._bases = np.zeros(0, np.int32)
        self._offsets = np.zeros(0, np.uint64)
        self._room = 0
        self._commands: Any = None

    def draw(self, first_units: npt.NDArray[np.integer], quads: npt.NDArray[np.integer]) -> None:
        """Loads and draws; zeros are left out.

        Args:
            first_units: [n] unit where each run begins.
            quads: [n] quads of each.
        """
        some = quads > 0
        self.load(first_units[some], quads[some])
        self.draw_loaded()

    def load(self, first_units: npt.NDArray[np.integer], quads: npt.NDArray[np.integer]) -> None:
        """Takes runs in place of those before.

        Args:
            first_units: [n] unit where each run begins.
            quads: [n] quads of each, more than 0.
        """
        self._loaded = len(quads)
        if not self._loaded:
            return
        self._reserve(int(quads.max()))
        self._counts = (quads * 6).astype(np.int32)
        self._bases = (first_units * 4).astype(np.int32)
        if self._indirect:
            self._send()
        elif len(self._offsets) < self._loaded:
            self._offsets = np.zeros(self._loaded, np.uint64)

    def draw_loaded(self, first: int = 0, count: int | None = None) -> None:
        """One multi-draw.

        Args:
            first: run to begin with.
            count: how many; all that follow unless given.
        """
        count = self._loaded - first if count is None else count
        if count <= 0:
            return
        if self._indirect:
            self._array.render_indirect(self._commands, count=count, first=first)
            return
        self._gpu.raw.multi_draw(
            self._program.glo,
            self._array.glo,
            self._counts.ctypes.data + 4 * first,
            self._offsets.ctypes.data,
            self._bases.ctypes.data + 4 * first,
            count,
        )

    def release(self) -> None:
        """Frees its buffers and the vertex array."""
        self._array.release()
        self._indices.release()
        if self._commands is not None:
            self._commands.release()

    def _send(self) -> None:
        commands = np.zeros((self._loaded, COMMAND_WORDS), np.int32)
        commands[:, 0] = self._counts
        commands[:, 1] = 1
        commands[:, 3] = self._bases
        if self._loaded > self._room:
            if self._commands is not None:
                self._commands.release()
            self._room = 1 << (self._loaded - 1).bit_length()
            self._commands = self._gpu.ctx.buffer(reserve=self._room * commands.itemsize * COMMAND_WORDS, dynamic=True)
            self._commands.label = "draw commands"
        else:
            self._commands.orphan()
        self._commands.write(commands)

    def _reserve(self, quads: int) -> None:
        if quads <= self._longest:
            return
        if self._array is not None:
            self._array.release()
            self._indices.release()
        self._longest = 1 << (quads - 1).bit_length()
        starts = np.arange(self._longest, dtype=np.uint32)[:, None] * np.uint32(self._step)
        self._indices = self._gpu.ctx.buffer(starts + CORNERS)
        self._indices.label = "quad corners"
        self._array = self._gpu.ctx.vertex_array(self._program, [], index_buffer=self._indices)


class SortedDrawer:
    """Draws single quads in any order: the order is an index buffer, sent when it changes."""

    def __init__(self, gpu: Gpu, program: Any, first_quads: int = 256) -> None:
        """No quads yet; ``program`` as for ``QuadDrawer``."""
        self._gpu = gpu
        self._program = program
        self._room = 0
        self._indices: Any = None
        self._array: Any = None
        self._reserve(first_quads)

    def load(self, first_units: npt.NDArray[np.integer]) -> None:
        """Takes quads, [n] the first unit of each, in the order they are to be drawn in."""
        if not len(first_units):
            return
        self._reserve(len(first_units))
        self._indices.write((first_units.astype(np.uint32) * np.uint32(4))[:, None] + CORNERS)

    def draw(self, first: int, count: int) -> None:
        """Draws so many of them from one on."""
        if count > 0:
            self._array.render(vertices=count * len(CORNERS), first=first * len(CORNERS))

    def release(self) -> None:
        """Frees its buffer and the vertex array."""
        self._array.release()
        self._indices.release()

    def _reserve(self, quads: int) -> None:
        if quads <= self._room:
            return
        if self._array is not None:
            self.release()
        self._room = 1 << (quads - 1).bit_length()
        self._indices = self._gpu.ctx.buffer(reserve=self._room * len(CORNERS) * 4, dynamic=True)
        self._indices.label = "sorted quads"
        self._array = self._gpu.ctx.vertex_array(self._program, [], index_buffer=self._indices)
