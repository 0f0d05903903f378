"""Borders: each corner of a column has one upright edge, fainter far away; the eye's column has a frame a sub-chunk.

Cells: a box by each picture's state, a flash where a mesh is new, and what the mesh costs.

Biomes: a tile for each 4 x 4 blocks on the ground, in the paint of its biome, and a name a column and biome.
"""

import itertools

import numpy as np

from assets import biome_climates
from net.space.layout import UNKNOWN_BIOME
from render.overlays.facts import Meshes, SurfaceFacts
from render.overlays.geometry import (
    FLASH,
    FLASH_S,
    STYLES,
    UNKNOWN,
    biomes_marks,
    borders_marks,
    cells_marks,
    edges,
    format_mesh_counts,
    frames,
    style_of,
    words_of,
)
from render.passes.overlay.boxes import Style
from render.scene.cells import CellState
from tests.support.worlds.overlay_facts import given_facts

# ---------------------------------------------------------------- borders

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


# ---------------------------------------------------------------- cells

WORDS = {
    CellState.DIRTY: "first mesh on its way",
    CellState.READY: "first mesh on its way",
    CellState.SHOWN: "up to date",
    CellState.STALE: "drawn as it was, newer mesh on its way",
    CellState.FAILED: "mesh failed",
}


def meshes(pictures: list[int], age_s: float = float("nan")) -> Meshes:
    many = len(pictures)
    return Meshes(
        np.stack([np.arange(many), np.full(many, -1), np.zeros(many)], axis=1).astype(np.int32),
        np.array(pictures, np.uint8),
        np.full(many, 3, np.int64),
        np.full(many, age_s),
        np.full(many, 10, np.int64),
        np.full(many, 42, np.int64),
    )


def test_each_state_has_its_box_and_what_is_empty_or_absent_none() -> None:
    made = cells_marks(given_facts([[0, 0, 0]]).but(meshes=meshes([int(state) for state in CellState])))
    boxes = zip(made.boxes.lows, made.boxes.chosen, strict=True)
    found = {CellState(int(low[0]) // 16): STYLES[kind].label for low, kind in boxes}
    assert found == WORDS
    assert (made.boxes.lows[:, 1] == -32).all()
    assert set(map(tuple, made.boxes.sizes.tolist())) == {(16, 32, 16)}


def test_a_new_mesh_flashes_and_fades() -> None:
    shown = [int(CellState.SHOWN)]
    young, old = (cells_marks(given_facts([[0, 0, 0]]).but(meshes=meshes(shown, age))) for age in (0.1, FLASH_S + 0.1))
    assert young.boxes.chosen.tolist() == [FLASH]
    assert 0.3 < young.boxes.shares[0] < 1.0
    assert old.boxes.chosen.tolist() != [FLASH]


def test_labels_say_generation_vertices_and_merging() -> None:
    assert format_mesh_counts(3, 10, 42) == "#3 40 vert\n4.2 faces/quad"
    assert format_mesh_counts(1, 0, 0) == "#1"


# ---------------------------------------------------------------- biomes


def ground(seed: int = 1) -> SurfaceFacts:
    rng = np.random.default_rng(seed)
    columns = np.array([[0, 0], [0, 1], [3, -2]], np.int32)
    biomes = np.repeat(np.repeat(rng.choice([1, 4, 7, UNKNOWN_BIOME], (3, 4, 4)), 4, 1), 4, 2).astype(np.uint16)
    return SurfaceFacts(columns, biomes, rng.integers(50, 90, (3, 16, 16)).astype(np.int32))


def plain_style(number: int) -> Style:
    return style_of(number, words_of(number, {}))


def test_tiles_lie_on_the_highest_ground_in_them_in_their_biome() -> None:
    given = ground()
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=given))
    boxes = zip(made.boxes.lows.tolist(), made.boxes.chosen, strict=True)
    found = {tuple(low): made.boxes.styles[kind] for low, kind in boxes}
    plain = {}
    for at, (x, z) in enumerate(given.columns.tolist()):
        for i in range(0, 16, 4):
            for j in range(0, 16, 4):
                top = int(given.tops[at, i : i + 4, j : j + 4].max())
                plain[x * 16 + i, top, z * 16 + j] = plain_style(int(given.biomes[at, i, j]))
    assert found == plain


def test_each_biome_of_a_column_is_named_once() -> None:
    given = ground()
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=given))
    plain = [words_of(number, {}) for column in given.biomes for number in sorted(set(column.ravel().tolist()))]
    assert list(made.labels.texts) == plain
    assert sum(row.count for row in made.legend) <= 3


def test_neighbours_by_number_differ_in_hatch_and_unknown_is_loud() -> None:
    numbers = sorted(biome_climates.load())
    assert all(plain_style(a).hatch != plain_style(b).hatch for a, b in itertools.pairwise(numbers) if b == a + 1)
    assert plain_style(UNKNOWN_BIOME) is UNKNOWN
    assert tuple(words_of(number, {}) for number in (1, UNKNOWN_BIOME, 9999)) == ("plains", "unknown", "biome 9999")


def test_a_biome_that_the_server_numbered_has_its_name_and_the_tone_of_a_word_in_it() -> None:
    given = ground()
    given.biomes[:] = 30_001
    named = SurfaceFacts(given.columns, given.biomes, given.tops, {30_001: "glow:bright marsh forest"})
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=named))
    assert set(made.labels.texts) == {"glow:bright marsh forest"}
    assert [row.style.label for row in made.legend] == ["glow:bright marsh forest (30001)"]
    assert (
        made.legend[0].style.colour != biomes_marks(given_facts([[0, 0, 0]]).but(ground=given)).legend[0].style.colour
    )
