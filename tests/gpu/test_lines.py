"""Lines cover the pixels that a plain projection says, cut at the near plane, and stop at what stands before them.

Texts: Texts that had room for a camera near by stay while it moves, and those of its own come when it rests.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace

from client.light.light_map import LightMap
from render.camera import Camera
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.passes.overlay.labels import Labels, LabelsPass
from render.passes.overlay.lines import Lines, LinesPass
from render.scene import FrameSettings, Scene, SceneConfig
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

# ---------------------------------------------------------------- lines

pytestmark = pytest.mark.gpu

SIZE = (64, 48)
CAMERA = Camera((24.5, 40.25, 4.5), 0.0, 0.0, 70.0, SIZE[0] / SIZE[1])
PARALLEL = Camera(CAMERA.eye, 0.0, 0.0, 70.0, CAMERA.aspect, -1024.0, 1024.0, 30.0)
RED = (255, 0, 0, 255)
WIDE_PX = 5.0


class Stage:
    """A wall right across the picture's lower half, thirty blocks away, and lines over it."""

    def __init__(self, gpu: Gpu) -> None:
        blocks = np.zeros((48, 48, 64), np.uint16)
        blocks[:, 34:36, :40] = paint.STONE
        store = PaintedStore()
        self.scene = Scene(
            gpu, PaintedLooks.make(), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=3, first_pages=64)
        )
        self.scene.attach(store, LightMap(store, 512))
        store.load(blocks)
        assert self.scene.settle(CAMERA.eye)
        self.target, self.lines = Target(gpu, SIZE), LinesPass(gpu)

    def change(self, lines: Lines, hidden: float = 0.0, camera: Camera = CAMERA) -> np.ndarray:
        """How far each pixel moved from the picture without lines to that of pure red: 0..1, [h, w]."""
        self.scene.draw(camera, self.target, FrameSettings())
        before = self.target.pixels()[..., :3].astype(float)
        self.scene.draw(camera, self.target, FrameSettings())
        assert self.lines.draw(self.target, camera, lines, hidden) == len(lines)
        moved = self.target.pixels()[..., :3] - before
        way = np.array(RED[:3]) - before
        return (moved * way).sum(axis=2) / (way * way).sum(axis=2)


@pytest.fixture(scope="module")
def stage(context: Gpu) -> Iterator[Stage]:
    stage = Stage(context)
    yield stage
    for thing in (stage.scene, stage.target, stage.lines):
        thing.release()
    assert context.leaks() == 0


def line(begin: tuple[float, ...], end: tuple[float, ...]) -> Lines:
    return Lines.of(np.array([begin]), np.array([end]), RED, WIDE_PX)


def projected(camera: Camera, point: np.ndarray) -> np.ndarray:
    """A point before the camera, in pixels from the picture's upper left corner."""
    clip = np.append(point - np.array(camera.eye), 1.0) @ camera.view_projection().astype(float)
    return (clip[:2] / clip[3] * (1, -1) + 1) / 2 * SIZE


def away_px(camera: Camera, lines: Lines) -> np.ndarray:
    """How far each pixel's middle is from the first line, or inf beside its ends: [h, w]."""
    begin, end = (projected(camera, ends[0]) for ends in (lines.begins, lines.ends))
    middles = np.stack(np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5), axis=2) - begin
    way = (end - begin) / np.linalg.norm(end - begin)
    on_it = middles @ way
    return np.where(
        (on_it > 1) & (on_it < np.linalg.norm(end - begin) - 1), abs(middles @ np.array([-way[1], way[0]])), np.inf
    )


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ((20.0, 44.0, 20.0), (29.0, 46.0, 20.0)),
        ((26.5, 41.0, 8.0), (16.5, 47.0, 33.0)),
        ((24.5, 42.0, 9.0), (24.5, 46.0, 9.0)),
    ],
)
def test_a_line_covers_what_is_within_half_its_width_and_nothing_else(stage: Stage, begin, end) -> None:
    lines = line(begin, end)
    change, away = stage.change(lines), away_px(CAMERA, lines)
    inside = away < WIDE_PX / 2 - 0.6
    assert inside.sum() >= 40
    assert change[inside].min() > 0.97
    begin_px, end_px = (projected(CAMERA, ends[0]) for ends in (lines.begins, lines.ends))
    low, high = np.minimum(begin_px, end_px) - 4, np.maximum(begin_px, end_px) + 4
    x, y = np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5)
    near = (x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])
    assert not change[~near].any()
    assert not change[np.isfinite(away) & (away > WIDE_PX / 2 + 0.6)].any()


def test_behind_a_wall_a_line_is_gone_or_as_faint_as_was_asked(stage: Stage) -> None:
    behind, before = line((15.0, 33.0, 42.0), (34.0, 33.0, 42.0)), line((20.0, 34.0, 30.0), (29.0, 34.0, 30.0))
    assert not stage.change(behind).any()
    inside = away_px(CAMERA, behind) < WIDE_PX / 2 - 0.6
    assert stage.change(behind, hidden=0.25)[inside] == pytest.approx(0.25, abs=0.02)
    assert stage.change(behind, hidden=1.0)[inside] == pytest.approx(1.0, abs=0.02)
    inside = away_px(CAMERA, before) < WIDE_PX / 2 - 0.6
    for hidden in (0.0, 0.25, 1.0):
        assert stage.change(before, hidden)[inside] == pytest.approx(1.0, abs=0.02)


