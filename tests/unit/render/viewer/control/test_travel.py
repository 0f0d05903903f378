"""Teleports, bookmarks and camera paths, as keys and typed lines bring them about."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from client.errors import UsageError
from client.player import Eye, View
from render.camera_path import read_path
from render.settings import Action
from render.view_line import ViewLine
from render.viewer.control.bookmarks import Bookmarks
from render.viewer.control.camera_control import Controls
from render.viewer.control.travel import Travel

HOME = View(Eye(8.5, 90.0, -8.25), 30.0, 20.0, 70.0)
VIEW_AWAY = View(Eye(300.0, 70.0, 5.0), -90.0, 0.0)


def nothing(_block: object) -> bool:
    return False


class Trip:
    """A travel with its camera, in a dimension that can be changed."""

    def __init__(self, folder: Path, source: str = "embedded:hills:1") -> None:
        self.folder = folder
        self.dimension = 0
        self.controls = Controls(HOME)
        self.player = Eye(40.5, 90.0, 0.5)
        self.crossed: list[tuple[int, ViewLine | None, View]] = []
        self.refusal = ""
        there = lambda: self.dimension, lambda: self.player, self.cross
        self.travel = Travel(self.controls, Bookmarks(folder / "bookmarks.toml", source), folder / "shots", *there)

    def cross(self, dimension: int, line: ViewLine | None, now: View) -> str:
        if self.refusal:
            raise UsageError(self.refusal)
        self.crossed.append((dimension, line, now))
        return "On the way."

    def answer(self, action: Action, text: str) -> str:
        assert self.travel.run_action(action, 0.0) == ""
        assert self.travel.prompt is not None
        self.travel.prompt.type(text)
        assert text in self.travel.prompt.line
        return self.travel.answer()


@pytest.fixture
def trip(tmp_path: Path) -> Trip:
    return Trip(tmp_path)


@pytest.mark.parametrize(
    ("text", "eye"),
    [
        ("1 2 3", Eye(1.0, 2.0, 3.0)),
        ("1.5, -60,3", Eye(1.5, -60.0, 3.0)),
        ("~ ~10 ~-0.25", Eye(8.5, 100.0, -8.5)),
        ("--at 7,8,9", Eye(7.0, 8.0, 9.0)),
    ],
)
def test_one_goes_where_one_types(trip: Trip, text: str, eye: Eye) -> None:
    assert trip.answer(Action.TELEPORT, text).startswith("At ")
    assert trip.controls.view == View(eye, 30.0, 20.0, 70.0)
    assert trip.travel.prompt is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("somewhere", "Unknown bookmark 'somewhere' of embedded:hills:1; there are none."),
        ("1 2", "Unknown bookmark '1 2'"),
        ("aether 1 2 3", "Unknown dimension 'aether'; write overworld, nether, end or a number."),
        ("nether 1 2", "Unknown bookmark 'nether 1 2'"),
        ("overworld", "You are already in dimension overworld; add X Y Z"),
        ("nan 1 2", "no number"),
        ("1e99 1 2", "1e+99"),
        ("--too 1,2,3", "Unknown word '--too'"),
        ("--at 1,2", "is not a position"),
    ],
)
def test_what_is_no_place_is_one_sentence(trip: Trip, text: str, said: str) -> None:
    answer = trip.answer(Action.TELEPORT, text)
    assert "\n" not in answer
    assert trip.controls.view == HOME, answer


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("nether 10 70 10", ViewLine(Eye(10.0, 70.0, 10.0), dimension=1)),
        ("Nether, ~, 70, ~1", ViewLine(Eye(8.5, 70.0, -7.25), dimension=1)),
        ("nether", None),
    ],
)
def test_a_dimension_in_front_is_crossed_to(trip: Trip, text: str, line: ViewLine | None) -> None:
    assert trip.answer(Action.TELEPORT, text) == "On the way."
    assert trip.crossed == [(1, line, HOME)]
    assert trip.controls.view == HOME


def test_a_place_in_the_dimension_one_is_in_is_gone_to_and_bookmarks_come_before_dimensions(trip: Trip) -> None:
    assert trip.answer(Action.TELEPORT, "overworld 1 2 3") == "At 1,2,3."
    assert trip.answer(Action.SAVE_BOOKMARK, "nether").startswith("Bookmark")
    trip.controls.go(HOME)
    assert trip.answer(Action.TELEPORT, "nether") == "At 1,2,3."
    assert not trip.crossed


def test_an_empty_answer_is_giving_up(trip: Trip) -> None:
    assert trip.answer(Action.TELEPORT, "  ") == ""
    assert trip.controls.view == HOME


def test_a_view_is_kept_by_name_and_found_by_another_window(trip: Trip) -> None:
    said = trip.answer(Action.SAVE_BOOKMARK, "over the lake")
    line = "--at 8.500,90.000,-8.250 --look 30.00,20.00 --fov 70 --dimension overworld"
    assert said == f"Bookmark 'over the lake': {line}"
    other = Trip(trip.folder)
    other.controls.go(View(Eye(0.0, 0.0, 0.0)))
    assert other.travel.run_action(Action.NEXT_BOOKMARK, 0.0) == f"Bookmark 'over the lake': {line}"
    assert other.controls.view == HOME
    other.controls.go(View(Eye(0.0, 0.0, 0.0)))
    assert other.answer(Action.TELEPORT, "over the lake").startswith("At 8,90")
    assert "did you mean 'over the lake'" in other.answer(Action.TELEPORT, "over the lane")
    elsewhere = Trip(trip.folder, "localhost:19132")
    assert elsewhere.travel.run_action(Action.NEXT_BOOKMARK, 0.0) == "localhost:19132 has no bookmarks yet."


def test_bookmarks_go_round_and_comments_stay(trip: Trip) -> None:
    file = trip.folder / "bookmarks.toml"
    file.write_text('# mine\n["embedded:hills:1"]\nhigh = "--at 0,300,0" # up\n\n[other]\nx = "--at 0,0,0"\n')
    trip.answer(Action.SAVE_BOOKMARK, "home")
    assert all(words in file.read_text() for words in ("# mine\n", "# up\n", '[other]\nx = "--at 0,0,0"\n'))
    heights = []
    for _ in range(3):
        trip.travel.run_action(Action.NEXT_BOOKMARK, 0.0)
        heights.append(trip.controls.view.eye.y)
    assert heights == [300.0, 90.0, 300.0], "after the one just kept comes the first"


def test_a_bookmark_of_another_dimension_is_crossed_to_and_the_camera_stays_until_then(trip: Trip) -> None:
    trip.dimension = 1
    trip.answer(Action.SAVE_BOOKMARK, "gate")
    trip.dimension = 0
    trip.controls.go(VIEW_AWAY)
    assert trip.travel.run_action(Action.NEXT_BOOKMARK, 0.0) == "On the way."
    assert trip.answer(Action.TELEPORT, "--at 1,2,3 --dimension nether") == "On the way."
    lines = [ViewLine.of(HOME, 1), ViewLine(Eye(1.0, 2.0, 3.0), dimension=1)]
    assert trip.crossed == [(1, line, VIEW_AWAY) for line in lines]
    assert trip.controls.view == VIEW_AWAY


def test_where_nobody_takes_one_into_a_dimension_it_is_one_sentence(trip: Trip) -> None:
    trip.refusal = "That view is in dimension nether."
    assert trip.answer(Action.TELEPORT, "--at 1,2,3 --dimension nether") == trip.refusal
    assert trip.controls.view == HOME


def test_a_line_of_this_dimension_crosses_nothing(trip: Trip) -> None:
    trip.refusal = "Nobody goes there."
    assert trip.answer(Action.TELEPORT, "--at 1,2,3 --dimension overworld") == "At 1,2,3."


def test_one_goes_back_to_the_player_and_looks_the_same_way(trip: Trip) -> None:
    trip.travel.run_action(Action.TOP_DOWN, 0.0)
    trip.controls.go(HOME)
    assert trip.travel.run_action(Action.TO_PLAYER, 0.0) == "Back at the player, 40,90,0."
    assert trip.controls.view == View(Eye(40.5, 90.0, 0.5), 30.0, 20.0, 70.0)


@pytest.mark.parametrize("content", ["[broken\n", '"embedded:hills:1" = 3\n'])
def test_bookmarks_that_cannot_be_read_are_told_and_left(trip: Trip, content: str) -> None:
    file = trip.folder / "bookmarks.toml"
    file.write_text(content)
    for said in (trip.travel.run_action(Action.NEXT_BOOKMARK, 0.0), trip.answer(Action.SAVE_BOOKMARK, "a")):
        assert said is not None
        assert str(file) in said
    assert file.read_text() == content


def test_a_line_that_makes_no_sense_names_its_bookmark(trip: Trip) -> None:
    (trip.folder / "bookmarks.toml").write_text('["embedded:hills:1"]\nbad = "--at here"\n')
    assert str(trip.travel.run_action(Action.NEXT_BOOKMARK, 0.0)).startswith("The bookmark 'bad' of embedded:hills:1: ")


def test_a_path_is_flown_kept_and_played(trip: Trip) -> None:
    assert trip.travel.recorded is None
    trip.travel.run_action(Action.RECORD_PATH, 10.0)
    assert trip.travel.recorded
    trip.controls.press(Action.UP)
    flown = {}
    for frame in range(1, 101):
        now = 10.0 + frame * 0.05
        trip.controls.move(0.05, nothing)
        flown[frame] = trip.controls.view
        assert not trip.travel.frame(now)
    trip.controls.release_all()
    said = str(trip.travel.run_action(Action.RECORD_PATH, 15.0))
    file = trip.folder / "shots" / "path-1.toml"
    assert said == f"camera path: {file}, 5.0 s"
    assert 10 <= len(read_path(file).keys) <= 12

    trip.controls.go(HOME)
    assert trip.travel.run_action(Action.PLAY_PATH, 100.0) == f"playing {file}, 5.0 s"
    for frame in range(1, 101):
        assert trip.travel.frame(100.0 + frame * 0.05 - 1e-6)
        assert abs(trip.controls.view.eye.y - flown[frame].eye.y) < 0.05
    assert not trip.travel.frame(105.1), "it is over"


def play(trip: Trip) -> None:
    """A path of a second is in its middle."""
    trip.travel.run_action(Action.RECORD_PATH, 0.0)
    trip.travel.frame(1.0)
    trip.travel.run_action(Action.RECORD_PATH, 1.0)
    trip.travel.run_action(Action.PLAY_PATH, 2.0)
    assert trip.travel.frame(2.5)


def test_a_path_keeps_how_high_an_orthographic_picture_was(trip: Trip) -> None:
    trip.travel.run_action(Action.ORTHOGRAPHIC, 0.0)
    trip.travel.run_action(Action.RECORD_PATH, 0.0)
    trip.controls.wheel(-2.0)
    high = trip.controls.view.ortho_blocks
    trip.travel.frame(1.0)
    trip.travel.run_action(Action.ORTHOGRAPHIC, 1.5)
    trip.travel.run_action(Action.RECORD_PATH, 2.0)

    trip.travel.run_action(Action.PLAY_PATH, 10.0)
    seen = []
    for at in (10.0, 11.0, 12.0):
        assert trip.travel.frame(at)
        seen.append(trip.controls.view.ortho_blocks)
    assert seen == [64.0, high, None]


def test_who_looks_from_above_ends_a_path_that_plays(trip: Trip) -> None:
    play(trip)
    assert trip.travel.run_action(Action.TOP_DOWN, 2.5) == "Top-down view, north up."
    assert not trip.travel.frame(2.6)
    assert trip.travel.run_action(Action.TOP_DOWN, 2.6) == "First-person view."
    assert trip.controls.view == HOME


def test_whatever_takes_the_camera_elsewhere_ends_a_path_that_plays(trip: Trip) -> None:
    there = View(Eye(1.0, 2.0, 3.0), 30.0, 20.0, 70.0)
    for go in (
        lambda: trip.answer(Action.TELEPORT, "1 2 3"),
        lambda: trip.answer(Action.SAVE_BOOKMARK, "there") and trip.travel.run_action(Action.NEXT_BOOKMARK, 2.5),
        lambda: trip.travel.go(there),
    ):
        play(trip)
        go()
        assert not trip.travel.frame(2.6)
        assert trip.controls.view == there
    play(trip)
    assert trip.travel.run_action(Action.WALK, 2.5) == "Walking."
    assert not trip.travel.frame(2.6)


def test_who_flies_ends_a_path_that_plays(trip: Trip) -> None:
    play(trip)
    trip.controls.press(Action.FORWARD)
    assert not trip.travel.frame(2.6)
    trip.controls.release_all()
    assert not trip.travel.frame(2.7)


def test_a_rest_is_two_keys_however_long(trip: Trip) -> None:
    trip.travel.run_action(Action.RECORD_PATH, 0.0)
    for second in range(1, 100):
        trip.travel.frame(float(second))
    trip.travel.run_action(Action.RECORD_PATH, 100.0)
    path = read_path(trip.folder / "shots" / "path-1.toml")
    assert [key.time_s for key in path.keys] == [0.0, 100.0]


def test_paths_that_are_not_there_or_make_no_sense_are_told(trip: Trip) -> None:
    assert trip.travel.run_action(Action.PLAY_PATH, 0.0) == f"There is no camera path in {trip.folder / 'shots'} yet."
    trip.travel.run_action(Action.RECORD_PATH, 0.0)
    assert trip.travel.run_action(Action.RECORD_PATH, 0.0) == "The camera path is too short: move before you end it."
    (trip.folder / "shots").mkdir()
    (trip.folder / "shots" / "path-7.toml").write_text("[[key]\n")
    assert "is not valid TOML" in str(trip.travel.run_action(Action.PLAY_PATH, 0.0))


def test_a_folder_that_cannot_be_written_is_told(trip: Trip) -> None:
    (trip.folder / "shots").write_text("a file")
    trip.travel.run_action(Action.RECORD_PATH, 0.0)
    assert str(trip.folder / "shots") in str(trip.travel.run_action(Action.RECORD_PATH, 1.0))


def test_the_eye_rises_walks_and_says_so(trip: Trip) -> None:
    said = [
        trip.travel.run_action(action, 0.0) for action in (Action.TOP_DOWN, Action.TOP_DOWN, Action.WALK, Action.WALK)
    ]
    assert said == ["Top-down view, north up.", "First-person view.", "Walking.", "Flying."]
    assert trip.travel.run_action(Action.PICTURE, 0.0) is None


def test_a_path_that_is_being_written_is_kept_when_the_world_is_left(trip: Trip) -> None:
    assert trip.travel.leave(9.0) == ""
    trip.travel.run_action(Action.RECORD_PATH, 10.0)
    trip.travel.frame(12.0)
    file = trip.folder / "shots" / "path-1.toml"
    assert trip.travel.leave(13.0) == f"camera path: {file}, 3.0 s"
    assert read_path(file).duration_s == 3.0
    assert trip.travel.leave(14.0) == "", "once"


def test_a_path_that_cannot_be_kept_when_the_world_is_left_says_so(trip: Trip) -> None:
    (trip.folder / "shots").write_text("a file where the folder should be")
    trip.travel.run_action(Action.RECORD_PATH, 0.0)
    trip.travel.frame(1.0)
    assert str(trip.folder / "shots") in trip.travel.leave(2.0)


def test_what_another_window_wrote_meanwhile_is_read_before_it_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bookmarks.toml"

    @contextmanager
    def after_another(path: Path) -> Iterator[None]:
        path.write_text('here = "no table"\n')
        yield

    monkeypatch.setattr("render.viewer.control.bookmarks.alone", after_another)
    with pytest.raises(UsageError, match="'here' must be a table"):
        Bookmarks(file, "here").save("one", ViewLine(Eye(1.0, 2.0, 3.0)))
    assert file.read_text() == 'here = "no table"\n'
