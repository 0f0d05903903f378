"""What a film refuses before anybody is joined or any context is made.

Frames: Frames on disk: their names, and that two films are never mixed.

Stages: A path cut into rectangles of columns that are loaded whole.

Timetable: Which moment each frame shows.

Encode: ffmpeg as a child: one that says nothing more is not waited for.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from client.errors import UnreadableFile, UsageError
from client.options import Moment, Options
from client.player import Eye, View
from client.source import Embedded
from client.streaming.anchors import Anchor
from render.camera_path import Key
from render.capture import PictureOptions
from render.film import CameraPath, FilmOptions, make_film, stages
from render.film.film import EncodingFailed, FilmReport, encode
from render.film.frames import FrameFiles
from render.film.stages import Timetable, radius_to_ask, spare_of, stretches_of

# ---------------------------------------------------------------- film

# ---------------------------------------------------------------- film report


def test_a_film_is_told_in_one_line_and_what_is_missing_in_another() -> None:
    told = FilmReport(Path("a.mp4"), 12, 12, 24, "", 3.25).text()
    assert told == "a.mp4: 12 frames, 0.5 s (3.2 s)"
    again = FilmReport(Path("frames"), 12, 5, 24, "1 column is not announced yet", 2.0).text()
    assert again.splitlines() == [
        "frames: 12 frames, 7 of them from an earlier run or other parts, 0.5 s (2.0 s)",
        "incomplete: 1 column is not announced yet",
    ]
    part = FilmReport(Path("frames"), 12, 4, 24, "", 2.0, left=8).text()
    assert part == "frames: 12 frames, 8 of them left to other parts, 0.5 s (2.0 s)"


def test_that_the_eye_is_inside_a_block_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    inside = "Frame 3: The camera is inside a block (stone, at 0,60,0), so you see through the world."
    assert FilmReport(Path("a"), 12, 12, 24, "", 3.25, inside).tell() == 0
    assert capsys.readouterr().err == f"chunkscope: {inside}\n"


def test_one_frame_is_one() -> None:
    assert FilmReport(Path("a"), 1, 1, 5, "", 0.0).text() == "a: 1 frame, 0.2 s (0.0 s)"


# ---------------------------------------------------------------- refusals

PATH = CameraPath((Key(0.0, View(Eye(0.0, 90.0, 0.0))), Key(1.0, View(Eye(9.0, 90.0, 0.0)))))
FILM = FilmOptions(PATH)

FAR = CameraPath((Key(0.0, View(Eye(0.0, 90.0, 0.0))), Key(1.0, View(Eye(400.0, 90.0, 0.0)))))
REFUSED = {
    "no path": (replace(FILM, path=None), Options(), "film", "needs a camera path: --path FILE.toml"),
    "no frames": (replace(FILM, fps=0), Options(), "film", "must be 1 to 240, not 0"),
    "a speed of a living world": (replace(FILM, speed=2.0), Options(), "film", "start, end and speed apply only"),
    "an end of a living world": (replace(FILM, end_s=2.0), Options(), "film", "start, end and speed apply only"),
    "a start of a living world": (FILM, Options(start=Moment(1.0)), "film", "start, end and speed apply only"),
    "a speed backwards": (replace(FILM, speed=-1.0), Options(), "film", "at -1 times its speed"),
    "entities far and wide": (
        replace(FILM, path=FAR, picture=PictureOptions(entities=True)),
        Options(),
        "film",
        "a camera path through a living world can cross at most 9 columns",
    ),
    "a radius beyond the largest": (FILM, Options(radius=60), "film", "58 columns, not 60"),
    "another format": (FILM, Options(), "film.webm", "film.webm': use FILE.mp4"),
    "an odd size": (
        replace(FILM, picture=PictureOptions(size_px=(641, 360))),
        Options(),
        "film.mp4",
        "641x360 pixels: both sides must be even, for example 642x360",
    ),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_fits_not_together_is_refused(case: str, tmp_path: Path) -> None:
    film, options, name, said = REFUSED[case]
    with pytest.raises(UsageError) as raised:
        make_film(Embedded(), options, film, tmp_path / name)
    assert said in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_a_missing_extra_is_a_sentence_with_the_line_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(UsageError, match=r"-m pip install imageio-ffmpeg; PNG"):
        make_film(Embedded(), Options(), FILM, tmp_path / "film.mp4")
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- frames

RECIPE = {"source": "embedded:hills:1", "fps": 30, "path": [{"at": (1.0, 2.0)}]}


def test_names_are_numbers_or_a_pattern(tmp_path: Path) -> None:
    assert FrameFiles.of(tmp_path / "new").path(7) == tmp_path / "new" / "000007.png"
    assert FrameFiles.of(tmp_path / "shot-%03d.png").path(12) == tmp_path / "shot-012.png"


@pytest.mark.parametrize("name", ["film.webm", "a.png", "%d", "%s.png", "%d-%d.png", "%x%d.png", "%5d.png", "%.png"])
def test_a_name_that_is_no_film_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as raised:
        FrameFiles.of(tmp_path / name)
    assert name in str(raised.value)


def test_the_same_film_goes_on_and_what_is_missing_is_told(tmp_path: Path) -> None:
    files = FrameFiles.of(tmp_path / "film")
    files.begin(RECIPE)
    for frame in (0, 1, 3):
        files.path(frame).write_bytes(b"png")
    files.begin(RECIPE)
    assert files.missing(range(5)) == [2, 4]


def test_what_was_waited_for_in_vain_is_kept_with_the_frames(tmp_path: Path) -> None:
    files = FrameFiles.of(tmp_path / "film")
    files.begin(RECIPE)
    before = files.recipe_path.read_bytes()
    assert files.waiting_for == ""
    files.keep_waiting_for("1 column is not announced yet")
    files.begin(RECIPE)
    assert files.waiting_for == "1 column is not announced yet"
    files.keep_waiting_for("")
    assert files.recipe_path.read_bytes() == before


def test_another_film_is_refused_and_what_differs_is_named(tmp_path: Path) -> None:
    files = FrameFiles.of(tmp_path / "film")
    files.begin(RECIPE)
    before = files.recipe_path.read_bytes()
    with pytest.raises(UsageError, match="its fps is 30 and not 25"):
        files.begin({**RECIPE, "fps": 25})
    assert files.recipe_path.read_bytes() == before


def test_frames_of_an_unknown_film_are_refused(tmp_path: Path) -> None:
    files = FrameFiles.of(tmp_path / "shot-%03d.png")
    (tmp_path / "shot-007.png").write_bytes(b"png")
    with pytest.raises(UsageError, match=r"shot-007.png is a frame of an unknown film"):
        files.begin(RECIPE)


def test_a_spoiled_recipe_is_unreadable(tmp_path: Path) -> None:
    files = FrameFiles.of(tmp_path)
    files.recipe_path.write_text("{")
    with pytest.raises(UnreadableFile, match=r"film.json does not describe"):
        files.begin(RECIPE)


def test_films_of_two_patterns_share_a_folder(tmp_path: Path) -> None:
    for name in ("a-%d.png", "b-%d.png"):
        FrameFiles.of(tmp_path / name).begin({**RECIPE, "name": name})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-film.json", "b-film.json"]


def test_removing_leaves_what_is_not_the_films(tmp_path: Path) -> None:
    files = FrameFiles.of(tmp_path / "film")
    files.begin(RECIPE)
    files.path(0).write_bytes(b"png")
    (files.folder / "notes.txt").write_text("mine")
    files.remove(1)
    assert [path.name for path in files.folder.iterdir()] == ["notes.txt"]
    (files.folder / "notes.txt").unlink()
    files.begin(RECIPE)
    files.remove(1)
    assert not files.folder.exists()


def test_what_an_interrupted_run_left_half_written_goes_and_nothing_else(tmp_path: Path) -> None:
    files = FrameFiles.of(tmp_path / "a.b-%03d.png")
    for name in (
        "a.b-001.png",
        ".a.b-002.png.77.part",
        ".acb-002.png.77.part",
        ".a.b-x.png.77.part",
        "a.b-002.png.77.part",
    ):
        (tmp_path / name).write_bytes(b"")
    files.tidy()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".a.b-x.png.77.part", ".acb-002.png.77.part", "a.b-001.png", "a.b-002.png.77.part"]


# ---------------------------------------------------------------- stages

# ---------------------------------------------------------------- stretches

places = st.floats(-3000, 3000, allow_nan=False)


@given(st.lists(st.tuples(places, places), min_size=1, max_size=40), st.integers(0, 5), st.integers(1, 9))
def test_each_frame_is_in_one_stretch_whose_world_reaches_past_its_fog(
    eyes: list[tuple[float, float]], spare: int, radius: int
) -> None:
    views = [View(Eye(x, 64.0, z)) for x, z in eyes]
    stretches = stretches_of(views, spare)
    frames = [frame for s in stretches for frame in range(s.first, s.first + s.count)]
    assert frames == list(range(len(views)))
    for stretch in stretches:
        activity = Anchor.square(stretch.middle.column, radius_to_ask(radius, spare) + 1)
        assert not stretch.known(radius).without(activity)  # what the server announces around its middle
        for frame in range(stretch.first, stretch.first + stretch.count):
            around = Anchor.square(views[frame].eye.column, radius + 2)
            assert not around.without(stretch.drawn(radius))


def test_a_path_inside_nine_columns_is_one_stretch() -> None:
    assert len(stretches_of([View(Eye(16.0 * n, 64.0, 0.0)) for n in range(9)])) == 1
    assert [s.count for s in stretches_of([View(Eye(16.0 * n, 64.0, 0.0)) for n in range(10)])] == [9, 1]


def test_a_stretch_is_recorded_by_the_clock_of_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        """Time passes while it rests, and nowhere else."""

        now = 5.0
        session = SimpleNamespace(spawn=SimpleNamespace(closed_reason=None))

        def pump(self) -> bool:
            return False

        def rest(self) -> None:
            self.now += 0.25

    monkeypatch.setattr(stages, "load", lambda *_: "1 column")
    views, connection = [View(Eye(0.5, 80.0, 0.5))] * 8, Silent()
    told: list[str] = []
    assert stages.record_stretch(connection, *stretches_of(views), 2, views, 4, told.append) == "1 column"
    assert connection.now == 7.0
    assert told[-1] == "recording, 0.2 s left"


def test_where_a_server_grants_less_stretches_are_shorter() -> None:
    assert [spare_of(granted, 8) for granted in (64, radius_to_ask(8), 12, 10, 4)] == [4, 4, 2, 0, 0]


# ---------------------------------------------------------------- timetable


def test_five_seconds_at_thirty_are_150_frames() -> None:
    assert Timetable.lasting(5.0, 30).count == 150
    assert Timetable.lasting(0.001, 30).count == 1


def test_a_recording_goes_at_its_speed_and_stands_at_its_end() -> None:
    timetable = Timetable.lasting(4.0, 2, start_s=10.0, speed=2.0, end_s=15.0)
    assert [timetable.recorded_s(frame) for frame in range(timetable.count)] == [10, 11, 12, 13, 14, 15, 15, 15]


def test_a_film_of_a_million_frames_and_more_is_refused() -> None:
    with pytest.raises(UsageError, match="2400000 frames"):
        Timetable.lasting(10_000.0, 240)


# ---------------------------------------------------------------- encode

SILENT = """#!{python}
import os
import threading
{before}
threading.Event().wait()
"""


@pytest.mark.parametrize(("before", "silent_s"), [("", 0.01), ("os.close(1)", 1.0)], ids=["silent", "closed output"])
@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_an_encoder_that_says_nothing_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, silent_s: float
) -> None:
    monkeypatch.setattr("render.film.film.SILENT_S", silent_s)
    program = tmp_path / "ffmpeg"
    program.write_text(SILENT.format(python=sys.executable, before=before))
    program.chmod(0o755)
    frames = tmp_path / "frames"
    frames.mkdir()
    with pytest.raises(EncodingFailed, match=f"ffmpeg printed nothing for {silent_s:g} s"):
        encode(str(program), FrameFiles(frames), 3, 30, tmp_path / "a.mp4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ffmpeg", "frames"]