def test_a_line_on_a_face_shows(stage: Stage) -> None:
    lines = line((20.0, 38.0, 34.0), (29.0, 38.0, 34.0))
    assert stage.change(lines)[away_px(CAMERA, lines) < WIDE_PX / 2 - 0.6] == pytest.approx(1.0, abs=0.02)


def test_a_line_from_behind_the_eye_is_drawn_as_far_as_it_lies_before_it(stage: Stage) -> None:
    whole = stage.change(line((20.0, 44.0, -30.0), (28.0, 44.0, 30.0)))
    cut = stage.change(line((20.0 + 8 * 40 / 60, 44.0, 10.0), (28.0, 44.0, 30.0)))
    assert (whole >= cut - 0.05).all()
    assert (whole[cut > 0] > 0).all()
    assert not stage.change(line((20.0, 44.0, -30.0), (28.0, 44.0, 4.0))).any()
    assert not stage.change(line((24.5, 40.25, 4.5), (24.5, 40.25, 4.5))).any()


def test_dashes_leave_gaps_of_their_own_length(stage: Stage) -> None:
    ends = np.array([[20.5, 46.0, 12.5]]), np.array([[28.5, 46.0, 12.5]])
    change = stage.change(Lines.of(*ends, RED, WIDE_PX, 2.0))
    row = int(projected(CAMERA, ends[0][0])[1])
    for x, shown in ((21.5, True), (23.5, False), (25.5, True), (27.5, False)):
        at = int(projected(CAMERA, np.array([x, 46.0, 12.5]))[0])
        assert (change[row, at] > 0.97) == shown, x


def test_the_same_lines_give_the_same_pixels_and_are_sent_once(stage: Stage) -> None:
    lines = line((20.0, 44.0, 20.0), (29.0, 46.0, 20.0)) + line((20.0, 46.0, 20.0), (29.0, 44.0, 20.0))
    first = stage.change(lines, hidden=0.3)
    sent = stage.lines._sent
    assert np.array_equal(first, stage.change(lines, hidden=0.3))
    assert stage.lines._sent is sent


def test_where_lines_of_sight_are_parallel_a_line_is_where_it_is_projected(stage: Stage) -> None:
    lines = line((18.0, 44.0, 10.0), (30.0, 47.0, -20.0))
    change, away = stage.change(lines, camera=PARALLEL), away_px(PARALLEL, lines)
    inside = away < WIDE_PX / 2 - 0.6
    assert inside.sum() >= 40
    assert change[inside].min() > 0.97
    assert not change[np.isfinite(away) & (away > WIDE_PX / 2 + 0.6)].any()
    behind = line((18.0, 34.0, 44.0), (30.0, 34.0, 44.0))
    assert not stage.change(behind, camera=PARALLEL).any()


# ---------------------------------------------------------------- texts

TEXTS_SIZE = (320, 180)
TEXTS_CAMERA = Camera((0.5, 0.5, 0.5), 0.0, 0.0, 70.0, TEXTS_SIZE[0] / TEXTS_SIZE[1])
BESIDE = replace(TEXTS_CAMERA, yaw_deg=2.0)
"""Sees the second text, too: larger angles look further to the right."""


@pytest.fixture(scope="module")
def labels(context: Gpu) -> Iterator[LabelsPass]:
    labels = LabelsPass(context)
    yield labels
    labels.release()


@pytest.fixture(scope="module")
def target(context: Gpu) -> Iterator[Target]:
    target = Target(context, TEXTS_SIZE)
    yield target
    target.release()


def two_texts() -> Labels:
    """One before the first camera, one just beside its picture."""
    aside = TEXTS_CAMERA.rays[1]
    points = [np.array(TEXTS_CAMERA.forward) * 20.0, (np.array(TEXTS_CAMERA.forward) + np.array(aside) * 1.02) * 20.0]
    return Labels.of(np.array(points) + 0.5, ["abc", "defgh"])


def characters(labels: LabelsPass, target: Target, texts: Labels, *cameras: Camera, ahead: bool = True) -> list[int]:
    """How many are drawn in each of some frames."""
    target.begin()
    return [labels.draw(target, camera, [(texts, 0.0)], ahead) for camera in cameras]


def test_a_camera_that_moves_a_little_keeps_the_texts_and_one_that_rests_has_its_own(
    labels: LabelsPass, target: Target
) -> None:
    assert characters(labels, target, two_texts(), TEXTS_CAMERA, BESIDE, BESIDE, BESIDE) == [3, 3, 8, 8]


def test_a_camera_that_moves_far_or_into_another_block_or_for_one_picture_has_its_own(
    labels: LabelsPass, target: Target
) -> None:
    far, other = replace(TEXTS_CAMERA, yaw_deg=4.0), replace(BESIDE, eye=(0.5, 1.01, 0.5))
    assert characters(labels, target, two_texts(), TEXTS_CAMERA, far) == [3, 8]
    assert characters(labels, target, two_texts(), replace(TEXTS_CAMERA, eye=(0.5, 0.99, 0.5)), other) == [3, 8]
    assert characters(labels, target, two_texts(), TEXTS_CAMERA, BESIDE, ahead=False) == [3, 8]
