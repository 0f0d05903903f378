"""Pictures of blocks on the GPU: each layer and mip level by itself; layers that move follow the time given."""

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import moderngl
import numpy as np
import pytest

from client.world.store import Store
from render.gpu import Gpu, Target, Unit
from render.gpu.textures import LEVELS, Texels, TileTextures
from render.materials.biome_tints import tint_colours
from render.materials.canvas import mip_levels
from render.materials.materials import Materials
from render.materials.painters import Moving
from render.mesh.mesher import AppearanceTables
from render.scene.gpu_copy.block_appearance import AppearanceTextures
from tests.support.data.shared import PlainTable, state

pytestmark = pytest.mark.gpu

WHOLE = "#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }"
FETCH = """#version 330
uniform sampler2DArray tiles; uniform int layer; uniform int level; out vec4 colour;
void main() { colour = texelFetch(tiles, ivec3(gl_FragCoord.xy, layer), level); }"""


class Reader:
    """Reads texels back through a shader."""

    def __init__(self, gpu: Gpu, side: int = 16) -> None:
        self._gpu = gpu
        self._side = side
        self._program = gpu.ctx.program(vertex_shader=WHOLE, fragment_shader=FETCH)
        self._program["tiles"] = int(Unit.TILES)
        self._array = gpu.ctx.vertex_array(self._program, [])
        self._target = Target(gpu, (side, side))

    def read(self, layer: int, level: int) -> Texels:
        side = self._side >> level
        self._program["layer"], self._program["level"] = layer, level
        self._target.begin()
        self._gpu.ctx.enable_only(moderngl.NOTHING)
        self._array.render(vertices=3)
        return self._target.pixels()[::-1][:side, :side]  # pictures begin at the top, fragments at the bottom

    def release(self) -> None:
        for thing in (self._target, self._array, self._program):
            thing.release()


@pytest.fixture
def reader(gpu: Gpu) -> Iterator[Reader]:
    made = Reader(gpu)
    yield made
    made.release()


def noise(seed: int, layers: int) -> Texels:
    return np.random.default_rng(seed).integers(0, 256, (layers, 16, 16, 4)).astype(np.uint8)


def test_no_level_of_a_layer_has_anything_of_its_neighbours(gpu: Gpu, reader: Reader) -> None:
    """Levels are made of one layer alone, and lie where no filter reaches another's."""
    pictures, coverage = noise(1, 5), np.array([True, False, True, True, False])
    tiles = TileTextures(gpu, first_layers=2)
    tiles.append(mip_levels(pictures[:2], coverage[:2]))
    tiles.append(mip_levels(pictures[2:], coverage[2:]))  # it grows
    tiles.bind()
    for layer in range(5):
        alone = mip_levels(pictures[layer : layer + 1], coverage[layer : layer + 1])
        for level in range(LEVELS):
            assert np.array_equal(reader.read(layer, level), alone[level][0]), (layer, level)
    tiles.release()


def test_pictures_of_another_size_take_the_place_of_all(gpu: Gpu) -> None:
    """Under a resource pack of 64 x 64, and back: levels are read as the driver has them."""
    tiles = TileTextures(gpu, first_layers=2)
    tiles.append(mip_levels(noise(1, 3), np.ones(3, bool)))
    for side in (64, 16, 128):
        pictures = np.random.default_rng(side).integers(0, 256, (5, side, side, 4)).astype(np.uint8)
        wanted = mip_levels(pictures, np.ones(5, bool))
        assert [level.shape[1] for level in wanted] == [side >> k for k in range(side.bit_length())]
        tiles.clear()
        tiles.append(mip_levels(pictures[:3], np.ones(3, bool)))
        tiles.append(mip_levels(pictures[3:], np.ones(2, bool)))
        tiles.bind()
        reader = Reader(gpu, side)
        for layer in (0, 4):
            for level, texels in enumerate(wanted):
                assert np.array_equal(reader.read(layer, level), texels[layer]), (side, layer, level)
        reader.release()
    tiles.release()


def test_one_layer_is_replaced_and_stays_so_when_others_join(gpu: Gpu, reader: Reader) -> None:
    tiles = TileTextures(gpu, first_layers=2)
    covered = np.ones(1, bool)
    tiles.append(mip_levels(noise(2, 2), np.ones(2, bool)))
    other = mip_levels(noise(3, 1), covered)
    tiles.replace(1, other)
    tiles.append(mip_levels(noise(4, 1), covered))
    tiles.bind()
    for level in range(LEVELS):
        assert np.array_equal(reader.read(1, level), other[level][0])
        assert np.array_equal(reader.read(0, level), mip_levels(noise(2, 2)[:1], covered)[level][0])
    tiles.release()


class Looks:
    """Lava and stone."""

    generation = 0
    tables = cast(AppearanceTables, None)
    tint_colours = tint_colours()

    def __init__(self) -> None:
        self.materials = Materials.build(PlainTable([state("stone"), state("lava")]))
        self.layers = self.materials.layers
        self.moving: Mapping[int, Moving] = self.materials.moving

    def resize(self, most_layers: int) -> None:
        assert self.layers <= most_layers

    def grow(self, world: Store) -> None:
        """Nothing joins."""

    def levels(self, layers: range) -> Sequence[Texels]:
        assert layers == range(self.layers)
        return self.materials.levels()


def test_lava_moves_with_the_time_that_is_given_and_stands_at_its_beginning(gpu: Gpu, reader: Reader) -> None:
    looks = Looks()
    textures = AppearanceTextures(gpu, looks)
    textures.grow(cast(Any, SimpleNamespace()))
    textures.bind()
    stone, lava = (int(looks.materials.tiles[dense, 0]) for dense in (0, 1))
    assert lava in looks.moving
    assert stone not in looks.moving
    still = reader.read(lava, 0).copy()
    assert np.array_equal(still, looks.materials.textures[lava])
    shown = {}
    for seconds in (0.0, 0.1, 0.16, 1.0, 2.4, 0.0):
        textures.show(seconds)
        textures.bind()
        shown[seconds] = [reader.read(lava, level).copy() for level in range(LEVELS)]
        assert np.array_equal(reader.read(stone, 0), looks.materials.textures[stone])
    assert np.array_equal(shown[0.0][0], still)
    assert np.array_equal(shown[0.1][0], still), "a picture lasts three ticks"
    assert np.array_equal(shown[2.4][0], still), "16 pictures of 3 ticks are the loop"
    step = looks.moving[lava].step_at(20)
    for level, texels in enumerate(looks.moving[lava].levels(step)):
        assert np.array_equal(shown[1.0][level], texels[0])
    assert not np.array_equal(shown[0.16][0], still)
    textures.release()
