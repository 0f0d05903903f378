"""Gates: what is missed once is measured again, what is missed always fails, what is wrong fails at once.

Sample module: The sample module is real code: it keeps its promises.

Slivers: Which pixels may lie beside a side that is seen edge-on: two that property tests found, and what is none of it.

Written pack: Archives of packs that tests write: seeds of the fuzz targets, too, which must be the same in each run.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from client.player import Eye, View
from net.space import BlockPos
from render.capture.channels import MODEL_FACE
from tests.support.bench.gates import TRIES, MissedGate, gate, gated
from tests.support.data.packs import write_zip
from tests.support.data.sample_module import Hit, first_hit
from tests.support.worlds.semantic import at_a_shared_edge, at_an_edge_of_a_model, way_to_side

# ---------------------------------------------------------------- gates


def benchmark_of(figures: list[float]) -> Callable[[], None]:
    @gated
    def benchmark() -> None:
        gate("ms", figures.pop(0), 1.0)

    return benchmark


def test_a_figure_that_holds_is_measured_once() -> None:
    figures = [1.0, 5.0]
    benchmark_of(figures)()
    assert figures == [5.0]


def test_a_figure_that_misses_once_is_measured_again() -> None:
    figures = [2.0, 0.5, 5.0]
    benchmark_of(figures)()
    assert figures == [5.0]


def test_a_figure_that_always_misses_fails_with_both_figures() -> None:
    with pytest.raises(MissedGate, match=r"ms: measured 2\.000, at most 1\.000"):
        benchmark_of([2.0] * TRIES)()


def test_no_number_is_no_pass() -> None:
    with pytest.raises(MissedGate):
        gate("ratio", float("nan"), 1.0)


def test_what_is_wrong_fails_at_once() -> None:
    tries = []

    @gated
    def benchmark() -> None:
        tries.append(1)
        assert sum(tries) < 0, "unequal"

    with pytest.raises(AssertionError, match="unequal"):
        benchmark()
    assert tries == [1]


# ---------------------------------------------------------------- sample module


def test_a_ray_stops_at_the_first_block_that_stops_it() -> None:
    wall = {BlockPos(3, 0, 0), BlockPos(5, 0, 0)}
    assert first_hit((0.5, 0.5, 0.5), (1.0, 0.0, 0.0), wall.__contains__) == Hit(BlockPos(3, 0, 0), 2.5)


def test_the_block_around_the_eye_does_not_count() -> None:
    assert first_hit((0.5, 0.5, 0.5), (0.0, 1.0, 0.0), {BlockPos(0, 0, 0)}.__contains__) is None


def test_a_ray_goes_through_no_corner_unseen() -> None:
    stops = {BlockPos(-2, 0, -1), BlockPos(-1, 0, -2)}
    hit = first_hit((0.5, 0.5, 0.4), (-1.0, 0.0, -1.0), stops.__contains__)
    assert hit is not None
    assert hit.block in stops


def test_a_direction_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match="no length"):
        first_hit((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), lambda _: True)


# ---------------------------------------------------------------- slivers

SIZE_PX = (120, 80)
BELOW_WATER = View(
    Eye(61.48548059975458, 50.52669529186448, 0.5749495049765004), 29.472149596504806, -33.84690873682995
)
ALONG_A_WALL = View(
    Eye(60.30543606515836, 46.32349893723383, 13.687311870013598), 64.79595530715815, 61.470524083346845
)


def one_pixel(pixel: tuple[int, int], face: int, cell: tuple[int, int, int], depth: float) -> Any:
    """A picture of which one pixel is drawn."""
    wide, high = SIZE_PX
    found = SimpleNamespace(
        drawn=np.zeros((high, wide), bool), face=np.zeros((high, wide), int), cell=np.zeros((high, wide, 3), int),
        depth=np.zeros((high, wide)),
    )  # fmt: skip
    at = pixel[::-1]
    found.drawn[at], found.face[at], found.cell[at], found.depth[at] = True, face, cell, depth
    return found


def wide(view: View, yaw_deg: float = 0.0, pitch_deg: float = 0.0) -> View:
    return View(view.eye, view.yaw_deg + yaw_deg, view.pitch_deg + pitch_deg, 110.0)


def test_a_side_edge_on_has_corners_that_stick_out() -> None:
    water = one_pixel((66, 58), 4, (17, 51, 53), 56.347442626953125)
    way = way_to_side(wide(BELOW_WATER), water, (66, 58), SIZE_PX)
    assert way is not None
    assert (way + BELOW_WATER.eye).tolist() == pytest.approx([17.001, 51.0, 53.001])
    assert way_to_side(wide(BELOW_WATER, 2.0), water, (66, 58), SIZE_PX) is None, "more than a pixel beside it"
    wall = one_pixel((66, 58), 1, (17, 51, 53), 56.347442626953125)
    assert way_to_side(wide(BELOW_WATER), wall, (66, 58), SIZE_PX) is None, "it is not edge-on"


def test_a_side_of_a_model_edge_on_has_any_depth_within_its_block() -> None:
    wall, depths = one_pixel((66, 39), MODEL_FACE, (58, 43, 13), 2.7153518199920654), np.array([2.813, 2.973])
    assert at_an_edge_of_a_model(wide(ALONG_A_WALL), wall, (66, 39), depths, SIZE_PX)
    assert not at_an_edge_of_a_model(wide(ALONG_A_WALL), wall, (66, 39), depths[:1], SIZE_PX), "there is no edge"
    nearer = one_pixel((66, 39), MODEL_FACE, (58, 43, 13), 2.4)
    assert not at_an_edge_of_a_model(wide(ALONG_A_WALL), nearer, (66, 39), depths, SIZE_PX), "out of its block"


def test_a_side_of_leaves_is_as_deep_as_the_sides_that_meet_in_its_edge() -> None:
    view = View(
        Eye(60.63977454751324, 49.64882576939461, 23.527782747397552), 11.71972408288093, 71.98848551065186, 40.0
    )
    side = one_pixel((102, 71), 1, (49, 20, 22), 27.55729866027832)
    assert at_a_shared_edge(view, side, (102, 71), 27.556972916002778, SIZE_PX)
    assert not at_a_shared_edge(view, side, (102, 71), 27.54, SIZE_PX), "a surface before it hides it"
    lower = one_pixel((102, 71), 1, (49, 20, 22), 27.6)
    assert not at_a_shared_edge(view, lower, (102, 71), 27.6, SIZE_PX), "not at its edge"


# ---------------------------------------------------------------- written pack


def test_an_archive_does_not_tell_when_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    today = write_zip(tmp_path / "today.zip", {"manifest.json": {}}).read_bytes()
    monkeypatch.setattr("time.time", lambda: 1e9)
    assert write_zip(tmp_path / "then.zip", {"manifest.json": {}}).read_bytes() == today
