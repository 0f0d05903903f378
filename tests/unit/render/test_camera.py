"""Matrices, planes and rays of a camera agree with each other and with Bedrock's angles.

Camera path: Camera paths: what files are understood, and the way between their keys.

View line: A view as one line of text: written, read, and refused in one sentence.
"""

from itertools import pairwise
from math import isclose
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyrr import matrix44

from client.errors import UnreadableFile, UsageError
from client.player import Eye, View
from render.camera import Camera
from render.camera_path import CameraPath, Key, read_path, write_path
from render.view_line import ViewLine, parse_view_line

# ---------------------------------------------------------------- camera


def camera(yaw: float = 30.0, pitch: float = 15.0) -> Camera:
    return Camera((1.5, -70.25, 1e6 + 0.5), yaw, pitch, 70.0, 16 / 9)


@pytest.mark.parametrize(
    ("yaw", "pitch", "forward"),
    [(0, 0, (0, 0, 1)), (90, 0, (-1, 0, 0)), (-90, 0, (1, 0, 0)), (180, 0, (0, 0, -1)), (0, 90, (0, -1, 0))],
)
def test_angles_are_bedrocks(yaw: float, pitch: float, forward: tuple[float, float, float]) -> None:
    assert camera(yaw, pitch).forward == pytest.approx(forward, abs=1e-12)


@pytest.mark.parametrize("pitch", [-90.0, -45.0, 0.0, 60.0, 90.0])
@pytest.mark.parametrize("yaw", [-135.0, 0.0, 77.0])
def test_the_corner_rays_meet_the_corners_of_the_picture(yaw: float, pitch: float) -> None:
    look = camera(yaw, pitch)
    forward, right, up = (np.array(ray) for ray in look.rays)
    for x in (-1.0, 0.0, 1.0):
        for y in (-1.0, 0.0, 1.0):
            point = 5.0 * (forward + x * right + y * up)
            clip = np.append(point, 1.0) @ look.view_projection()
            assert clip[:2] / clip[3] == pytest.approx((x, y), abs=1e-5)
            inside = point * 0.999 @ look.planes()[:, :3].T + look.planes()[:, 3]
            assert (inside > -1e-2).all()


def test_planes_leave_out_what_is_behind_beside_and_too_far() -> None:
    look = camera()
    forward, right, up = (np.array(ray) for ray in look.rays)
    for outside in (-forward, forward + 1.1 * right, forward - 1.1 * up, forward * 1100, forward * 0.05):
        distances = outside @ look.planes()[:, :3].T + look.planes()[:, 3]
        assert distances.min() < 0


def test_the_eye_block_rounds_down() -> None:
    assert camera().eye_block == (1, -71, 1000000)


def test_a_view_becomes_a_camera() -> None:
    made = Camera.of(View(Eye(1.0, 2.0, 3.0), 10.0, 20.0, 60.0), 2.0)
    assert (made.eye, made.yaw_deg, made.pitch_deg, made.fov_deg, made.aspect) == (
        (1.0, 2.0, 3.0),
        10.0,
        20.0,
        60.0,
        2.0,
    )


def parallel(yaw: float = 30.0, pitch: float = 15.0) -> Camera:
    return Camera.of(View(Eye(1.5, -70.25, 1e6 + 0.5), yaw, pitch, ortho_blocks=40.0), 16 / 9)


@pytest.mark.parametrize("depth", [-1000.0, 0.0, 1000.0])
@pytest.mark.parametrize("pitch", [-90.0, -45.0, 0.0, 90.0])
def test_parallel_rays_meet_the_corners_of_the_picture_at_any_depth(pitch: float, depth: float) -> None:
    look = parallel(pitch=pitch)
    forward, right, up = (np.array(ray) for ray in look.rays)
    assert np.linalg.norm(up) == pytest.approx(20.0)
    for x in (-1.0, 0.0, 1.0):
        for y in (-1.0, 0.0, 1.0):
            point = x * right + y * up + depth * forward
            clip = np.append(point, 1.0) @ look.view_projection()
            assert clip == pytest.approx((x, y, depth / 1024, 1.0), abs=1e-4)
            assert (point * 0.999 @ look.planes()[:, :3].T + look.planes()[:, 3] > -1e-2).all()
    beside = np.array([1.01 * right, -1.01 * up, 1030 * forward, -1030 * forward])
    assert ((beside @ look.planes()[:, :3].T + look.planes()[:, 3]).min(axis=1) < 0).all()


