"""Cracks on what has holes and on what one sees through: on the block's own quads, holes and all, and nowhere else."""

from collections.abc import Iterator

import numpy as np
import pytest

from net.space import BlockPos
from render.gpu import Gpu
from render.scene import FrameSettings
from tests.gpu.test_looks import SIZE, Stage, staged
from tests.support.worlds import painted as paint

pytestmark = pytest.mark.gpu

AHEAD = BlockPos(30, 43, 9)
LEVEL = {"yaw_deg": 0.0, "pitch_deg": 0.0}


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    made = staged(gpu)
    made.scene.frames.falling.drift = lambda *_: None  # dust flies beside its block
    yield made
    made.close()


def cracked(*blocks: BlockPos, tenths: int = 9) -> FrameSettings:
    return FrameSettings(cracks=np.array([(*block, tenths) for block in blocks], np.int32))


@pytest.mark.parametrize("block", [paint.GLASS, paint.LEAVES, paint.FLOWER])
def test_cracks_darken_their_block_alone_holes_and_all(stage: Stage, block: int) -> None:
    stage.store.edit(AHEAD, block)
    whole = stage.picture(**LEVEL).astype(int)
    changed = []
    for tenths in (3, 6, 9):
        picture = stage.picture(cracked(AHEAD, tenths=tenths), **LEVEL).astype(int)
        assert (picture[..., :3] <= whole[..., :3]).all()
        differs = (picture != whole).any(axis=2)
        rows, columns = np.nonzero(differs)
        assert len(rows)
        assert SIZE[0] // 4 < columns.min()
        assert columns.max() < SIZE[0] * 3 // 4
        changed.append(int((whole - picture).sum()))
    assert changed[0] < changed[1] < changed[2]


def test_cracks_cross_the_clear_middle_of_glass(stage: Stage) -> None:
    """Where only what is behind shows through."""
    stage.store.edit(AHEAD, paint.GLASS)
    whole, picture = stage.picture(**LEVEL), stage.picture(cracked(AHEAD), **LEVEL)
    middle = (slice(SIZE[1] // 2 - 6, SIZE[1] // 2 + 6), slice(SIZE[0] // 2 - 6, SIZE[0] // 2 + 6))
    assert (whole[middle] != picture[middle]).any(axis=2).mean() > 0.1


def test_a_wall_before_glass_hides_its_cracks(stage: Stage) -> None:
    stage.store.edit(AHEAD, paint.GLASS)
    for x in range(26, 35):
        for y in range(40, 48):
            stage.store.edit(BlockPos(x, y, 8), paint.STONE)
    assert np.array_equal(stage.picture(**LEVEL), stage.picture(cracked(AHEAD), **LEVEL))


def test_blocks_in_cells_that_are_not_drawn_crack_nowhere(stage: Stage) -> None:
    whole = stage.picture(**LEVEL)
    assert np.array_equal(whole, stage.picture(cracked(BlockPos(30, 43, -9), BlockPos(9000, 43, 9000)), **LEVEL))


def test_neighbours_of_one_merged_face_crack_apart(stage: Stage) -> None:
    """Faces of like glass are one quad; a crack ends where its block does."""
    for x in (29, 30, 31):
        stage.store.edit(BlockPos(x, 43, 9), paint.GLASS)
    whole = stage.picture(**LEVEL)
    both = [stage.picture(cracked(BlockPos(x, 43, 9)), **LEVEL) for x in (29, 31)]
    columns = [np.nonzero((whole != picture).any(axis=(0, 2)))[0] for picture in both]
    assert columns[0].min() > columns[1].max() or columns[1].min() > columns[0].max()
    together = stage.picture(cracked(BlockPos(29, 43, 9), BlockPos(31, 43, 9)), **LEVEL)
    left = (whole != both[0]).any(axis=2)
    assert np.array_equal(together[left], both[0][left])
