"""Labels: which texts are shown, that none lies on another, and what shaders are told."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from render.camera import Camera
from render.materials import font
from render.passes.overlay.labels import (
    CELL_TALL,
    CELL_WIDE,
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
from render.passes.overlay.overlay_kernels import MOST_STACKED

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
        wide = len(labels.texts[number]) * CELL_WIDE * texel
        found.append((x - wide / 2, y - CELL_TALL * texel / 2, x + wide / 2, y + CELL_TALL * texel / 2))
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
