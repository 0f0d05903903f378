"""Labels: which texts are shown, that none lies on another, and what shaders are told.

Boxes: what shaders are told, which are in sight, and in which order they are blended.

State styles: States are told apart by shape, not by colour alone.

Lines: Lines as arrays: what a box's edges are, and what the GPU gets of a line.
"""

import itertools
import re
from math import inf

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import shaders
from client.world.lifecycle import PLACEHOLDER_STATES, SubChunkState
from render.camera import Camera
from render.materials import font
from render.overlays.states import PAINTED
from render.passes.overlay.boxes import (
    AHEAD_BLOCKS,
    AHEAD_DEG,
    FIRST_BARE,
    RING_BIT,
    STYLES,
    UNLIT,
    Boxes,
    Hatch,
    Outline,
    Sighted,
    Style,
    defines,
    no_boxes,
    share_used,
)
from render.passes.overlay.boxes import packed as boxes_packed
from render.passes.overlay.labels import (
    CHARACTER_TALL,
    CHARACTER_WIDE,
    MOST_CHARACTERS,
    MOST_LABELS,
    LabelLayout,
    Labels,
    Placed,
    Spelling,
    Texts,
    no_labels,
    packed,
    texel_px,
)
from render.passes.overlay.lines import FRACTION, Lines, box_edges, no_lines
from render.passes.overlay.lines import packed as lines_packed
from render.passes.overlay.overlay_kernels import MOST_STACKED
from tests.support.reference.overlay_marks import plain_grid

# ---------------------------------------------------------------- labels

CAMERA = Camera((0.0, 0.0, 0.0), 0.0, 0.0, 70.0, 16 / 9)
SIZE = (320, 180)


def shown(labels: Labels, size_px: tuple[int, int] = SIZE) -> list[int]:
    return LabelLayout([labels]).shown(CAMERA, size_px).numbers.tolist()


def places_of(labels: Labels, chosen: list[int], texel: int) -> list[tuple[float, float, float, float]]:
    """Rectangles of some texts in the picture, by the camera's own rays."""
    forward, right, up = (np.array(axis) for axis in CAMERA.rays)
    found = []
    for number in chosen:
        near = labels.points[number] - np.array(CAMERA.eye)
        deep = near @ forward
        x = (near @ right / (right @ right) / deep * 0.5 + 0.5) * SIZE[0]
        y = (near @ up / (up @ up) / deep * 0.5 + 0.5) * SIZE[1]
        wide = len(labels.texts[number]) * CHARACTER_WIDE * texel
        found.append((x - wide / 2, y - CHARACTER_TALL * texel / 2, x + wide / 2, y + CHARACTER_TALL * texel / 2))
    return found


@given(st.integers(0, 10_000))
def test_no_text_lies_on_another_and_the_nearest_of_those_that_would_stays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform((-60, -30, -20), (60, 30, 100), (40, 3))
    labels = Labels.of(points, [f"{k} text" for k in range(40)])
    chosen = shown(labels)
    boxes = places_of(labels, chosen, texel_px(SIZE))
    for k, a in enumerate(boxes):
        for b in boxes[:k]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    away = np.linalg.norm(points[chosen], axis=1)
    assert (np.diff(away) >= 0).all()
    inside = (points[:, 2] > 0) & (np.abs(points[:, 0]) < points[:, 2]) & (np.abs(points[:, 1]) < points[:, 2] * 0.6)
    if inside.any():
        nearest = int(np.flatnonzero(inside)[np.linalg.norm(points[inside], axis=1).argmin()])
        assert nearest in chosen or np.linalg.norm(points[nearest]) > away[0]


def test_what_lies_behind_or_beside_is_not_shown_and_there_is_a_most() -> None:
    labels = Labels.of([(0, 0, -5), (100, 0, 5), (0, 0, 5)], ["behind", "beside", "ahead"])
    assert shown(labels) == [2]
    far = np.stack(np.meshgrid(np.arange(-160, 160, 4), np.arange(-90, 90, 4)), axis=-1).reshape(-1, 2)
    points = np.column_stack([far, np.full(len(far), 150)])
    assert len(shown(Labels.of(points, ["."] * len(points)), (4000, 2250))) == MOST_LABELS
    assert shown(no_labels()) == []


