"""The GPU's copy of the blocks around the eye, held against the store again and again: facts of the overlay ``mirror``.

Rules:
1. What is compared is what shaders read, through the page table (``passes.mirror_read``), not what the CPU believes.
2. When the world changed or the eye came to another sub-chunk, all around it are read at once: a single picture tells
   all. After that ``A_TURN`` of them a look, round and round: a copy may go bad by itself.
3. What is on its way, or has no room, is not compared; it is counted.

``scene.mirror_check`` compares everything at once, and waits for it.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.space.layout import Places
from render.gpu.device import Gpu
from render.overlays.culling import Held
from render.overlays.facts import Vector
from render.passes.mirror_read import MirrorReadPass
from render.scene.attached import Attached
from render.scene.frame_facts import places_around
from render.scene.mirror import Mirror

AROUND: Final = 2
"""Sub-chunks on each side of the eye's."""
A_TURN: Final = 25


class MirrorWatch:
    """Of one scene. Owner thread only."""

    def __init__(self, gpu: Gpu, mirror: Mirror) -> None:
        """Has read nothing yet."""
        self._mirror = mirror
        self._pass = MirrorReadPass(gpu)
        self._seen_at: tuple[Attached, int, tuple[int, ...]] | None = None
        self._places: Places = np.zeros(0, np.int32)
        self._next = 0
        self._differing: dict[int, npt.NDArray[np.int32]] = {}

    def look(self, attached: Attached, eye: Vector) -> Held:
        """How the copy compares now; the frame's constants and the mirror are bound already."""
        section = tuple(int(axis // 16) for axis in eye)
        if (
            self._seen_at is None
            or self._seen_at[0] is not attached
            or self._seen_at[1:] != (attached.version, section)
        ):
            self._seen_at = attached, attached.version, section
            places = places_around(attached, eye, AROUND)
            self._places, self._next = places[attached.residency.shown[places // attached.grid.sections]], 0
            self._differing.clear()
            self._compare(attached, self._places)
        elif len(self._places):
            turn = np.arange(self._next, self._next + A_TURN) % len(self._places)
            self._next = (self._next + A_TURN) % len(self._places)
            self._compare(attached, self._places[np.unique(turn)])
        return self._told(attached)

    def release(self) -> None:
        """Frees its GL objects."""
        self._pass.release()

    def _compare(self, attached: Attached, places: Places) -> None:
        mirror, world = self._mirror, attached.world
        places = places[~(mirror.blocks_behind | mirror.of_blocks.left_out | mirror.of_blocks.refused)[places]]
        positions = attached.grid.positions_of(places, world.columns)
        wrong = self._pass.read(positions) != world.pools.blocks[world.slot[places]]
        for place, position, cells in zip(places.tolist(), positions, wrong, strict=True):
            index = np.flatnonzero(cells)
            at = np.stack([index >> 8, index & 15, index >> 4 & 15], axis=1)
            self._differing[place] = (position * 16 + at).astype(np.int32)

    def _told(self, attached: Attached) -> Held:
        blocks = self._mirror.of_blocks
        shown = attached.grid.places_of_rows(np.flatnonzero(attached.residency.shown))
        out = blocks.left_out[shown] | blocks.refused[shown]
        waiting = blocks.behind[shown] & ~out
        own = attached.world.pools.are_own(attached.world.slot[shown])
        there = ~out & ~waiting
        found = list(self._differing.values())
        differing = np.concatenate(found) if found else np.zeros((0, 3), np.int32)
        bricks, uniform, left_out, late = (
            int(np.count_nonzero(flags)) for flags in (there & own, there & ~own, out, waiting)
        )
        return Held(bricks, uniform, left_out, late, differing)
