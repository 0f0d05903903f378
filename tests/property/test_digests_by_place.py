"""Digests say whether two runs are the same, name the places that differ, and come back from their text."""

import json

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.scene_tests.compare_data import PARTS, DataTruth, Digests

PLACES = st.dictionaries(st.tuples(*[st.integers(-(1 << 26), 1 << 26)] * 3), st.integers(0, (1 << 64) - 1), max_size=40)


def digests(by_place: dict[tuple[int, int, int], int], order: npt.ArrayLike | None = None) -> Digests:
    positions = np.array(list(by_place), np.int32).reshape(-1, 3)
    full = np.array(list(by_place.values()), np.uint64)
    chosen = np.arange(len(full)) if order is None else np.asarray(order)
    return Digests.of(positions[chosen], full[chosen])


@given(PLACES, st.randoms(use_true_random=False))
def test_order_of_arrival_does_not_matter(by_place, random) -> None:
    order = list(range(len(by_place)))
    random.shuffle(order)
    assert digests(by_place) == digests(by_place, np.array(order, np.int64))


@given(PLACES, PLACES)
def test_the_places_that_differ_are_named(one, other) -> None:
    other = {**one, **other}
    kept = {at: value for index, (at, value) in enumerate(one.items()) if index % 3}
    differing = {tuple(at) for at in digests(kept).differing(digests(other)).tolist()}
    expected = {at for at in other if kept.get(at) is None or (kept[at] ^ other[at]) & 0xFFFFFFFF}
    assert differing == expected


@given(PLACES)
def test_what_is_written_is_read(by_place) -> None:
    written = digests(by_place)
    again = Digests.from_json(json.loads(json.dumps(written.as_json())))
    assert again == written
    assert again.positions.tolist() == written.positions.tolist()
    assert again.short.tolist() == written.short.tolist()
    assert not len(again.differing(written))


def test_a_difference_in_the_upper_half_of_a_digest_decides_all_the_same() -> None:
    assert digests({(0, 0, 0): 1}) != digests({(0, 0, 0): 1 | 1 << 40})


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "digest"),
        ({"digest": "00", "count": 1, "places": "!"}, "no digests"),
        ({"digest": "00", "count": 2, "places": digests({(0, 0, 0): 1}).as_json()["places"]}, "2 places"),
        ({"digest": "00", "count": 1 << 60, "places": ""}, "at most"),
        ({"digest": "00", "count": -1, "places": ""}, "at most"),
        ({"digest": "00", "count": "many", "places": ""}, "many"),
        ({"digest": "00", "count": float("inf"), "places": ""}, "infinity"),
        ({"digest": "00", "count": 1, "places": "é"}, "ASCII"),
    ],
)
def test_what_is_no_digest_is_named(said: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Digests.from_json(said)


def test_a_data_truth_comes_back_and_names_a_part_that_is_missing() -> None:
    parts = {name: digests({(index, 0, 0): index}) for index, name in enumerate(PARTS)}
    truth = DataTruth(**parts)
    said = json.loads(json.dumps(truth.as_json()))
    assert DataTruth.from_json(said) == truth
    del said["light"]
    with pytest.raises(ValueError, match="light"):
        DataTruth.from_json(said)
    with pytest.raises(ValueError, match="meshes"):
        DataTruth.from_json({**truth.as_json(), "meshes": {"digest": 3}})
    with pytest.raises(ValueError, match="table"):
        DataTruth.from_json([])
