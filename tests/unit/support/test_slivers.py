"""Which pixels may lie beside a side that is seen edge-on: two that property tests found, and what is none of it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from client.player import Eye, View
from render.capture.channels import MODEL_FACE
from tests.support.worlds.semantic import at_an_edge_of_a_model, way_to_side

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
