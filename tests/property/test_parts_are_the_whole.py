"""``--part K/N``: all parts together are the whole, and none of it is in two of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.errors import UsageError
from render.jobs.processes import Part
from render.scene_tests import BadScene
from render.scene_tests.suite import Suite
from tests.support.data.scene_suites import flat_scene


@given(st.integers(0, 60), st.integers(1, 70), st.integers(1, 9))
def test_parts_have_everything_once(size: int, count: int, pieces: int) -> None:
    whole = tuple(range(size))
    parts = [Part.parse(f"{number}/{count}") for number in range(1, count + 1)]
    shares = [part.of(whole) for part in parts]
    assert sorted(each for share in shares for each in share) == list(whole)
    assert [list(share) for share in shares] == [sorted(share) for share in shares], "in the order of the whole"
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    rows = [part.of_row(size) for part in parts]
    assert [each for row in rows for each in row] == list(whole)
    assert max(map(len, rows)) - min(map(len, rows)) <= 1
    for part in parts[:3]:
        split = [number for piece in part.split(pieces) for number in piece.of_row(size)]
        assert split == list(part.of_row(size))


@given(st.text("0123456789/-+ ٣", max_size=6))
def test_what_is_no_part_is_refused(text: str) -> None:
    before, slash, after = text.partition("/")
    plain = all(word.isascii() and word.isdigit() for word in (before, after))
    if slash and plain and 1 <= int(before) <= int(after):
        assert Part.parse(text) == Part(int(before), int(after))
    else:
        with pytest.raises(UsageError, match="is not a part"):
            Part.parse(text)


def test_parts_of_a_suite_have_each_scene_each_bad_file_and_each_unused_one_once(tmp_path: Path) -> None:
    suite = Suite(
        tmp_path,
        tuple(flat_scene(tmp_path, name) for name in "abcde"),
        (BadScene("x"), BadScene("y")),
        (tmp_path / "old.npz",),
    )
    parts = [suite.part(Part(number, 3)) for number in (1, 2, 3)]
    assert [[scene.name for scene in part.scenes] for part in parts] == [["a", "d"], ["b", "e"], ["c"]]
    assert [len(part.bad) for part in parts] == [1, 1, 0]
    assert [len(part.unused) for part in parts] == [1, 0, 0]
    assert suite.part(Part(1, 1)) == suite
