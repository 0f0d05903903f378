"""The legend inside a picture: a corner of it, and nothing where there is nothing to say."""

import numpy as np

from render.capture.picture import MOST_SHARE, with_legend
from render.gpu.targets import Pixels
from render.overlays.overlay import LegendRow
from render.overlays.registry import OverlayLegend
from render.passes.overlay.boxes import FAILED, UNLIT, UNSENT

ROWS = tuple(LegendRow(style, 3) for style in (FAILED, UNLIT, UNSENT))


def sky(width: int = 640, height: int = 360) -> Pixels:
    return np.full((height, width, 4), (120, 160, 220, 255), np.uint8)


def test_it_stands_in_the_upper_left_corner_with_a_swatch_a_row_and_changes_nothing_else() -> None:
    before = sky()
    after = with_legend(before, (OverlayLegend("states", "states: problems", ROWS),))
    assert after.shape == before.shape
    y, x = np.nonzero((after != before).any(axis=2))
    assert (y.min(), x.min()) == (0, 0)
    assert y.max() < MOST_SHARE * 360
    assert x.max() < 320
    purple = np.rint(np.array(UNSENT.colour) * 255)
    assert (np.abs(after[..., :3] - purple).max(axis=2) < 30).any()
    assert (after[..., 3] == 255).all()
    assert (before == sky()).all()


def test_rows_that_find_no_room_are_left_out_and_a_tiny_picture_stays_as_it_is() -> None:
    many = (OverlayLegend("states", "states", ROWS * 20),)
    changed = (with_legend(sky(200, 120), many) != sky(200, 120)).any(axis=(1, 2))
    assert 0 < changed.sum() <= MOST_SHARE * 120 + 20
    np.testing.assert_array_equal(with_legend(sky(40, 30), many), sky(40, 30))


def test_nothing_is_drawn_where_no_overlay_has_a_row() -> None:
    np.testing.assert_array_equal(with_legend(sky(), ()), sky())
    np.testing.assert_array_equal(with_legend(sky(), (OverlayLegend("states", "states", ()),)), sky())
