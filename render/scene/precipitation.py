"""Which block columns around an eye rain or snow falls on, and how far down as their height maps tell.

Rules:
1. Nothing falls below a column's surface, nor where nobody told of one.
2. It snows where the surface's biome is cold, and nothing falls where it is dry; elsewhere, and where the biome is not
   known, it rains. ``assets/biomes.toml`` says which biomes are which.
"""

import tomllib
from functools import cache
from importlib import resources
from math import floor
from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.height_maps import UNKNOWN_TOP
from net.space.positions import ColumnPos
from render.passes.weather import REACH_BLOCKS, Sheets
from render.scene.world import World

NOTHING: Final = 0
RAIN: Final = 1
SNOW: Final = 2
OF_CLIMATE: Final = {"cold": SNOW, "dry": NOTHING, "mesa": NOTHING, "nether": NOTHING}
BIOMES: Final = 256


def sheets_around(world: World, eye: tuple[float, float, float]) -> Sheets:
    """Sheets within ``REACH_BLOCKS`` of an eye, farthest first."""
    x, z = floor(eye[0]), floor(eye[2])
    span = np.arange(-REACH_BLOCKS, REACH_BLOCKS + 1)
    columns = {
        ColumnPos(cx, cz)
        for cx in range(x - REACH_BLOCKS >> 4, (x + REACH_BLOCKS >> 4) + 1)
        for cz in range(z - REACH_BLOCKS >> 4, (z + REACH_BLOCKS >> 4) + 1)
    }
    parts = [_sheets_of(world, column) for column in sorted(columns) if column in world.row_of]
    if not parts:
        return np.zeros((0, 4), np.int32)
    sheets = np.concatenate(parts)
    offset = sheets[:, :2] - np.array([x, z])
    away = (offset * offset).sum(axis=1)
    low = eye[1] + span[-1]
    chosen = np.flatnonzero((away <= REACH_BLOCKS**2) & (sheets[:, 3] != NOTHING) & (sheets[:, 2] < low))
    order = np.lexsort((sheets[chosen, 1], sheets[chosen, 0], -away[chosen]))
    return np.ascontiguousarray(sheets[chosen[order]])


def _sheets_of(world: World, column: ColumnPos) -> Sheets:
    """All sheets of one column: int32[256, 4]."""
    tops = world.height_map(column).reshape(16, 16).T.ravel()  # by x << 4 | z, as biomes lie
    x, z = np.divmod(np.arange(256), 16)
    biomes = world.surface_biomes(column)
    kinds = np.where(tops == UNKNOWN_TOP, NOTHING, falls()[np.minimum(biomes, BIOMES)])
    return np.stack([column.x * 16 + x, column.z * 16 + z, tops, kinds], axis=1).astype(np.int32)


@cache
def falls() -> npt.NDArray[np.uint8]:
    """uint8[257] NOTHING, RAIN or SNOW by biome; the last is for those beyond."""
    table = np.full(BIOMES + 1, RAIN, np.uint8)
    climates = tomllib.loads(resources.files("assets").joinpath("biomes.toml").read_text("utf-8"))
    for name, kind in OF_CLIMATE.items():
        table[climates[name]["ids"]] = kind
    table.flags.writeable = False
    return table