def test_from_the_stand_what_is_deeper_is_farther() -> None:
    look = parallel()
    forward, right, _ = (np.array(ray) for ray in look.rays)
    from_stand = np.array(look.eye) - np.array(look.stand)
    near, far = (np.linalg.norm(from_stand + depth * forward + aside * right) for depth, aside in ((0, 10), (0.1, 0)))
    assert near < far


def test_only_a_parallel_camera_shows_what_is_behind_it() -> None:
    assert not camera().is_parallel
    assert parallel().near_blocks < 0 < camera().near_blocks
    assert (camera().reach_blocks(90.0), parallel().reach_blocks(90.0)) == (90.0, 2048.0)


@pytest.mark.parametrize(("yaw", "pitch"), [(0.0, 0.0), (20.0, 10.0), (-179.3, 89.9), (90.0, -90.0), (33.1, 45.7)])
def test_the_matrix_is_the_one_that_looks_from_the_eye_along_the_view(yaw: float, pitch: float) -> None:
    looks = camera(yaw, pitch)
    look = matrix44.create_look_at((0.0, 0.0, 0.0), looks.forward, looks.up, dtype=np.float64)
    lens = matrix44.create_perspective_projection(70.0, 16 / 9, looks.near_blocks, looks.far_blocks, dtype=np.float64)
    assert np.array_equal(looks.view_projection(), matrix44.multiply(look, lens).astype(np.float32))


# ---------------------------------------------------------------- camera path

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
    "one key": ("[[key]]\ntime_s=0\nat=[0,0,0]\nlook=[0,0]\n", "one key: a camera path needs at least two"),
    "no key": ("", "0 keys"),
    "one table": ("[key]\ntime_s=0\n", "must be written as [[key]]"),
    "the same time twice": (GOOD.replace("3.5", "1"), "key 2: its time_s 1 must be after 1"),
    "times that go back": (GOOD.replace("3.5", "0.5"), "key 2: its time_s 0.5 must be after 1"),
    "a wrong name": (
        GOOD.replace("look = [-170", "lok = [-170"),
        "line 9: unknown key 'lok' in [key]; did you mean 'look'?",
    ),
    "a wrong table": (GOOD.replace("[[key]]", "[[keys]]"), "unknown key 'keys'; did you mean 'key'?"),
    "no place": (GOOD.replace("at = [0, 64, 0]\n", ""), "line 2: [key] needs 'at'"),
    "a place of two": (
        GOOD.replace("[0, 64, 0]", "[0, 64]"),
        "line 4: 'at' in [key] is [0, 64]; it must be [X, Y, Z] in blocks",
    ),
    "a place in words": (GOOD.replace("[0, 64, 0]", "'here'"), "'here'; it must be [X, Y, Z]"),
    "a place nowhere": (GOOD.replace("[0, 64, 0]", "[0, nan, 0]"), "it must be [X, Y, Z]"),
    "a time in words": (GOOD.replace("3.5", "'later'"), "'later'; it must be a number of seconds"),
    "a pitch beyond the zenith": (
        GOOD.replace("45]", "91]"),
        "[-170, 91]; it must be [YAW, PITCH] in degrees, the pitch from -90 to 90",
    ),
    "fov of one key": (GOOD + "fov = 60\n", "key 1 has no fov"),
    "a fov too wide": (GOOD + "fov = 160\n", "line 10: 'fov' in [key] is 160; it must be a number from 10 to 150"),
    "a picture of no height": (
        GOOD + "ortho = 0\n",
        "line 10: 'ortho' in [key] is 0; it must be a number from 1 to 4096",
    ),
    "a height in words": (GOOD + "ortho = 'low'\n", "'low'; it must be a number from 1 to 4096"),
    "a day and more": (GOOD.replace("3.5", "90000"), "at most 86400 s"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_what_cannot_be_meant_is_named(tmp_path: Path, case: str) -> None:
    text, said = BAD[case]
    with pytest.raises(UsageError) as raised:
        read_path(written(tmp_path, text))
    assert said in str(raised.value)
    assert "path.toml" in str(raised.value)


def test_what_is_no_toml_or_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="is not valid TOML"):
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


