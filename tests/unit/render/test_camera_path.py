"""Camera paths: what files are understood, and the way between their keys."""

from itertools import pairwise
from math import isclose
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.errors import UnreadableFile, UsageError
from client.player import Eye, View
from render.camera_path import CameraPath, Key, read_path, write_path

GOOD = """
[[key]]
time_s = 1
at = [0, 64, 0]
look = [170, 0]
[[key]]
time_s = 3.5
at = [10.0, 64, -5]
look = [-170, 45]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "path.toml"
    path.write_text(text)
    return path


def test_a_path_passes_its_keys_at_their_times(tmp_path: Path) -> None:
    path = read_path(written(tmp_path, GOOD))
    assert path.duration_s == 2.5
    assert path.view(0.0) == View(Eye(0.0, 64.0, 0.0), 170.0, 0.0, 70.0)
    end = path.view(2.5, 50.0)
    assert (end.eye, end.yaw_deg % 360, end.pitch_deg, end.fov_deg) == (Eye(10.0, 64.0, -5.0), 190.0, 45.0, 50.0)
    assert path.view(-1.0) == path.view(0.0)
    assert path.view(9.0) == path.view(2.5)


def test_a_turn_takes_the_shorter_way(tmp_path: Path) -> None:
    assert read_path(written(tmp_path, GOOD)).view(1.25).yaw_deg == pytest.approx(180.0)


def test_two_keys_make_constant_speed(tmp_path: Path) -> None:
    path = read_path(written(tmp_path, GOOD))
    assert [path.view(2.5 * n / 10).eye.x for n in range(11)] == pytest.approx([float(n) for n in range(11)])


def keys_of(times: list[int], values: list[float]) -> tuple[Key, ...]:
    return tuple(
        Key(float(at), View(Eye(value, -value, 2 * value), value * 7, 0.0))
        for at, value in zip(sorted(times), values, strict=False)
    )


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=6, unique=True),
    st.lists(st.floats(-1e4, 1e4, allow_nan=False), min_size=6, max_size=6),
    st.floats(0.0, 1.0),
)
def test_no_coordinate_leaves_the_range_of_the_keys_around(times: list[int], values: list[float], share: float) -> None:
    keys = keys_of(times, values)
    path = CameraPath(keys)
    for before, after in pairwise(keys):
        at = before.time_s + (after.time_s - before.time_s) * share - keys[0].time_s
        eye = path.view(at).eye
        for low, here, high in zip(before.view.eye, eye, after.view.eye, strict=True):
            slack = 1e-6 * max(abs(low), abs(high), 1.0)  # times are rounded, too
            assert min(low, high) - slack <= here <= max(low, high) + slack


@given(st.lists(st.integers(0, 100), min_size=3, max_size=5, unique=True), st.permutations([1.0, 5.0, 7.0, 2.0, 9.0]))
def test_speed_is_continuous_over_a_key(times: list[int], values: list[float]) -> None:
    keys = keys_of(times, values)
    path = CameraPath(keys)
    step = 1e-5
    for key in keys[1:-1]:
        at = key.time_s - keys[0].time_s
        before = (path.view(at).eye.x - path.view(at - step).eye.x) / step
        after = (path.view(at + step).eye.x - path.view(at).eye.x) / step
        assert isclose(before, after, abs_tol=0.02, rel_tol=0.02)


def heights(*blocks: float | None) -> CameraPath:
    return CameraPath(
        tuple(Key(float(at), View(Eye(0.0, 0.0, 0.0), ortho_blocks=high)) for at, high in enumerate(blocks))
    )


def test_heights_of_orthographic_pictures_grow_from_key_to_key() -> None:
    path = heights(32.0, 64.0, 128.0)
    assert [path.view(at).ortho_blocks for at in (0.0, 1.0, 2.0, 9.0)] == [32.0, 64.0, 128.0, 128.0]
    between = [path.view(at / 10).ortho_blocks or 0.0 for at in range(21)]
    assert between == sorted(between)
    assert len(set(between)) == 21


def test_perspective_and_parallel_sight_change_at_a_key_and_nothing_is_between() -> None:
    path = heights(None, 64.0, 32.0, None, None)
    there = [path.view(at).ortho_blocks for at in (0.0, 0.9, 1.0, 2.0, 2.9, 3.0, 3.5)]
    assert there == [None, None, 64.0, 32.0, 32.0, None, None]
    between = path.view(1.5).ortho_blocks
    assert between is not None
    assert 32.0 < between < 64.0


BAD = {
    "one key": ("[[key]]\ntime_s=0\nat=[0,0,0]\nlook=[0,0]\n", "one key: a camera path needs two"),
    "no key": ("", "0 keys"),
    "one table": ("[key]\ntime_s=0\n", "two [[key]]"),
    "the same time twice": (GOOD.replace("3.5", "1"), "key 2: its time_s 1 is not after 1"),
    "times that go back": (GOOD.replace("3.5", "0.5"), "key 2: its time_s 0.5 is not after 1"),
    "a wrong name": (GOOD.replace("look = [-170", "lok = [-170"), "key 2: there is no 'lok' (nearest: look)"),
    "a wrong table": (GOOD.replace("[[key]]", "[[keys]]"), "there is no 'keys' (nearest: key)"),
    "no place": (GOOD.replace("at = [0, 64, 0]\n", ""), "key 1 has no at"),
    "a place of two": (GOOD.replace("[0, 64, 0]", "[0, 64]"), "[0, 64] is not at: [X, Y, Z]"),
    "a place in words": (GOOD.replace("[0, 64, 0]", "'here'"), "'here' is not at"),
    "a place nowhere": (GOOD.replace("[0, 64, 0]", "[0, nan, 0]"), "is not at"),
    "a time in words": (GOOD.replace("3.5", "'later'"), "'later' is not time_s"),
    "a pitch beyond the zenith": (GOOD.replace("45]", "91]"), "a pitch of 91"),
    "fov of one key": (GOOD + "fov = 60\n", "key 1 has no fov"),
    "a fov too wide": (GOOD + "fov = 160\n", "key 2: fov = 160 is not between 10 and 150"),
    "a picture of no height": (GOOD + "ortho = 0\n", "key 2: ortho = 0 is not between 1 and 4096"),
    "a height in words": (GOOD + "ortho = 'low'\n", "'low' is not ortho: a number of blocks"),
    "a day and more": (GOOD.replace("3.5", "90000"), "86400 s at most"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_what_cannot_be_meant_is_named(tmp_path: Path, case: str) -> None:
    text, said = BAD[case]
    with pytest.raises(UsageError) as raised:
        read_path(written(tmp_path, text))
    assert said in str(raised.value)
    assert "path.toml" in str(raised.value)


def test_what_is_no_toml_or_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="is no TOML"):
        read_path(written(tmp_path, "[[key"))
    with pytest.raises(UnreadableFile, match=r"gone.toml: No such file"):
        read_path(tmp_path / "gone.toml")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    keys = (
        Key(0.0, View(Eye(-8.125, 90.0, 1e6), -179.25, 12.5), 70.0),
        Key(1.5, View(Eye(8.0, -60.0, 2.0), 179.0, -90.0, ortho_blocks=96.5), 10.5),
    )
    write_path(tmp_path / "a.toml", CameraPath(keys))
    assert read_path(tmp_path / "a.toml").keys == keys
    with pytest.raises(FileExistsError):
        write_path(tmp_path / "a.toml", CameraPath(keys))
