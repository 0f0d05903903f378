"""The tint map on the GPU holds what is known, and nothing of a world that was shown before."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import numpy as np
import numpy.typing as npt
import pytest

from net.space import UNKNOWN_BIOME, ColumnPos
from render.gpu import Gpu
from render.gpu.textures import KINDS
from render.materials.biome_tints import tints_of
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.gpu_copy.tint_map import TintMap

DESERT, SWAMP = 2, 6


@dataclass
class OneBiome:
    """A world whose columns have one biome each, as far as the map asks."""

    biomes: dict[ColumnPos, int]
    columns: npt.NDArray[np.int32] = field(init=False)
    row_of: dict[ColumnPos, int] = field(init=False)

    def __post_init__(self) -> None:
        self.columns = np.array([(at.x, at.z) for at in self.biomes], np.int32)
        self.row_of = {at: row for row, at in enumerate(self.biomes)}

    def surface_biomes(self, column: ColumnPos) -> npt.NDArray[np.uint16]:
        return np.full(256, self.biomes[column], np.uint16)


@pytest.fixture
def tints(gpu: Gpu) -> Iterator[TintMap]:
    made = TintMap(gpu)
    yield made
    made.release()


def colours(tints: TintMap) -> npt.NDArray[np.uint8]:
    """[x, z, kind, red green blue]."""
    texture = tints._texture
    tints._gpu.wait()
    side = texture.side_columns * 16
    texels = np.frombuffer(texture._texture.read(), np.uint8).reshape(KINDS, side, side, 4)
    return texels[..., :3].transpose(1, 2, 0, 3)


def take(tints: TintMap, world: OneBiome) -> None:
    tints.update(world, np.arange(len(world.columns)), np.ones(len(world.columns), np.bool_))
    tints.flush(world)


def test_what_is_not_known_is_temperate(tints: TintMap) -> None:
    assert (colours(tints) == tints_of(np.array(UNKNOWN_BIOME))).all()


def test_columns_have_the_colours_of_their_biomes(tints: TintMap) -> None:
    take(tints, OneBiome({ColumnPos(-1, 3): DESERT, ColumnPos(5, -2): SWAMP}))
    side = (tints.mask + 1) // 16
    for (x, z), biome in (((-1, 3), DESERT), ((5, -2), SWAMP)):
        part = colours(tints)[x % side * 16 :, z % side * 16 :][:16, :16]
        assert (part == tints_of(np.array(biome))).all()


def test_another_world_begins_with_nothing(tints: TintMap) -> None:
    take(tints, OneBiome({ColumnPos(x, 0): DESERT for x in range(4)}))
    tints.clear()
    take(tints, OneBiome({ColumnPos(x, 0): UNKNOWN_BIOME for x in range(4)}))
    assert (colours(tints) == tints_of(np.array(UNKNOWN_BIOME))).all()


def test_a_map_that_knows_nothing_takes_other_colours(gpu: Gpu) -> None:
    looks = SimpleNamespace(tint_colours=np.full((256, 3, 3), 7, np.uint8))
    made = TintMap(gpu, cast(BlockAppearance, looks))
    looks.tint_colours = np.full((256, 3, 3), 9, np.uint8)
    made.clear()
    assert (colours(made) == 9).all()
    made.release()
