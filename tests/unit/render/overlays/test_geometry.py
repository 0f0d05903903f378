"""Borders: each corner of a column has one upright edge, fainter far away; the eye's column has a frame a sub-chunk.

Cells: a box by each picture's state, a flash where a mesh is new, and what the mesh costs.

Biomes: a tile for each 4 x 4 blocks on the ground, in the paint of its biome, and a name a column and biome.

Gpu: T-junctions of random quads are those that looking at every point of every edge finds.

Light: The overlay of seams: only the sides that hang or wait are painted, and all are counted.

Marks: Heat: every step has a colour and a shape of its own, lighter as it rises; numbers fall into the step they name.
"""

import itertools

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assets.states import load_climates
from client.entities import EntityTracks
from net.space import UNKNOWN_BIOME
from render.mesh.vertex_format import CUBE, FACE_HEIGHT_AXIS, FACE_WIDTH_AXIS, pack
from render.overlays import gpu
from render.overlays.facts import Meshes, SeamSides, SurfaceFacts
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
from render.overlays.light import light_seams_marks
from render.overlays.overlay import STEPS, heat_styles, rising, step_of
from render.overlays.tracks import LABELLED, tracks_marks
from render.passes.overlay.boxes import HANGING, WAITING, Style
from render.scene.cells import CellState
from tests.support.worlds.entities import snapshot
from tests.support.worlds.overlay_facts import GivenFrame, given_facts

# ---------------------------------------------------------------- geometry

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
    assert made.labels.texts == tuple(f"chunk {x},0" for x in range(-3, 2))
    assert made.legend[0].count == 11


# ---------------------------------------------------------------- cells

WORDS = {
    CellState.DIRTY: "first mesh in progress",
    CellState.READY: "first mesh in progress",
    CellState.SHOWN: "up to date",
    CellState.STALE: "older mesh drawn, newer one in progress",
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


def test_tiles_lie_on_the_middle_height_in_them_in_their_biome() -> None:
    given = ground()
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=given))
    boxes = zip(made.boxes.lows.tolist(), made.boxes.chosen, strict=True)
    found = {tuple(low): made.boxes.styles[kind] for low, kind in boxes}
    plain = {}
    for at, (x, z) in enumerate(given.columns.tolist()):
        for i in range(0, 16, 4):
            for j in range(0, 16, 4):
                top = sorted(given.tops[at, i : i + 4, j : j + 4].ravel().tolist())[8]
                plain[x * 16 + i, top, z * 16 + j] = plain_style(int(given.biomes[at, i, j]))
    assert found == plain


def test_each_biome_of_a_column_is_named_once() -> None:
    given = ground()
    made = biomes_marks(given_facts([[0, 0, 0]]).but(ground=given))
    plain = [words_of(number, {}) for column in given.biomes for number in sorted(set(column.ravel().tolist()))]
    assert list(made.labels.texts) == plain
    assert sum(row.count for row in made.legend) <= 3


def test_neighbours_by_number_differ_in_hatch_and_unknown_is_loud() -> None:
    numbers = sorted(load_climates())
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


# ---------------------------------------------------------------- gpu

EYE = (8.0, 8.0, 8.0)


