"""The overlay of seams: what hangs on missing neighbours shows, from both sides; at rest nothing waits in any order."""

from collections.abc import Iterator

import numpy as np
import pytest

from net.space.positions import ColumnPos
from render.camera import Camera
from render.gpu import Gpu
from render.jobs.workers import Runner, SyncRunner, ThreadRunner
from render.scene import FrameSettings
from tests.gpu.test_scene import EYE, SIZE, Stage, staged
from tests.support.worlds import painted as paint

pytestmark = pytest.mark.gpu
WIDE = 5
COLUMNS = [ColumnPos(x, z) for x in range(WIDE) for z in range(WIDE)]
INNER = [column for column in COLUMNS if 0 < column.x < WIDE - 1 and 0 < column.z < WIDE - 1]
SEAMS = FrameSettings(overlays=frozenset({"light-seams"}))
HOLE = np.s_[32:48, 32:48, 16:32]
"""A sub-chunk in the air over the plain, in the middle column."""


def plain() -> np.ndarray:
    blocks = np.zeros((16 * WIDE, 16 * WIDE, 64), np.uint16)
    blocks[:, :, :12] = paint.STONE
    blocks[40, 20, 14] = paint.LAMP
    return blocks


@pytest.fixture(params=[None, 2], ids=["sync", "two workers"])
def stage(gpu: Gpu, request: pytest.FixtureRequest) -> Iterator[Stage]:
    runner: Runner = ThreadRunner(request.param) if request.param else SyncRunner()
    made = staged(gpu, runner)
    yield made
    made.close()


def inner_seams(stage: Stage) -> tuple[int, int]:
    """Of columns whose neighbours are all announced: sides that hang, and sides that wait."""
    rows = np.array([stage.store.row_of[column] for column in INNER if column in stage.store.row_of], np.int64)
    found = stage.scene.attached.seams(rows)
    return found.hangs, found.waits


@pytest.mark.parametrize("seed", range(3))
def test_no_seam_remains_at_rest_in_any_order_of_arrival(stage: Stage, seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = plain()
    order = [COLUMNS[index] for index in rng.permutation(len(COLUMNS))]
    hung = waited = 0
    while order:
        some, order = order[: (n := int(rng.integers(1, 6)))], order[n:]
        stage.store.load(blocks, some)
        for _ in range(int(rng.integers(0, 3))):
            stage.scene.step(EYE)
            found = stage.scene.seams()
            hung, waited = max(hung, found.hangs), max(waited, found.waits)
    assert hung, "while they come"
    assert waited, "and before they are lit"
    assert stage.scene.settle(EYE)
    assert inner_seams(stage) == (0, 0)
    assert stage.scene.seams().waits == 0, "at the rim of the world something may come, but nothing is late"


def test_a_hole_is_hung_on_until_it_comes(stage: Stage) -> None:
    blocks = plain()
    blocks[HOLE] = paint.PLACEHOLDER
    stage.store.load(blocks)
    assert stage.scene.settle(EYE)
    assert inner_seams(stage) == (6, 0), "the four beside it, the one above, and the plain below"
    seen = (stage.picture(SEAMS) != stage.picture()).any(axis=-1)
    assert seen.any()
    column = ColumnPos(2, 2)
    stage.store.unload(column)
    stage.store.load(plain(), [column])
    assert stage.scene.settle(EYE)
    assert inner_seams(stage) == (0, 0)


def test_sides_show_from_within_and_from_without(gpu: Gpu) -> None:
    stage = staged(gpu)
    blocks = plain()
    blocks[HOLE] = paint.PLACEHOLDER
    stage.store.load(blocks)
    assert stage.scene.settle(EYE)
    for yaw, eye in ((0.0, (40.5, 24.5, 27.5)), (180.0, (40.5, 24.5, 27.5))):
        camera = Camera(eye, yaw, 0.0, 60.0, SIZE[0] / SIZE[1])
        red = _redder(stage, camera)
        assert red[SIZE[1] // 3 : -SIZE[1] // 3].mean() > (0.1 if yaw == 0.0 else 0.02), "the hole; far off the rim"
    stage.close()


def _redder(stage: Stage, camera: Camera) -> np.ndarray:
    pictures = []
    for look in (FrameSettings(), SEAMS):
        stage.scene.draw(camera, stage.target, look)
        pictures.append(stage.target.pixels()[..., :3].astype(int))
    return (pictures[1][..., 0] - pictures[1][..., 2] > pictures[0][..., 0] - pictures[0][..., 2] + 40).astype(float)