# ---------------------------------------------------------------- view line

axes = st.floats(-3e7, 3e7)


@given(st.tuples(axes, axes, axes), st.floats(-180, 180), st.floats(-90, 90), st.floats(10, 150), st.integers(0, 9))
def test_a_line_reads_back_to_a_millimetre(
    at: tuple[float, float, float], yaw: float, pitch: float, fov: float, dimension: int
) -> None:
    view = View(Eye(*at), yaw, pitch, fov)
    line = ViewLine.of(view, dimension)
    again = parse_view_line(str(line))
    assert again.dimension == dimension
    back = again.view(View(Eye(0.0, 0.0, 0.0)))
    assert back.eye.distance_blocks(view.eye) < 0.002
    assert abs(back.yaw_deg - yaw) < 0.006
    assert abs(back.pitch_deg - pitch) < 0.006
    assert abs(back.fov_deg - fov) < 0.001
    assert str(again) == str(parse_view_line(str(again))), "written once, it does not drift"


@given(st.floats(1, 4096))
def test_an_orthographic_line_reads_back_and_names_no_field_of_view(high: float) -> None:
    line = str(ViewLine.of(View(Eye(1.0, 2.0, 3.0), 4.0, 5.0, 60.0, high)))
    assert "--fov" not in line
    back = parse_view_line(line).view(View(Eye(0.0, 0.0, 0.0), fov_deg=50.0))
    assert back.ortho_blocks == pytest.approx(high, rel=1e-5)
    assert back.fov_deg == 50.0


def test_a_line_with_a_field_of_view_is_in_perspective() -> None:
    now = View(Eye(1.0, 2.0, 3.0), ortho_blocks=30.0)
    assert parse_view_line("--at 1,2,3").view(now).ortho_blocks == 30.0
    assert parse_view_line("--at 1,2,3 --fov 50").view(now).ortho_blocks is None
    assert parse_view_line("--at 1,2,3 --fov 50 --ortho 8").view(now) == View(Eye(1, 2, 3), 0.0, 0.0, 50.0, 8.0)


def test_what_a_line_does_not_say_stays() -> None:
    now = View(Eye(1.0, 2.0, 3.0), 40.0, 50.0, 60.0)
    assert parse_view_line("--at 7,8,9").view(now) == View(Eye(7.0, 8.0, 9.0), 40.0, 50.0, 60.0)
    assert parse_view_line("--fov 30 --at 7,8,9 --look -5,6").view(now) == View(Eye(7.0, 8.0, 9.0), -5.0, 6.0, 30.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a view: write --at X,Y,Z"),
        ("over there", "Unknown word 'over'"),
        ("--at", "is not a view: write"),
        ("--look 1,2", "it has no --at"),
        ("--at 1,2,3 --at 1,2,3", "contains --at twice"),
        ("--at 1,2,3 --fow 70", "Unknown word '--fow' in a view (nearest: --fov)."),
        ("--at 1,2,3 --fov 5", "The field of view must be"),
        ("--at 1,2,3 --fov wide", "The field of view must be"),
        ("--at 1,2,3 --fov nan", "The field of view must be"),
        ("--at 1,2,3 --ortho 0", "The height of an orthographic picture must be"),
        ("--at 1,2,3 --ortho high", "The height of an orthographic picture must be"),
        ("--at 1,2,3 --look 0,91", "The pitch must be -90 to 90 degrees, not 91"),
        ("--at 1,2,3 --dimension aether", "Unknown dimension 'aether'"),
        ("--at '1,2,3", "a quotation mark is not closed"),
        ("--at " + "1" * 500, "are too long for a view: the limit is 400"),
    ],
)
def test_what_is_no_view_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_view_line(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