def random_quads(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    return {
        "x": rng.integers(0, 8, count),
        "z": rng.integers(0, 8, count),
        "y": rng.integers(0, 8, count),
        "face": rng.integers(0, 6, count),
        "width": rng.integers(1, 6, count),
        "height": rng.integers(1, 6, count),
    }


def plain_corners(fields: dict[str, np.ndarray], number: int) -> list[tuple[int, ...]]:
    face = int(fields["face"][number])
    low = [int(fields[axis][number]) for axis in "xyz"]
    if face % 2:
        low[(0, 0, 2, 2, 1, 1)[face]] += 1
    corners = []
    for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
        at = list(low)
        at[FACE_WIDTH_AXIS[face]] += s * int(fields["width"][number])
        at[FACE_HEIGHT_AXIS[face]] += t * int(fields["height"][number])
        corners.append(tuple(at))
    return corners


def test_junctions_are_corners_within_edges_of_others() -> None:
    rng = np.random.default_rng(3)
    fields = random_quads(rng, 60)
    words = pack(CUBE, 60, **fields)
    cell = np.zeros(3, np.int32)
    corners, faces = gpu.near_quads(((cell, words),), EYE)
    assert faces == int((fields["width"] * fields["height"]).sum())
    plain = [plain_corners(fields, number) for number in range(60)]
    assert sorted(map(tuple, corners.reshape(-1, 3).tolist())) == sorted(corner for quad in plain for corner in quad)
    all_corners = {corner for quad in plain for corner in quad}
    within = set()
    for quad in plain:
        for one, other in zip(quad, quad[1:] + quad[:1], strict=True):
            length = sum(abs(a - b) for a, b in zip(one, other, strict=True))
            for step in range(1, length):
                within.add(tuple(a + (b - a) // length * step for a, b in zip(one, other, strict=True)))
    assert {tuple(point) for point in gpu.junctions(corners).tolist()} == all_corners & within
    assert all_corners & within


def test_marks_count_what_is_near_and_cross_each_junction() -> None:
    fields = random_quads(np.random.default_rng(4), 40)
    words = pack(CUBE, 40, **fields)
    near, far = np.zeros(3, np.int32), np.array([9, 0, 9], np.int32)
    marks = gpu.merge_marks(
        given_facts(np.zeros((0, 3))).but(eye=EYE, frame=GivenFrame(solid_quads=((near, words), (far, words))))
    )
    quads, faces, points = (row.count for row in marks.legend)
    assert (quads, faces) == (40, int((fields["width"] * fields["height"]).sum()))
    assert points
    assert len(marks.lines) == 3 * points
    assert len(gpu.merge_marks(given_facts(np.zeros((0, 3)))).lines) == 0


# ---------------------------------------------------------------- light


def test_sides_are_painted_where_light_hangs_or_waits_and_nowhere_else() -> None:
    positions = np.array([[0, 0, 0], [5, 4, 3]], np.int32)
    seams = SeamSides(positions, np.array([0b101, 0b100000], np.uint8), np.array([0, 0b11], np.uint8))
    made = light_seams_marks(given_facts(positions).but(seams=seams))
    told = [(low.tolist(), made.boxes.styles[kind], bare) for low, kind, bare in zip(
        made.boxes.lows, made.boxes.chosen, made.boxes.bare.tolist(), strict=True)]  # fmt: skip
    assert told == [
        ([0, 0, 0], HANGING, 0b111010),
        ([80, 64, 48], HANGING, 0b011111),
        ([80, 64, 48], WAITING, 0b111100),
    ]
    assert [(row.style, row.count) for row in made.legend] == [(HANGING, 3), (WAITING, 2)]


# ---------------------------------------------------------------- marks

BOUNDS = (0.1, 0.5, 1.0, 2.0, 8.0)


def test_steps_differ_in_shape_and_grow_lighter() -> None:
    styles = heat_styles(rising(BOUNDS, "{:g} s".format))
    assert len({(style.hatch, style.line) for style in styles}) == len(styles) == len(STEPS)
    lightness = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (style.colour for style in styles)]
    assert lightness == sorted(lightness)


def test_steps_say_their_bounds() -> None:
    assert rising((1, 2), str) == ("below 1", "below 2", "2 or more")


@given(st.lists(st.floats(-10, 20), max_size=30))
def test_a_number_falls_into_the_first_step_whose_bound_it_is_under(numbers: list[float]) -> None:
    plain = [next((k for k, bound in enumerate(BOUNDS) if number < bound), len(BOUNDS)) for number in numbers]
    assert step_of(np.array(numbers), BOUNDS).tolist() == plain


# ---------------------------------------------------------------- entities


def test_entities_have_their_box_their_way_and_a_label() -> None:
    cow = {"at": (2.0, 64.0, 0.0), "before": (0.0, 64.0, 0.0), "moved_at": 900_000, "size": (2.0, 1.0)}
    shown = snapshot([{**cow, "row": 3}, {"at": (50.0, 64.0, 0.0), "name": "Ada", "row": 5, "invisible": True}])
    tracks = EntityTracks(
        now_us=975_000,  # half of a glide after the cow's move
        entities=shown,
        heard_at=np.array([475_000, 0]),
        numbers=np.array([3, 3, 3, 5, 9, 9], np.uint32),
        positions=np.array([[x, 64.0, 0.0] for x in range(6)]),
        teleported=np.array([False, False, True, False, False, False]),
        far=(("Eve", (900.0, 70.0, 0.0)),),
    )
    made = tracks_marks(given_facts([[0, 0, 0]]).but(tracks=tracks))
    assert len(made.lines) == 2 * 12 + 1
    assert made.lines.begins[:12, 0].min() == 0.0  # one block to the side of its middle, which is at 1
    assert made.lines.ends[:12, 1].max() == 65.0
    assert (made.lines.dashes_blocks[12:24] > 0).all()
    assert not made.lines.dashes_blocks[:12].any()
    assert (made.lines.begins[24, 0], made.lines.ends[24, 0]) == (0.0, 1.0), "the third was there at once"
    assert set(made.labels.texts) == {"cow #3\n0.5 s", "Ada #5\n1.0 s", "Eve\nfar away"}
    assert [row.count for row in made.legend] == [1, 1, 1, 1]
    far = tuple((f"\u00a7cP{at}\u00a7r", (5000.0 - at, 70.0, 0.0)) for at in range(4096))
    crowd = tracks_marks(given_facts([[0, 0, 0]]).but(tracks=msgspec.structs.replace(tracks, far=far)))
    assert set(crowd.labels.texts[2:]) == {f"P{4095 - at}\nfar away" for at in range(LABELLED)}
    assert crowd.legend[-1].count == 4096
    assert not len(tracks_marks(given_facts([[0, 0, 0]])).lines)
