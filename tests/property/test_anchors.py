"""Anchors count as sets of columns would, whatever is pinned, moved, resized and released.

Plain anchors: Anchors with sets of columns, counted anew at each drain: the plain twin of ``client.streaming.anchors``.
"""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from client.streaming.anchors import Anchor, Anchors
from net.space.positions import ColumnPos

# ---------------------------------------------------------------- plain anchors

Column = tuple[int, int]


class PlainAnchors:
    """One set of anchors; ``loaded`` is what was loaded and not released since."""

    def __init__(self, margin: int) -> None:
        self._margin = margin
        self._anchors: dict[str, set[Column]] = {}
        self._grown: dict[str, set[Column]] = {}
        self.loaded: set[Column] = set()

    def pin(self, name: str, anchor: Anchor) -> None:
        self._anchors[name] = columns(anchor)
        self._grown[name] = columns(anchor.grown(self._margin)) if self._anchors[name] else set()

    def release(self, name: str) -> None:
        self._anchors.pop(name, None)
        self._grown.pop(name, None)

    def count(self, column: Column) -> int:
        return sum(column in held for held in self._anchors.values())

    def keeps(self, column: Column) -> bool:
        return any(column in kept for kept in self._grown.values())

    def drain(self) -> tuple[set[Column], set[Column]]:
        before = self.loaded
        held = set().union(*self._anchors.values())
        self.loaded = {column for column in before | held if self.keeps(column)}
        return self.loaded - before, before - self.loaded


def columns(anchor: Anchor) -> set[Column]:
    xs, zs = range(anchor.low.x, anchor.high.x + 1), range(anchor.low.z, anchor.high.z + 1)
    return {(x, z) for x in xs for z in zs}


# ---------------------------------------------------------------- anchors

NEAR = st.integers(-6, 6)
RADIUS = st.integers(0, 4)
RECTANGLES = st.builds(Anchor.rectangle, st.builds(ColumnPos, NEAR, NEAR), RADIUS, RADIUS)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pin"), st.sampled_from("abc"), RECTANGLES),
        st.tuples(st.just("release"), st.sampled_from("abc")),
        st.tuples(st.just("drain")),
    ),
    max_size=30,
)
ALL = Anchor.square(ColumnPos(0, 0), 14).columns()


def as_set(found: Any) -> set[tuple[int, int]]:
    return {(x, z) for x, z in found.tolist()}


def obey(anchors: Anchors | PlainAnchors, step: Any) -> None:
    if step[0] == "pin":
        anchors.pin(*step[1:])
    elif step[0] == "release":
        anchors.release(step[1])


@settings(deadline=None)
@given(STEPS, st.integers(0, 3))
def test_counts_and_lists_are_those_of_plain_sets(steps: list[Any], margin: int) -> None:
    anchors, plain = Anchors(margin), PlainAnchors(margin)
    for step in [*steps, ("drain",)]:
        obey(anchors, step)
        obey(plain, step)
        assert anchors.counts(ALL).tolist() == [plain.count((x, z)) for x, z in ALL.tolist()]
        assert anchors.released(ALL).tolist() == [not plain.keeps((x, z)) for x, z in ALL.tolist()]
        if step[0] != "drain":
            continue
        drained = anchors.drain()
        assert (as_set(drained.to_load), as_set(drained.to_release)) == plain.drain()
        assert len(drained.to_load) == len(as_set(drained.to_load))  # each once
        assert len(drained.to_release) == len(as_set(drained.to_release))
        assert as_set(ALL[anchors.loaded(ALL)]) == as_set(anchors.loaded_columns()) == plain.loaded


@settings(deadline=None)
@given(STEPS)
def test_whatever_is_visible_has_its_eight_neighbours_in_memory(steps: list[Any]) -> None:
    activity, visibility = Anchors(), Anchors()
    for step in steps:
        obey(activity, step)
        activity.drain()
        visibility.follow(activity, -1)
        visibility.drain()
        for x, z in visibility.loaded_columns().tolist():
            assert activity.loaded(Anchor.square(ColumnPos(x, z), 1).columns()).all()


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), RECTANGLES), min_size=1, max_size=6), st.randoms())
def test_what_is_pinned_between_two_drains_counts_alike_in_any_order(pins: list[Any], random: Any) -> None:
    last = dict(pins)
    straight, winding = Anchors(), Anchors()
    for name, anchor in pins:
        winding.pin(name, anchor)
    shuffled = list(last.items())
    random.shuffle(shuffled)
    for name, anchor in shuffled:
        straight.pin(name, anchor)
    ways = straight.drain(), winding.drain()
    assert np.array_equal(ways[0].to_load, ways[1].to_load)
    assert np.array_equal(straight.loaded_columns(), winding.loaded_columns())


@settings(deadline=None)
@given(RECTANGLES, RECTANGLES)
def test_what_one_rectangle_holds_without_another_is_a_set_difference(whole: Anchor, hole: Anchor) -> None:
    parts = [columns(part) for part in whole.without(hole)]
    assert set().union(*parts) == columns(whole) - columns(hole)
    assert sum(map(len, parts)) == len(columns(whole) - columns(hole))  # they do not overlap
