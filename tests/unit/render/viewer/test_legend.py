"""The legend: every state, its count, and a swatch that no other state has."""

from typing import Any

import numpy as np

from client.world.lifecycle import Knowledge
from render.passes.state_styles import STYLES
from render.scene.seams import Seams
from render.viewer.legend import (
    BACKGROUND,
    EVERY_STYLE,
    SWATCH_PX,
    legend_rows,
    legend_title,
    rows_of,
    seam_rows,
    swatch,
)


def test_it_has_a_row_for_every_state_with_its_count() -> None:
    rows = legend_rows({"data": 12, "unknown": 3})
    assert {row.state for row in rows} == set(Knowledge) - {Knowledge.OUTSIDE} | {None}
    counts = {row.state: row.count for row in rows}
    assert (counts[Knowledge.DATA], counts[Knowledge.UNKNOWN], counts[Knowledge.REFUSED]) == (12, 3, 0)


def test_the_last_row_tells_of_cells_whose_mesh_failed() -> None:
    assert legend_rows({}, 2)[-1].text == "mesh failed: 2 (dots, heavy outline)"


def test_seams_are_counted_by_sides() -> None:
    seams = Seams(np.array([7, 9], np.int32), np.array([0b101, 0b100000], np.uint8), np.array([0, 0b11], np.uint8))
    assert [row.text for row in seam_rows(seams)] == [
        "light hangs on what is missing: 3 (falling lines, heavy outline)",
        "light waits for a step: 2 (level lines, heavy outline)",
    ]


def test_rows_are_those_of_overlays_that_are_on_and_nothing_else_is_counted() -> None:
    def never() -> Any:
        raise AssertionError("counted for nobody")

    none = Seams(np.zeros(0, np.int32), np.zeros(0, np.uint8), np.zeros(0, np.uint8))
    assert rows_of({"xray-air"}, {"data": 12}, never, never) == []
    assert rows_of({"states"}, {"data": 12}, lambda: 2, never) == legend_rows({"data": 12}, 2)
    assert rows_of({"light-seams"}, {"data": 12}, never, lambda: none) == seam_rows(none)
    assert rows_of({"states", "light-seams"}, {}, lambda: 0, lambda: none) == legend_rows({}) + seam_rows(none)


def test_rows_say_label_shape_and_count() -> None:
    row = next(row for row in legend_rows({"refused": 7}) if row.state is Knowledge.REFUSED)
    assert row.text == "refused: 7 (big X, heavy outline)"


def test_swatches_differ_without_their_colours() -> None:
    shapes = {}
    for style in EVERY_STYLE:
        picture = swatch(style)
        assert picture.shape == (SWATCH_PX, SWATCH_PX, 4)
        shapes[style.label] = np.abs(picture[..., :3].astype(int) - BACKGROUND).max(axis=2) > 8
    states = list(shapes)
    for k, state in enumerate(states):
        for other in states[:k]:
            assert (shapes[state] != shapes[other]).mean() > 0.04, f"{state} looks like {other}"


def test_swatches_show_the_overlays_colour() -> None:
    style = STYLES[Knowledge.REFUSED]
    brightest = swatch(style)[0, 0, :3]
    assert np.allclose(brightest, np.array(style.colour) * 255, atol=1)


def test_the_title_tells_of_pins_and_stale_columns_where_there_are_any() -> None:
    assert legend_title(0, 0) == "sub-chunks by state"
    assert legend_title(2, 14) == "sub-chunks by state · 2 pinned · 14 columns stale (a ring)"
