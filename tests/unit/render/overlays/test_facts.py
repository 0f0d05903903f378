"""Verdicts and links as plain arrays, held against one cell, one pair and one side at a time."""

from itertools import product

import numpy as np

from net.space.layout import DIRECTIONS
from render.camera import Camera
from render.overlays import visibility
from render.overlays.facts import CellFacts, CellVerdict, Links
from render.overlays.visibility import frustum_lines
from tests.support.worlds.overlay_facts import GivenFrame, given_facts

FLAGS = ("resident", "missing", "meshed", "filled", "lit", "listed", "drawn")


def plain_verdict(cell: dict[str, bool]) -> CellVerdict:
    """The rules one by one, for one cell: the first that holds."""
    rules = (
        (not cell["resident"], CellVerdict.TOO_FAR),
        (cell["missing"] and not cell["filled"], CellVerdict.PLACEHOLDER),
        (not cell["meshed"], CellVerdict.NOT_MESHED),
        (not cell["filled"], CellVerdict.EMPTY),
        (cell["drawn"], CellVerdict.DRAWN),
        (not cell["lit"], CellVerdict.NO_ROOM),
        (cell["listed"], CellVerdict.FRUSTUM),
        (True, CellVerdict.OCCLUDED),
    )
    return next(verdict for holds, verdict in rules if holds)


def every_cell() -> CellFacts:
    """One for each set of flags."""
    rows = np.array(list(product((False, True), repeat=len(FLAGS))))
    positions = np.stack([np.arange(len(rows)), np.zeros(len(rows)), np.zeros(len(rows))], axis=1).astype(np.int32)
    return CellFacts(positions, *(rows[:, at] for at in range(len(FLAGS))))


def test_each_set_of_facts_has_the_verdict_that_the_rules_say() -> None:
    cells = every_cell()
    for number, found in enumerate(cells.verdicts().tolist()):
        assert found == plain_verdict({name: bool(getattr(cells, name)[number]) for name in FLAGS}), number


def test_every_cell_but_empty_ones_has_a_box_and_all_are_counted() -> None:
    cells = every_cell()
    marks = visibility.verdict_marks(given_facts(np.zeros((0, 3))).but(frame=GivenFrame(cells=cells)))
    found = cells.verdicts()
    assert [row.count for row in marks.legend] == [int((found == one).sum()) for one in CellVerdict]
    assert len(marks.boxes) == int((found != CellVerdict.EMPTY).sum())
    assert (marks.boxes.sizes == (16, 32, 16)).all()
    assert (marks.boxes.chosen == found[found != CellVerdict.EMPTY]).all()


def test_styles_of_verdicts_differ_in_more_than_colour() -> None:
    shapes = [(style.line, style.hatch) for style in visibility.STYLES if "no box" not in style.label]
    far = [(style.line, style.hatch) for style in visibility.STYLES if style.label == "too far"]
    assert len(shapes) == len(set(shapes))
    assert len(far) == 1
    assert len(visibility.STYLES) == len(CellVerdict)


def test_linked_pairs_are_those_whose_bit_is_set_and_open_ones_have_their_axes() -> None:
    rng = np.random.default_rng(5)
    links = np.zeros(40, np.uint64)
    for number in range(len(links)):
        for a, b in product(range(6), repeat=2):
            if rng.random() < 0.4 or number == 7:
                links[number] |= np.uint64(1 << (a * 8 + b) | 1 << (b * 8 + a))
    pairs, where = visibility.linked_pairs(links)
    found = {(int(number), *visibility.PAIRS[pair].tolist()) for pair, number in zip(pairs, where, strict=True)}
    plain = {
        (number, a, b)
        for number in range(len(links))
        for a in range(6)
        for b in range(a + 1, 6)
        if int(links[number]) >> (a * 8 + b) & 1 and (number != 7 or (b == a + 1 and a % 2 == 0))
    }
    assert found == plain


def test_the_walk_stops_where_a_reached_one_meets_a_known_one_that_is_not() -> None:
    rng = np.random.default_rng(6)
    positions = np.array(list(product(range(3), repeat=3)), np.int32)
    number = {tuple(at): index for index, at in enumerate(positions.tolist())}
    beside = np.array(
        [[number.get((x + dx, y + dy, z + dz), -1) for dx, dy, dz in DIRECTIONS] for x, y, z in positions.tolist()],
        np.int32,
    )
    reached, missing = rng.random(27) < 0.5, rng.random(27) < 0.3
    near = Links(positions, reached, missing, np.zeros(27, np.uint64), beside)
    found = set(zip(*(part.tolist() for part in visibility.stops_of(near)), strict=True))
    plain = set()
    for one, side in product(range(27), range(6)):
        other = beside[one, side]
        if other >= 0 and reached[one] and not missing[one] and not reached[other] and not missing[other]:
            plain.add((one, side))
    assert found == plain
    marks = visibility.graph_marks(given_facts(np.zeros((0, 3))).but(frame=GivenFrame(links=near)))
    asked, known = int((reached & missing).sum()), int((reached & ~missing).sum())
    assert [row.count for row in marks.legend] == [known, int((~reached & ~missing).sum()), len(plain), asked]
    assert sorted(marks.labels.texts) == ["asked, not passed"] * asked + ["shut"] * len(plain)
    assert len(marks.lines) == 2 * len(plain) + 12 * int((reached & missing).sum())


def test_the_frozen_frustum_ends_at_the_corners_of_the_picture() -> None:
    camera = Camera((1.0, 2.0, 3.0), 30.0, 20.0, 70.0, 1.5)
    lines = frustum_lines(camera, 10.0)
    far = lines.ends[:4] - np.array(camera.eye)
    clip = np.column_stack([far, np.ones(4)]) @ camera.view_projection().astype(float)
    assert np.allclose(np.abs(clip[:, :2] / clip[:, 3:]), 1.0, atol=1e-5)
    assert np.allclose(far @ np.array(camera.forward), 10.0)
    assert np.allclose(lines.begins[:4], camera.eye)
