"""Meshes end at the floor and the roof, whole and half render cells alike; lamps there shine."""

import numpy as np
import pytest

from client.light.light_map import LightMap
from net.space.dimensions import Dimension
from net.space.positions import BlockPos, ColumnPos
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from render.mesh.vertex_format import Group
from render.scene import CellState, Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu
MIDDLE = (1, 1)
FACES = [Group.OPAQUE_NEG_X, Group.OPAQUE_POS_X, Group.OPAQUE_NEG_Z, Group.OPAQUE_POS_Z]


@pytest.mark.parametrize(("floor", "sections"), [(0, 4), (-1, 4), (-1, 3), (-4, 5)])
def test_a_solid_world_shows_its_underside_and_its_top_and_nothing_between(gpu: Gpu, floor: int, sections: int) -> None:
    dimension = Dimension(0, "box", floor, sections, True)
    store = PaintedStore(dimension)
    light = LightMap(store, 2048)
    scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=4))
    scene.attach(store, light)
    store.load(np.full((48, 48, 16 * sections), paint.STONE, np.uint16))
    assert scene.settle((24.0, 0.0, 24.0))
    shown = scene.meshes()
    middle = (shown.cells[:, [0, 2]] == MIDDLE).all(axis=1)
    counts, heights = shown.counts[middle], shown.cells[middle, 1]
    assert counts[:, FACES].sum() == 0, "stone hides stone"
    assert heights[counts[:, Group.OPAQUE_NEG_Y] > 0].tolist() == [floor >> 1]
    assert heights[counts[:, Group.OPAQUE_POS_Y] > 0].tolist() == [floor + sections - 1 >> 1]
    assert counts.sum() == 2, "one quad each"
    scene.release()


def test_lamps_in_the_outermost_layers_are_drawn_and_shine_inwards(gpu: Gpu) -> None:
    store = PaintedStore(Dimension(1, "cave", -1, 3, False))
    light = LightMap(store, 2048)
    scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=4))
    scene.attach(store, light)
    blocks = np.zeros((16, 16, 48), np.uint16)
    blocks[8, 8, [0, 47]] = paint.LAMP
    store.load(blocks)
    assert scene.settle((8.0, 8.0, 8.0))
    for y, inwards in ((-16, 1), (31, -1)):
        assert scene.picture(BlockPos(8, y, 8)) is CellState.SHOWN
        inner = BlockPos(8, y + inwards, 8)
        place = store.place(ColumnPos(0, 0), inner.subchunk.y + 1)
        assert light.at(place, inner.in_subchunk) & 15 == 14
    assert scene.picture(BlockPos(8, -17, 8)) is scene.picture(BlockPos(8, -16, 8)), "the half below is the same cell"
    assert scene.picture(BlockPos(8, 64, 8)) is CellState.ABSENT
    scene.release()
