"""A cell is meshed as soon as it has data, and again only for what it can see; meshes forget what came when."""

from collections.abc import Iterator

import numpy as np
import pytest

from client.world.changes import ChangeKind
from net.space import BlockPos, ColumnPos
from render.gpu import Gpu
from render.scene import CellState
from tests.gpu.test_scene import EYE, Stage, staged
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedStore

pytestmark = pytest.mark.gpu

WEST, EAST = ColumnPos(0, 0), ColumnPos(1, 0)
HEIGHT = 64


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    made = staged(gpu)
    yield made
    made.close()


def ground(wall: int) -> np.ndarray:
    """Two columns of stone up to y = 16 under air, a wall of some block where they meet."""
    blocks = np.zeros((32, 16, HEIGHT), np.uint16)
    blocks[:, :, :16] = paint.STONE
    blocks[16] = wall
    return blocks


def made_by(stage: Stage, blocks: np.ndarray, columns: list[ColumnPos]) -> int:
    """How many meshes it takes to show some columns."""
    before = stage.scene.stats().meshes_made
    stage.store.load(blocks, columns)
    assert stage.scene.settle(EYE)
    return stage.scene.stats().meshes_made - before


def test_a_cell_is_shown_while_its_neighbours_are_placeholders(stage: Stage) -> None:
    blocks = ground(paint.STONE)
    assert made_by(stage, blocks, [WEST]) == 1
    assert stage.scene.attached.state.cell_state(BlockPos(8, 8, 8)) is CellState.SHOWN
    (sides,) = stage.scene.meshes().counts[:, :4].tolist()
    assert sides == [0, 0, 0, 0], "placeholders hide faces"


def test_a_neighbour_remeshes_a_cell_only_where_its_facing_layer_is_not_opaque(stage: Stage) -> None:
    made_by(stage, ground(paint.STONE), [WEST])
    assert made_by(stage, ground(paint.STONE), [EAST]) == 2, "its own two cells: the wall is higher than the ground"
    stage.store.unload(EAST)
    assert stage.scene.settle(EYE)
    assert made_by(stage, ground(paint.AIR), [EAST]) == 2, "its own, and the neighbour's, which now has a side"


def test_arrivals_of_one_drain_are_one_remesh(stage: Stage) -> None:
    blocks = ground(paint.AIR)
    assert made_by(stage, blocks, [WEST]) == 1
    assert made_by(stage, blocks, [EAST]) == 2
    fresh = staged(stage.gpu)
    assert made_by(fresh, blocks, [WEST, EAST]) == 2, "both see each other at once"
    fresh.close()


def arrive(store: PaintedStore, blocks: np.ndarray, column: ColumnPos, section: int) -> None:
    """Shows one sub-chunk in a drain of its own; its column in another before, if it is not there yet."""
    if column not in store.row_of:
        store.add_column(column)
        store._publish([store.place(column, 0)], [ChangeKind.ADDED])
    place = store._show_section(blocks, column, section)
    store._derive([place])
    store._publish([place], [ChangeKind.DATA])


def meshes(stage: Stage) -> dict[tuple[int, ...], tuple[bytes, ...]]:
    shown = stage.scene.meshes()
    quads = [(cubes.tobytes(), models.tobytes()) for cubes, models in shown.quads()]
    return {tuple(at): quad for at, quad in zip(shown.cells.tolist(), quads, strict=True)}


@pytest.mark.parametrize("seed", range(6))
def test_meshes_do_not_depend_on_the_order_of_arrivals_and_edits(gpu: Gpu, seed: int) -> None:
    """Slabs of random blocks, many of them opaque; each sub-chunk in a drain of its own, edits in between."""
    rng = np.random.default_rng(seed)
    side, palette = 3, [paint.STONE, paint.STONE, paint.AIR, paint.WATER, paint.GLASS, paint.LEAVES, paint.FLOWER]
    blocks = np.repeat(rng.choice(palette, (side * 16, side * 16, HEIGHT // 16)), 16, axis=2).astype(np.uint16)
    for x, z, section in np.ndindex(side, side, HEIGHT // 16):
        part = blocks[x * 16 : x * 16 + 16, z * 16 : z * 16 + 16, section * 16 : section * 16 + 16]
        face = rng.integers(8)
        if face < 6:
            part[(np.s_[:],) * (face >> 1) + (0 if face & 1 else 15,)] = paint.STONE
        elif face == 6:
            part[:] = rng.choice([paint.STONE, paint.WATER, paint.AIR])
    stage = staged(gpu)
    places = [(ColumnPos(x, z), section) for x, z, section in np.ndindex(side, side, HEIGHT // 16)]
    for index in rng.permutation(len(places)).tolist():
        column, section = places[index]
        arrive(stage.store, blocks, column, section)
        if rng.random() < 0.5:
            stage.scene.step(EYE)
        x, z, y = np.add(rng.choice([0, 7, 15], 3), (column.x * 16, column.z * 16, section * 16)).tolist()
        blocks[x, z, y] = rng.choice(palette)
        stage.store.edit(BlockPos(x, y, z), int(blocks[x, z, y]))
    assert stage.scene.settle(EYE)
    fresh = staged(gpu)
    fresh.store.load(blocks)
    assert fresh.scene.settle(EYE)
    assert meshes(stage) == meshes(fresh)
    fresh.close()
    stage.close()
