"""Seams of light: where what is final does not go on across the border of two sub-chunks.

Theory. Light falls by ``max(1, opacity)`` of the block it enters; full daylight goes straight down through what is
clear without loss. So of two blocks side by side each has at least the other's level less that. Inside a sub-chunk one
kernel made all of it in one go; between two of them it was joined, so borders are where it breaks.

Limits: a few columns a call, round and round (``COLUMNS``); only what is final and lit as it is now is looked at. What
is too bright is not found. Light made on the GPU is the GPU's: nothing is said of it.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.world.block_table import BlockTable
from client.world.places import AROUND
from net.space.layout import Places
from net.space.positions import BlockPos
from render.invariants.finding import NOWHERE, Finding
from render.scene.scene import Scene
from render.scene.world import World

COLUMNS: Final = 4
SIDES: Final = (1, 3, 5)
"""Towards +x, +z and up: each border once."""
BESIDE: Final = [AROUND.index((1, 0)), AROUND.index((0, 1))]
"""Columns towards +x and +z, in ``column_neighbours``."""
DAYLIGHT: Final = 3
FULL: Final = 15
UP: Final = 5
CELLS: Final = np.arange(4096).reshape(16, 16, 16)
"""By x, z, y."""
NEAR: Final = {1: CELLS[15].ravel(), 3: CELLS[:, 15].ravel(), 5: CELLS[:, :, 15].ravel()}
FAR: Final = {1: CELLS[0].ravel(), 3: CELLS[:, 0].ravel(), 5: CELLS[:, :, 0].ravel()}


Rows = npt.NDArray[np.int32]
"""[n] rows of columns."""


class LightBorders:
    """Goes round the columns of one scene."""

    def __init__(self) -> None:
        """Has seen none yet."""
        self._broken: dict[int, list[BlockPos]] = {}  # by row
        self._world: World | None = None
        self._next = 0
        self._rounds = 0
        self._on_gpu = False

    def step(self, scene: Scene, table: BlockTable, columns: int = COLUMNS) -> Finding:
        """Looks at some more columns; what is known by now."""
        if not scene.settled:
            return Finding(None, NOWHERE, "while the picture settles")
        world, light = scene.attached.world, scene.attached.light
        if world is not self._world:
            self._broken, self._world, self._next, self._rounds = {}, world, 0, 0
            self._on_gpu = scene.stats().gpu_light  # as long as the scene lasts
        if self._on_gpu:
            return Finding(None, NOWHERE, "light is made on the GPU")
        rows = sorted(world.row_of.values())
        self._look(world, light, table, rows[self._next : self._next + columns])
        self._next += columns
        if self._next >= len(rows):
            self._next, self._rounds = 0, self._rounds + 1
            there = set(rows)
            self._broken = {row: blocks for row, blocks in self._broken.items() if row in there}
        found = [block for row in sorted(self._broken) for block in self._broken[row]]
        said = "" if self._rounds else f"{self._next} of {len(rows)} columns looked at"
        return Finding(len(found), np.array(found, np.int32).reshape(-1, 3), said)

    def _look(self, world: World, light: LightMap, table: BlockTable, rows: list[int]) -> None:
        for row in rows:
            self._broken.pop(row, None)
        for block, row in broken_in(world, light, table, np.array(rows, np.int32)):
            self._broken.setdefault(row, []).append(block)


def broken_in(world: World, light: LightMap, table: BlockTable, rows: Rows) -> list[tuple[BlockPos, int]]:
    """Blocks of some columns beside whose border light does not go on, one a border, and their rows."""
    if not len(rows):
        return []
    sections = world.dimension.sections
    around = np.unique(np.append(rows, world.column_neighbours[rows][:, BESIDE]))
    final = np.zeros((int(around.max()) + 1, sections), np.bool_)
    final[around] = light.final(world, around.astype(np.int32))
    final[0] = False
    places = (rows[:, None] * sections + np.arange(sections, dtype=np.int32)).ravel()
    places = places[final.ravel()[places]]
    blocks = []
    for side in SIDES:
        beside = world.neighbours[places, side].astype(np.int32)
        both = final.ravel()[beside]
        blocks += _broken(world, light, table, places[both], beside[both], side)
    return blocks


def _broken(
    world: World, light: LightMap, table: BlockTable, ours: Places, theirs: Places, side: int
) -> list[tuple[BlockPos, int]]:
    slots, beside = light.slots_of(ours), light.slots_of(theirs)
    some = slots != beside  # one slot for both: one value, all daylight or all dark
    ours, theirs, slots, beside = ours[some], theirs[some], slots[some], beside[some]
    if not len(ours):
        return []
    here, there = light.values[slots[:, None], NEAR[side]], light.values[beside[:, None], FAR[side]]
    block_here = world.pools.blocks[world.slot[ours][:, None], NEAR[side]]
    block_there = world.pools.blocks[world.slot[theirs][:, None], FAR[side]]
    wrong = np.zeros(here.shape, np.bool_)
    for channel in range(4):
        shift = np.uint16(4 * channel)
        one, two = (here >> shift & 15).astype(np.int16), (there >> shift & 15).astype(np.int16)
        into_here = table.opacity[channel][block_here].astype(np.int16)
        into_there = table.opacity[channel][block_there].astype(np.int16)
        wrong |= two < one - np.maximum(into_there, 1)
        loss = np.maximum(into_here, 1)
        if side == UP and channel == DAYLIGHT:
            loss[(two == FULL) & (into_here == 0)] = 0
        wrong |= one < two - loss
    blocks = []
    for index in np.flatnonzero(wrong.any(axis=1)).tolist():
        cell = int(NEAR[side][int(wrong[index].argmax())])
        row, section = divmod(int(ours[index]), world.dimension.sections)
        x, z = world.columns[row].tolist()
        y = section + world.dimension.floor_section
        blocks.append((BlockPos(16 * x + (cell >> 8), 16 * y + (cell & 15), 16 * z + (cell >> 4 & 15)), row))
    return blocks
