"""Bits of blocks in the air: of a block that broke, of a blow at one, of one that somebody digs at.

Theory. Where a particle is follows from its burst's place, seed and age, and from the blocks in its way: a fragment
shader begins at its birth and goes tick by tick through the block-ID map (``shaders/drift.frag``). Nothing is kept from
frame to frame, so a picture of a moment repeats, whatever came before it. One texel a particle holds the outcome, and
each is found once, not once a vertex; then each is a small square with bits of the block's texture.

Rules:
1. ``drift`` comes before the frame's target is begun, ``draw`` among what is solid: bits write depth.
2. A burst is a row of ``BURST_FIELDS``; at most ``MOST_BURSTS`` of them, so a frame has at most 4,096 bits.
"""

from enum import IntEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.gpu import rawgl
from render.gpu.buffer_texture import BufferTexture
from render.gpu.device import Gpu, Unit
from render.mesh import quads
from render.passes import blocks, stops

PER_BURST: Final = 64
HIT_PARTICLES: Final = 10
GRIND_PARTICLES: Final = 24
MOST_BURSTS: Final = 64
BURST_BYTES: Final = 32
VERTICES_PER_PARTICLE: Final = 6
LONGEST_LIFE_S: Final = 1.4
"""28 ticks: what is older shows nothing."""
BURST_FIELDS: Final = ("x", "y", "z", "what", "age_ms", "seed", "layer", "tint")
"""``what``: a Burst | face << 8; ``tint``: its kind | flags of the texture << 8; all int32."""

Bursts = npt.NDArray[np.int32]
"""[n, 8] as ``BURST_FIELDS``."""


class Burst(IntEnum):
    """How the particles of a burst begin."""

    BREAK = 0  # everywhere in a block
    HIT = 1  # at one face
    GRIND = 2  # at any face, again and again; its age is the frame's time


def defines() -> dict[str, int | str]:
    """What the shaders are told."""
    kinds = {burst.name: int(burst) for burst in Burst}
    counts = {"PER_BURST": PER_BURST, "HIT_PARTICLES": HIT_PARTICLES, "GRIND_PARTICLES": GRIND_PARTICLES}
    return {**quads.defines(), **blocks.DEFINES, **stops.defines(), **kinds, **counts}


class ParticlesPass:
    """Moves and draws particles; the frame's constants, the mirror and ``Stops`` are bound already."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its programs."""
        self._gpu = gpu
        told = defines()
        self._drifting: Any = gpu.vertices(gpu.program("sky.vert", "drift.frag", told))
        self._array: Any = gpu.vertices(gpu.program("particles.vert", "particles.frag", told))
        self._bursts = BufferTexture(gpu, "bursts", Unit.BURSTS, rawgl.RGBA32I, MOST_BURSTS * BURST_BYTES)
        self._places: Any = gpu.ctx.texture((PER_BURST, MOST_BURSTS), 4, dtype="f4")
        self._places.filter = gpu.ctx.NEAREST, gpu.ctx.NEAREST
        self._places.label = "where particles are"
        self._framebuffer: Any = gpu.ctx.framebuffer([self._places])
        self._framebuffer.label = self._places.label
        self._count = 0
        gpu.check()

    def drift(self, bursts: Bursts) -> None:
        """Finds where the particles of bursts are; ``bursts``: at least one and at most MOST_BURSTS."""
        self._count = len(bursts)
        self._bursts.write(np.ascontiguousarray(bursts), 0)
        self._bursts.bind()
        self._framebuffer.use()
        self._framebuffer.viewport = 0, 0, PER_BURST, self._count
        self._gpu.ctx.enable_only(self._gpu.ctx.NOTHING)
        self._drifting.render(vertices=3)

    def draw(self) -> None:
        """Draws what ``drift`` found, with depth."""
        self._bursts.bind()
        self._places.use(Unit.DRIFT)
        self._gpu.ctx.enable_only(self._gpu.ctx.DEPTH_TEST)
        self._array.render(vertices=VERTICES_PER_PARTICLE * PER_BURST * self._count)

    def places(self) -> npt.NDArray[np.float32]:
        """float32[bursts, PER_BURST, 4] what ``drift`` found, read back: x, y, z from the burst's block, size."""
        self._gpu.wait()
        raw = np.frombuffer(self._places.read(), np.float32)
        return raw.reshape(MOST_BURSTS, PER_BURST, 4)[: self._count].copy()

    def release(self) -> None:
        """Frees its GL objects."""
        self._gpu.park()
        for thing in (self._array, self._drifting, self._framebuffer, self._places, self._bursts):
            thing.release()
