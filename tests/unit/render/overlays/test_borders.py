"""Borders: each corner of a column has one upright edge, fainter far away; the eye's column has a frame a sub-chunk."""

import numpy as np

from render.overlays.geometry import borders_marks, edges, frames
from tests.support.overlay_facts import given_facts

OWN = np.array([0, 0])


def test_corners_that_columns_share_have_one_edge() -> None:
    columns = np.array([(x, z) for x in range(3) for z in range(3)])
    lines = edges(columns, OWN, -64, 320)
    plain = {(x + dx, z + dz) for x, z in columns.tolist() for dx in (0, 1) for dz in (0, 1)}
    assert {(x / 16, z / 16) for x, _, z in lines.begins.tolist()} == plain
    assert len(lines) == len(plain)
    assert (lines.begins[:, 1] == -64).all()
    assert (lines.ends[:, 1] == 320).all()


def test_edges_are_fainter_and_thinner_away_from_the_eye() -> None:
    lines = edges(np.array([(x, 0) for x in range(12)]), OWN, 0, 16)
    order = np.argsort(lines.begins[:, 0], kind="stable")
    assert (np.diff(lines.tones[order, 3].astype(int)) <= 0).all()
    assert lines.widths_px.max() > lines.widths_px.min()


def test_a_column_has_four_sides_at_each_sub_chunk_and_heavier_ones_at_render_cells() -> None:
    lines = frames(np.array([2, -1]), -64, 320)
    assert len(lines) == 4 * (384 // 16 + 1)
    assert set(lines.begins[:, 0]) == {32.0, 48.0}
    assert set(lines.ends[:, 2]) == {-16.0, 0.0}
    of_cells = lines.begins[:, 1] % 32 == 0
    assert (lines.widths_px[of_cells] == 2).all()
    assert (lines.dashes_blocks[~of_cells] > 0).all()
    assert np.allclose(np.abs(lines.ends - lines.begins).sum(axis=1), 16)


def test_columns_near_the_eye_say_where_they_are() -> None:
    columns = np.array([(x, 0) for x in range(-5, 6)], np.int32)
    made = borders_marks(given_facts([[0, 0, 0]]).but(columns=columns, eye=(-8.0, 90.0, 8.0)))
    assert made.labels.texts == ("-3 0", "-2 0", "-1 0", "0 0", "1 0")
    assert made.legend[0].count == 11