def test_a_character_is_packed_with_its_place_in_the_text() -> None:
    labels = Labels.of([(7.5, -3.25, 100.0)], ["ab\nc"], (255, 128, 1))
    layout = LabelLayout([labels])
    placed = layout.shown(replace(CAMERA, eye=(7.0, -3.0, 90.0)), SIZE)
    rows = packed(layout, placed, [0.55], (5, -5, 90), 2)
    assert rows[:, :3].view(np.float32).tolist() == [[2.5, 1.75, 10.0]] * 3
    assert laid_out(rows) == [(0, 2, 0, 2), (1, 2, 0, 2), (0, 1, 1, 2)]
    assert [tuple(row[4:6]) for row in rows.tolist()] == [font.bits(letter) for letter in "abc"]
    assert set(rows[:, 6].tolist()) == {255 | 128 << 8 | 1 << 16 | 110 << 24}
    assert set(rows[:, 7].tolist()) == {2}


def laid_out(rows: npt.NDArray[np.int32]) -> list[tuple[int, int, int, int]]:
    """Column, columns, row, rows of each character."""
    return [(word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24) for word in rows[:, 3].tolist()]


def test_texts_of_two_overlays_at_one_place_stand_below_each_other_and_take_their_room_together() -> None:
    first = Labels.of([(0.0, 0.0, 50.0), (30.0, 0.0, 50.0)], ["a\nb", "elsewhere"])
    second = Labels.of([(0.0, 0.0, 50.0), (0.0, 1.5, 51.0)], ["cd", "under the stack's top row"])
    layout = LabelLayout([first, second])
    placed = layout.shown(CAMERA, SIZE)
    assert [layout.text(number) for number in placed.numbers.tolist()] == ["a\nb", "cd", "elsewhere"]
    assert placed.rows.tolist() == [[0, 3], [2, 3], [0, 1]]
    rows = packed(layout, Placed(placed.numbers[:2], placed.rows[:2]), [0.5, 0.0], (0, 0, 0), 1)
    assert laid_out(rows) == [(0, 1, 0, 3), (0, 1, 1, 3), (0, 2, 2, 3), (1, 2, 2, 3)]
    assert (rows[:, 6].view(np.uint32) >> 24).tolist() == [100, 100, 0, 0]


def test_a_stack_has_a_most() -> None:
    points = np.array([(0.0, 0.0, 50.0)] * (MOST_STACKED + 1))
    labels = Labels.of(points, [str(number) for number in range(MOST_STACKED + 1)])
    assert shown(labels) == list(range(MOST_STACKED))


def test_texels_are_whole_pixels() -> None:
    assert [texel_px((1, tall)) for tall in (135, 359, 720, 1080, 1440)] == [1, 1, 2, 3, 4]


def test_texts_are_made_once_and_only_those_whose_middle_is_free() -> None:
    made: list[int] = []

    def say(number: int) -> str:
        made.append(number)
        return f"text {number}"

    behind_each_other = np.array([(0.0, 0.0, 5.0 + deep) for deep in range(100)])
    texts = Texts(100, say)
    layout = LabelLayout([Labels.of(behind_each_other, texts)])
    assert layout.shown(CAMERA, SIZE).numbers.tolist() == [0]
    assert 0 < len(made) < 40
    layout.shown(CAMERA, SIZE)
    assert len(made) == len(set(made))
    assert (len(texts), texts[99], list(texts[1:3])) == (100, "text 99", ["text 1", "text 2"])
    with pytest.raises(IndexError):
        texts[100]


def test_texts_of_a_part_that_stays_are_made_once_though_others_change() -> None:
    made: list[int] = []
    stays = Labels.of([(0.0, 0.0, 50.0)], Texts(1, lambda number: made.append(number) or "stays"))
    layout = LabelLayout([stays])
    for number in range(3):
        changes = Labels.of([(30.0, 0.0, 50.0)], [f"turn {number}"])
        layout = LabelLayout([changes, stays], layout)
        placed = layout.shown(CAMERA, SIZE)
        rows = packed(layout, placed, [0.0, 0.0], (0, 0, 0), 1)
        letters = "".join(layout.text(number) for number in placed.numbers.tolist())
        assert [tuple(row[4:6]) for row in rows.tolist()] == [font.bits(letter) for letter in letters]
        assert f"turn {number}" in letters
    assert made == [0]


