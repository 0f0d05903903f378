"""Particles of blocks that break, are hit, or are being broken; and the table of blocks that stop them.

Theory. A particle's position follows from its burst's position, seed and age, and from the blocks in its way: a
fragment shader starts at its birth and advances tick by tick through the block-ID map (``shaders/drift.frag``). No
state is kept from frame to frame, so a picture of a moment can be repeated. One texel a particle holds the result;
each particle is then drawn as a small square with a part of the block's texture.

Rules:
1. Call ``drift`` before the frame's target is begun, ``draw`` among the solid passes: particles write depth.
2. A burst is a row of ``BURST_FIELDS``; at most ``MOST_BURSTS`` of them, so a frame has at most 4,096 particles.
3. One byte a block state says what stops particles and drops (``shaders/include/stops.glsl``): the low five bits are
   the height up to which it stops a body, in sixteenths: 16 for cubes, the highest quad for models, 0 for what bodies
   pass. ``STOPS_DROPS`` marks liquids: rain ends on them, bodies sink in.

Limit: every block counts as a full block wide, so a particle may rest in the air of a fence post's block.
"""

from enum import IntEnum
from typing import Any, Final

import numpy as np

from net.arrays import I32, U8, Bools
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.textures import BufferTexture
from render.mesh import vertex_format
from render.mesh.mesher import AppearanceTables
from render.mesh.vertex_format import MODEL, MODEL_WORDS, read
from render.passes import block_march

# ---------------------------------------------------------------- stops

STOP_MASK: Final = 31
STOPS_DROPS: Final = 32
WHOLE: Final = 16
FIRST_IDS: Final = 16384
MODEL_CLASS, CUTOUT_CLASS, LIQUID_CLASS, PLACEHOLDER_CLASS = 0, 1, 3, 4
"""Indices of ``AppearanceTables.classes``."""


def stops_defines() -> dict[str, int | str]:
    return {"STOP_MASK": f"{STOP_MASK}u", "STOPS_DROPS": f"{STOPS_DROPS}u"}


def stop_values(tables: AppearanceTables, obstructs: Bools) -> U8:
    """uint8[n] by dense id; ``tables`` give heights of models, ``obstructs`` bool[n or more] ids that stop bodies."""
    count, classes = len(tables.faces), tables.classes
    heights = np.full(count, WHOLE, np.uint8)
    models = slice(int(classes[MODEL_CLASS]), int(classes[CUTOUT_CLASS]))
    heights[models] = _model_heights(tables)[models]
    values: U8 = np.where(obstructs[:count], heights, 0).astype(np.uint8)
    values[int(classes[LIQUID_CLASS]) : int(classes[PLACEHOLDER_CLASS])] = STOPS_DROPS
    values[0] = 0
    return values


def _model_heights(tables: AppearanceTables) -> U8:
    """uint8[n] the highest corner of each id's quads in sixteenths; WHOLE without quads, or with none above 0."""
    heights = np.full(len(tables.faces), WHOLE, np.uint8)
    first, end = tables.model_rows.T
    some = np.flatnonzero(end > first)
    if len(some):
        words = tables.model_quads.view(np.uint32).reshape(-1, MODEL_WORDS)
        tops = read(MODEL, words, "y") + sum(np.maximum(read(MODEL, words, edge), 0) for edge in ("uy", "vy"))
        starts = np.unique(first[some])  # ids that look alike share their rows, and every row belongs to an id
        highest = np.maximum.reduceat(tops, starts)[np.searchsorted(starts, first[some])]
        heights[some] = np.where(highest > 0, np.minimum(highest, WHOLE), WHOLE)
    return heights


class ParticleStops(GlOwner):
    """The table on the GPU. Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Sends nothing before ``resize``."""
        super().__init__(gpu)
        self._buffer = self._own(BufferTexture(gpu, "stops", Unit.STOPS, gl.R8UI, FIRST_IDS))
        self._tables: AppearanceTables | None = None

    def resize(self, tables: AppearanceTables, obstructs: Bools) -> None:
        """Sends and binds the current tables; the same tables are not sent again."""
        if self._tables is not tables:
            values = stop_values(tables, obstructs)
            padded = np.zeros(max(FIRST_IDS, 1 << (len(values) - 1).bit_length()), np.uint8)
            padded[: len(values)] = values  # blocks added in this frame stop nothing yet
            self._buffer.send(padded)
            self._tables = tables
        self._buffer.bind()


# ---------------------------------------------------------------- particles

PER_BURST: Final = 64
HIT_PARTICLES: Final = 10
GRIND_PARTICLES: Final = 24
MOST_BURSTS: Final = 64
BURST_BYTES: Final = 32
VERTICES_PER_PARTICLE: Final = 6
LONGEST_LIFE_S: Final = 1.4
"""28 ticks: older particles are invisible."""
BURST_FIELDS: Final = ("x", "y", "z", "what", "age_ms", "seed", "layer", "tint")
"""``what``: a Burst | face << 8; ``tint``: its kind | flags of the texture << 8; all int32."""

Bursts = I32
"""[n, 8] as ``BURST_FIELDS``."""


class Burst(IntEnum):
    """How the particles of a burst begin."""

    BREAK = 0  # everywhere in a block
    HIT = 1  # at one face
    GRIND = 2  # at any face, repeatedly; its age is the frame's time


def defines() -> dict[str, int | str]:
    kinds = {burst.name: int(burst) for burst in Burst}
    counts = {"PER_BURST": PER_BURST, "HIT_PARTICLES": HIT_PARTICLES, "GRIND_PARTICLES": GRIND_PARTICLES}
    return {**vertex_format.defines(), **block_march.DEFINES, **stops_defines(), **kinds, **counts}


class ParticlesPass(GlOwner):
    """Moves and draws particles; the frame's constants, the block-ID map and ``ParticleStops`` must be bound."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu)
        told = defines()
        self._drifting: Any = self._own(gpu.vertices("full_screen.vert", "drift.frag", told))
        self._array: Any = self._own(gpu.vertices("particles.vert", "particles.frag", told))
        self._bursts = self._own(BufferTexture(gpu, "bursts", Unit.BURSTS, gl.RGBA32I, MOST_BURSTS * BURST_BYTES))
        self._places: Any = self._own(gpu.ctx.texture((PER_BURST, MOST_BURSTS), 4, dtype="f4"))
        self._places.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        self._framebuffer: Any = self._own(gpu.ctx.framebuffer([self._places]))
        self._framebuffer.label = self._places.label = "particle positions"
        self._count = 0
        gpu.check()

    def drift(self, bursts: Bursts) -> None:
        """Computes the positions of the particles of bursts; ``bursts``: at least one and at most MOST_BURSTS."""
        self._count = len(bursts)
        self._bursts.send(bursts)
        self._bursts.bind()
        self._framebuffer.use()
        self._framebuffer.viewport = 0, 0, PER_BURST, self._count
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._drifting.render(vertices=3)

    def draw(self) -> None:
        """Draws the result of ``drift``, with depth."""
        self._bursts.bind()
        self._places.use(Unit.DRIFT)
        self._gpu.ctx.enable_only(self._gpu.ctx.DEPTH_TEST)
        self._array.render(vertices=VERTICES_PER_PARTICLE * PER_BURST * self._count)