def test_when_much_was_spelt_it_is_spelt_again() -> None:
    spelling = Spelling()
    long = spelling.of("a" * 200 + "\nb")
    assert long == (200, 2, 0, 201)
    for number in range(MOST_CHARACTERS // 100):
        spelling.of(f"{number:0101}")
    spelling.trim()
    assert spelling.edition == 1
    assert spelling.of("cd") == (2, 1, 0, 2)
    assert spelling.characters[1].tolist() == [1 | 2 << 8, 0, *font.bits("d")]


def test_a_layout_goes_on_where_its_spelling_was_forgotten() -> None:
    layout = LabelLayout([Labels.of([(0.0, 0.0, 50.0)], ["ab\nc"])])
    before = packed(layout, layout.shown(CAMERA, SIZE), [0.5], (0, 0, 0), 1)
    for number in range(MOST_CHARACTERS // 100):
        layout.spelling.of(f"{number:0101}")
    assert (packed(layout, layout.shown(CAMERA, SIZE), [0.5], (0, 0, 0), 1) == before).all()
    assert layout.spelling.edition == 1


def test_where_sight_is_parallel_the_text_nearest_along_it_stays() -> None:
    camera = replace(CAMERA, ortho_blocks=64.0, near_blocks=-1024.0, far_blocks=1024.0)
    points = np.array([[0.0, 0.0, 5.0], [0.0, 0.1, -90.0], [0.0, 20.0, 40.0]])
    labels = Labels.of(points, ("AT THE EYE", "FAR BEFORE IT", "BESIDE"))
    assert LabelLayout([labels]).shown(camera, SIZE).numbers.tolist() == [1, 2]


def test_labels_are_the_same_where_all_that_is_drawn_of_them_is_known_to_be() -> None:
    labels = Labels.of([(0, 0, 5), (1, 0, 5)], ["one", "two"], (255, 0, 0), (3, 1))
    assert labels.same(Labels.of([(0, 0, 5), (1, 0, 5)], ["one", "two"], [(255, 0, 0)] * 2, (3, 1)))
    others = (
        replace(labels, texts=("one", "three")),
        replace(labels, points=labels.points + 1.0),
        replace(labels, tones=labels.tones + np.uint8(1)),
        replace(labels, least=(1, 1)),
        replace(labels, texts=Texts(2, ("one", "two").__getitem__)),
        no_labels(),
    )
    assert not any(labels.same(other) or other.same(labels) for other in others)


# ---------------------------------------------------------------- boxes

# ---------------------------------------------------------------- boxes

PAINTS = (*STYLES.values(), Style("filled", (1.0, 0.5, 0.0), Outline.HEAVY, Hatch.UPRIGHT, 0.25, 0.5))
BOXES_CAMERA = Camera((8.0, 8.0, 8.0), 30.0, 20.0, 70.0, 1.5)


def some_boxes(seed: int = 2) -> Boxes:
    rng = np.random.default_rng(seed)
    lows = np.unique(rng.integers(-90, 90, (300, 3)), axis=0)
    sizes = rng.integers(1, 40, lows.shape)
    return Boxes.of(lows, rng.integers(0, len(PAINTS), len(lows)), PAINTS, sizes, rng.random(len(lows)))


def test_the_shader_unpacks_what_is_packed_and_knows_all_shapes_by_name() -> None:
    unpacking, painting = shaders.read("boxes.vert"), shaders.read("boxes.frag")
    for words in (
        "line = box.w & 255;",
        "hatch = box.w >> 8 & 255;",
        "fill = float(box.w >> 16 & 255) / 255.0;",
        f"ring = box.w >> {RING_BIT} & 1;",
        f"box.w >> ({FIRST_BARE} + face) & 1",
        "size = vec3(paint.y & 0xffff, paint.z & 0xffff, paint.y >> 16 & 0xffff);",
        "share = float(paint.z >> 16 & 255) / 255.0;",
    ):
        assert words in unpacking
    used = set(re.findall(r"\b(?:LINE|HATCH)_[A-Z]+", painting))
    assert used == set(defines()) - {"HATCH_NONE"}  # which paints nothing


def test_a_box_is_packed_as_the_shader_unpacks_it() -> None:
    boxes = Boxes.of([(-5, 70, 31)], len(PAINTS) - 1, PAINTS, (16, 300, 2), 0.5, True, 0b100001)
    x, y, z, look, tone, across, tall, _ = boxes_packed(boxes)[0].tolist()
    assert (x, y, z) == (-5, 70, 31)
    assert (look & 255, look >> 8 & 255, look >> 16 & 255) == (Outline.HEAVY, Hatch.UPRIGHT, 128)
    assert (look >> RING_BIT & 1, look >> FIRST_BARE & 63) == (1, 0b100001)
    assert [tone >> 8 * at & 255 for at in range(4)] == [255, 128, 0, 64]
    assert (across & 0xFFFF, across >> 16, tall & 0xFFFF, tall >> 16) == (16, 2, 300, 128)


def test_boxes_in_sight_stand_far_to_near_and_equal_ones_as_given() -> None:
    boxes = some_boxes()
    rows = Sighted(boxes).rows(BOXES_CAMERA)
    assert (plain_grid(boxes) == 1).all()
    sizes = np.column_stack([rows[:, 5] & 0xFFFF, rows[:, 6] & 0xFFFF, rows[:, 5] >> 16])
    away = rows[:, :3] + sizes / 2 - np.array(BOXES_CAMERA.eye_block) - 0.5
    sideways = (away[:, ::2] ** 2).sum(axis=1)
    assert 0 < len(rows) < len(boxes)
    assert (np.diff(sideways) <= 0).all()
    alike = replace(boxes, sizes=np.full_like(boxes.sizes, 16))
    begin = (np.floor(np.array(BOXES_CAMERA.eye) / plain_grid(alike)) + 0.5) * plain_grid(alike)
    squares = ((Sighted(alike).rows(BOXES_CAMERA)[:, :3] + 8 - begin) ** 2).sum(axis=1)
    assert (np.diff(squares) <= 0).all()
    twins = Boxes.of(np.repeat([(0, 0, 30), (5, 5, 60), (-5, 0, 60)], 2, axis=0), [0, 1] * 3, PAINTS)
    ahead = Sighted(twins).rows(Camera((0.0, 0.0, 0.0), 0.0, 0.0, 70.0, 1.0))
    tones = boxes_packed(twins)[:2, 4].tolist()
    pairs = [(a, b) for a, b in itertools.pairwise(ahead.tolist()) if a[:3] == b[:3]]
    assert len(pairs) == 3
    assert all([a[4], b[4]] == tones for a, b in pairs)


def test_where_sight_is_parallel_boxes_stand_far_to_near_along_it() -> None:
    turned = replace(BOXES_CAMERA, ortho_blocks=64.0, near_blocks=-1024.0, far_blocks=1024.0)
    boxes = some_boxes()
    for camera in (turned, replace(turned, yaw_deg=-100.0)):
        sighted = Sighted(replace(boxes, sizes=np.full_like(boxes.sizes, 16)))
        sighted.rows(replace(camera, yaw_deg=77.0))
        rows = sighted.rows(camera)
        depths = (rows[:, :3] + 8) @ np.array(camera.forward)
        assert len(rows) > 20
        assert (np.diff(depths) <= 0.01).all()


def columns(rng: np.random.Generator) -> Boxes:
    """Columns from floor to roof as one box, among others of sub-chunks."""
    whole = rng.random((5, 5)) < 0.3
    lows = [(x * 16, y * 16, z * 16) for x, z in np.argwhere(~whole) for y in range(-4, 20)]
    tall = [(x * 16, -64, z * 16) for x, z in np.argwhere(whole)]
    return Boxes.of(
        np.array(lows + tall), 0, PAINTS, [(16, 16, 16)] * len(lows) + [(16, 384, 16)] * len(tall)
    )  # fmt: skip


@given(st.integers(0, 1 << 30), st.floats(-180, 180), st.floats(-90, 90), st.booleans())
def test_no_box_covers_one_that_is_nearer_whatever_their_heights(
    seed: int, yaw: float, pitch: float, parallel: bool
) -> None:
    rng = np.random.default_rng(seed)
    eye = rng.uniform((0, -64, 0), (80, 320, 80))
    camera = Camera((eye[0], eye[1], eye[2]), yaw, pitch, 70.0, 1.5)
    if parallel:
        camera = replace(camera, ortho_blocks=64.0, near_blocks=-1024.0, far_blocks=1024.0)
    rows = Sighted(columns(rng)).rows(camera)
    sizes = np.column_stack([rows[:, 5] & 0xFFFF, rows[:, 6] & 0xFFFF, rows[:, 5] >> 16])
    for _ in range(20):
        way = np.array(camera.forward) if parallel else np.array(camera.forward) + rng.uniform(-0.3, 0.3, 3)
        begin = eye + rng.uniform(-30, 30, 3) - way * 1000 if parallel else eye
        with np.errstate(divide="ignore", over="ignore"):
            sides = np.stack([(rows[:, :3] + 0.1 - begin) / way, (rows[:, :3] + sizes - 0.1 - begin) / way])
        enters, leaves = sides.min(axis=0).max(axis=1), sides.max(axis=0).min(axis=1)
        hit = (enters < leaves) & (enters > 0)
        assert (np.diff(enters[hit]) < 0).all()


@given(st.integers(0, 1000), st.floats(-180, 180), st.floats(-90, 90))
def test_no_box_with_a_corner_in_the_picture_is_left_out(seed: int, yaw: float, pitch: float) -> None:
    boxes, camera = some_boxes(seed), Camera((1.5, 2.5, -3.5), yaw, pitch, 70.0, 1.5)
    which = np.arange(8)[:, None] >> np.arange(3) & 1
    corners = boxes.lows[:, None] + boxes.sizes[:, None] * which - np.array(camera.eye)
    inside = (corners @ camera.planes()[:, :3].T + camera.planes()[:, 3] > 1e-9).all(axis=2).any(axis=1)
    drawn = set(map(tuple, Sighted(boxes).rows(camera)[:, :3].tolist()))
    assert set(map(tuple, boxes.lows[inside].tolist())) <= drawn


def test_what_was_sent_ahead_does_for_a_camera_that_turned_or_went_a_little() -> None:
    for used, camera in (
        (0.0, BOXES_CAMERA),
        (1.0, replace(BOXES_CAMERA, yaw_deg=BOXES_CAMERA.yaw_deg - AHEAD_DEG)),
        (
            1.0,
            replace(BOXES_CAMERA, yaw_deg=BOXES_CAMERA.yaw_deg + 360.0 + AHEAD_DEG / 2, pitch_deg=20.0 - AHEAD_DEG / 2),
        ),
        (0.5, replace(BOXES_CAMERA, eye=(8.0, 8.0, 8.0 + AHEAD_BLOCKS / 2))),
        (inf, replace(BOXES_CAMERA, fov_deg=71.0)),
        (inf, replace(BOXES_CAMERA, aspect=1.6)),
        (inf, replace(BOXES_CAMERA, yaw_deg=31.0, ortho_blocks=64.0)),
    ):
        assert share_used(camera, BOXES_CAMERA) == pytest.approx(used)


def test_the_order_is_that_of_all_eyes_in_a_cell_of_the_boxes() -> None:
    tall = Boxes.of([(0, 32, 48), (-16, 64, 16)], 0, PAINTS, (16, 32, 16))
    sighted = Sighted(tall)
    sighted.rows(replace(BOXES_CAMERA, eye=(0.5, 33.0, -0.5)))
    assert sighted.in_order_for(replace(BOXES_CAMERA, eye=(15.5, 63.5, -15.5)))
    for eye in ((-0.5, 33.0, -0.5), (0.5, 31.5, -0.5), (0.5, 33.0, 0.5)):
        assert not sighted.in_order_for(replace(BOXES_CAMERA, eye=eye))


def test_no_boxes_are_none() -> None:
    assert len(no_boxes()) == 0
    assert boxes_packed(no_boxes()).shape == (0, 8)


# ---------------------------------------------------------------- state styles


def test_every_state_but_outside_has_a_style_of_its_own_shape() -> None:
    assert set(STYLES) == set(SubChunkState) - {SubChunkState.OUTSIDE}
    shapes = [(style.line, style.hatch) for style in PAINTED]
    assert len(set(shapes)) == len(shapes)
    assert len({style.colour for style in STYLES.values()}) == len(STYLES)


def test_what_is_not_lit_stands_out_from_black_and_from_received() -> None:
    assert max(UNLIT.colour) == 1.0
    assert UNLIT.line is Outline.HEAVY
    assert max(abs(a - b) for a, b in zip(UNLIT.colour, STYLES[SubChunkState.DATA].colour, strict=True)) > 0.3


def test_placeholders_are_hatched_and_air_and_data_are_not() -> None:
    assert all(STYLES[state].hatch is not Hatch.NONE for state in PLACEHOLDER_STATES)
    for state in (SubChunkState.KNOWN_AIR, SubChunkState.ALL_AIR, SubChunkState.DATA):
        assert STYLES[state].hatch is Hatch.NONE
    assert STYLES[SubChunkState.ALL_AIR].line is Outline.DOTTED


# ---------------------------------------------------------------- lines


def test_a_box_has_twelve_edges_of_its_own_sizes_and_each_corner_ends_three() -> None:
    begins, ends = box_edges(np.array([[1, 2, 3]]), np.array([[2, 4, 6]]))
    assert sorted(np.linalg.norm(ends - begins, axis=1)) == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    corners, times = np.unique(np.concatenate([begins, ends]), axis=0, return_counts=True)
    assert len(corners) == 8
    assert set(times) == {3}
    assert np.isin(corners[:, 1], (2, 4)).all()


def test_edges_of_many_boxes_come_box_by_box() -> None:
    lows = np.array([[0, 0, 0], [-32, 16, 5]])
    both = box_edges(lows, lows + 16)
    for box, low in enumerate(lows):
        one = box_edges(low[None], low[None] + 16)
        for part, whole in zip(one, both, strict=True):
            assert np.array_equal(part, whole[12 * box : 12 * box + 12])


def test_ends_are_counted_from_the_eyes_block_so_that_far_out_no_bit_is_lost() -> None:
    far = np.array([30_000_000.25, 64.5, -30_000_000.75])
    row = lines_packed(Lines.of(far[None], far[None] + 1, (1, 2, 3, 255)), (30_000_000, 64, -30_000_001))
    assert row[0, 0:3].view(np.float32).tolist() == [0.25, 0.5, 0.25]
    assert row[0, 4:7].view(np.float32).tolist() == [1.25, 1.5, 1.25]


def test_tone_width_and_dash_are_packed_beside_the_ends() -> None:
    row = lines_packed(Lines.of(np.zeros((1, 3)), np.ones((1, 3)), (255, 128, 1, 200), 2.5, 0.75), (0, 0, 0))
    assert row[0, 3:4].view(np.uint8).tolist() == [255, 128, 1, 200]
    assert row[0, 7] == round(2.5 * FRACTION) | round(0.75 * FRACTION) << 16


def test_what_is_too_wide_is_as_wide_as_can_be_told() -> None:
    row = lines_packed(Lines.of(np.zeros((1, 3)), np.ones((1, 3)), (0, 0, 0, 0), 1e9, 1e9), (0, 0, 0))
    assert row[0, 7:8].view(np.uint32)[0] == 0xFFFFFFFF


def test_joined_lines_come_one_behind_the_other() -> None:
    one = Lines.of(np.zeros((2, 3)), np.ones((2, 3)), (1, 1, 1, 1), 3.0)
    other = Lines.of(np.ones((1, 3)), np.zeros((1, 3)), (2, 2, 2, 2), 4.0, 1.0)
    both = no_lines() + one + other
    assert len(both) == 3
    assert np.array_equal(
        lines_packed(both, (0, 0, 0)), np.concatenate([lines_packed(one, (0, 0, 0)), lines_packed(other, (0, 0, 0))])
    )
