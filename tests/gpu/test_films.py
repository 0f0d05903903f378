"""Films: frames that follow from their number alone, a recording that streams in, and MP4s of them."""

import re
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from client.connection.opening import open_connection
from client.errors import INTERRUPTED, UsageError
from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from client.source import Embedded, WorldFile
from net.server.host_options import HostOptions
from render.camera_path import Key, write_path
from render.capture import PictureOptions
from render.film import CameraPath, FilmOptions, FilmPlan, FilmReport, film, make_film, stages
from render.film.film import EncodingFailed, FilmFailed, encode
from render.film.frames import FrameFiles
from render.film.stages import load as stages_load
from render.film.stages import radius_to_ask, record_stretch, stretches_of
from render.jobs.processes import Part
from render.jobs.workers import SyncRunner, ThreadRunner
from tests.support.session.virtual import SWIFT, VirtualSession

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]
RADIUS = 1
FLIGHT = CameraPath(
    (
        Key(0.0, View(Eye(0.0, 95.0, -30.0), 0.0, 25.0)),
        Key(1.0, View(Eye(30.0, 100.0, 10.0), 60.0, 30.0)),
        Key(2.0, View(Eye(260.0, 105.0, 20.0), 20.0, 30.0)),  # far enough for a second stretch
    )
)
SMALL = FilmOptions(FLIGHT, fps=3, picture=PictureOptions(size_px=(128, 72), time=6000))
OPTIONS = Options(radius=RADIUS, timeout_s=30.0)


@pytest.fixture
def hills(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own server in this thread and in virtual time, whatever source is opened."""

    def opened(_source: object, options: Options, _progress: object) -> object:
        assert options.radius == radius_to_ask(RADIUS)
        config = SessionConfig(radius=options.radius, player=SWIFT)
        return VirtualSession("hills:1", config=config).connection(options)

    monkeypatch.setattr(film, "open_connection", opened)


@pytest.mark.nightly
def test_a_living_world_moves_in_a_film_with_entities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(source: object, options: Options, tell: Callable[[float, str], None]) -> object:
        if isinstance(source, WorldFile):
            return open_connection(source, options, tell)
        server = HostOptions(animals=4, bots=options.bots)
        config = SessionConfig(radius=options.radius, player=SWIFT)
        return VirtualSession("hills:1", server, config).connection(options)

    monkeypatch.setattr(film, "open_connection", opened)
    monkeypatch.setattr(film, "record_stretch", lambda *told: record_stretch(*told) or "1 column was not announced")
    still = View(Eye(0.5, 95.0, -30.0), 0.0, 25.0)
    moving = FilmOptions(
        CameraPath((Key(0.0, still), Key(2.0, still))), fps=2, picture=replace(SMALL.picture, entities=True)
    )
    options = replace(OPTIONS, bots=2)
    with pytest.raises(KeyboardInterrupt):
        make_film(Embedded(), options, moving, tmp_path, interrupted_at(2), SyncRunner())
    session = (tmp_path / "film.cscope").read_bytes()
    assert len(frames(tmp_path)) == 2
    before = frames(tmp_path)
    report = film_of("hills", moving, tmp_path, options=options)
    assert (report.frames, report.made, report.waiting_for) == (4, 2, "1 column was not announced")
    assert session
    assert not (tmp_path / "film.cscope").exists()
    assert len(set(frames(tmp_path).values())) == 4, "somebody moves"
    assert before.items() < frames(tmp_path).items()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recording") / "a.cscope"
    config = SessionConfig(radius=2, player=SWIFT)
    with VirtualSession("hills:1", config=config).connection(
        Options(radius=2, light=False, record=path, at=Eye(0.0, 95.0, -30.0), look_deg=(0.0, 25.0))
    ) as live:
        assert live.wait_settled()
        live.look(View(Eye(0.0, 95.0, 10.0), 90.0, 25.0))
        assert live.wait_settled()
    return path


def frames(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.png"))}


def film_of(
    source: Path | str,
    film: FilmOptions,
    out: Path,
    workers: int = 0,
    options: Options = OPTIONS,
    plan: FilmPlan | None = None,
) -> FilmReport:
    runner = ThreadRunner(workers) if workers else SyncRunner()
    try:
        return make_film(
            Embedded() if source == "hills" else WorldFile(Path(source)), options, film, out, None, runner, plan
        )
    finally:
        runner.close()


def interrupted_at(frame: int, doing: str = "frame") -> Callable[[float, str], None]:
    def tell(_share: float, what: str) -> None:
        if what.startswith(f"{doing} {frame} of" if doing == "frame" else doing):
            raise KeyboardInterrupt

    return tell


@pytest.mark.usefixtures("hills")
def test_a_film_that_was_interrupted_goes_on_and_is_the_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = film_of("hills", SMALL, tmp_path / "whole")
    assert (whole.frames, whole.made, whole.exit_code, whole.waiting_for) == (6, 6, 0, "")
    with monkeypatch.context() as patched:
        patched.setattr(stages, "load", lambda *told: stages_load(*told) or "1 column was not announced")
        with pytest.raises(KeyboardInterrupt):
            make_film(Embedded(), OPTIONS, SMALL, tmp_path / "part", interrupted_at(4), SyncRunner())
    assert len(frames(tmp_path / "part")) == 4
    (tmp_path / "part" / "000001.png").unlink()
    again = film_of("hills", SMALL, tmp_path / "part", workers=3)
    assert (again.frames, again.made) == (6, 3)
    assert (again.exit_code, again.waiting_for) == (4, "1 column was not announced"), "of frames that were there"
    assert frames(tmp_path / "part") == frames(tmp_path / "whole")
    assert len(set(frames(tmp_path / "whole").values())) == 6


@pytest.mark.usefixtures("hills")
def test_one_view_is_one_picture_wherever_stretches_are_cut_and_whatever_was_seen_before(tmp_path: Path) -> None:
    here, there = View(Eye(8.0, 80.0, -30.0), 90.0, 15.0), View(Eye(268.0, 95.0, -30.0), 90.0, 15.0)
    beside = View(Eye(-60.0, 80.0, -20.0), 90.0, 15.0)
    shown = []
    for name, keys, cut in (
        ("together", (there, there, here, beside, beside), [2, 2]),  # with what lies beside
        ("alone", (beside, there, here, there, there), [1, 1, 1, 1]),
    ):
        path = CameraPath(tuple(Key(float(second), view) for second, view in enumerate(keys)))
        assert [stretch.count for stretch in stretches_of([key.view for key in path.keys[:4]])] == cut
        film_of("hills", replace(SMALL, path=path, fps=1), tmp_path / name)
        shown.append(list(frames(tmp_path / name).values()))
    # What lies beside may be loaded, beyond the fog, where it has the sky's colour but for rounding of the direction:
    # exact where such terrain is discarded (tried).
    for frame in (1, 2):
        together, alone = (np.asarray(Image.open(BytesIO(each[frame]))).astype(int) for each in shown)
        assert np.abs(together - alone).max() <= 1
    assert shown[0][2] != shown[0][1]


@pytest.mark.usefixtures("hills")
def test_a_frame_is_named_by_the_line_that_shows_it_again(tmp_path: Path) -> None:
    down = View(Eye(8.0, 80.0, -30.0), 90.0, 90.0, ortho_blocks=32.0)
    path = CameraPath((Key(0.0, down), Key(1.0, replace(down, ortho_blocks=64.0))))
    film_of("hills", replace(SMALL, path=path, fps=2), tmp_path)
    lines = []
    for file in sorted(tmp_path.glob("*.png")):
        with Image.open(file) as picture:
            lines.append(picture.text["View"])
    place = "--at 8.000,80.000,-30.000 --look 90.00,90.00"
    assert lines == [f"{place} --ortho {high} --dimension overworld" for high in (32, 48)]
    assert len(set(frames(tmp_path).values())) == 2


@pytest.mark.usefixtures("hills")
def test_a_film_that_is_there_joins_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film_of("hills", SMALL, tmp_path)
    monkeypatch.delattr(film, "open_connection")
    assert film_of("hills", SMALL, tmp_path).made == 0
    with pytest.raises(UsageError, match="its radius is 1 and not 2"):
        film_of("hills", SMALL, tmp_path, options=replace(OPTIONS, radius=2))


def test_a_recording_streams_in_and_each_frame_is_one_state(recording: Path, tmp_path: Path) -> None:
    film = replace(SMALL, path=None, fps=120)
    whole = film_of(recording, film, tmp_path / "whole")
    assert whole.frames == whole.made > 8
    there = frames(tmp_path / "whole")
    for name in list(there)[1::3]:  # made anew alone, one after the other left out
        (tmp_path / "whole" / name).unlink()
    film_of(recording, film, tmp_path / "whole", workers=2)
    assert frames(tmp_path / "whole") == there
    with (
        Image.open(tmp_path / "whole" / "000000.png") as first,
        Image.open(tmp_path / "whole" / list(there)[-1]) as last,
    ):
        assert len(np.unique(np.asarray(first).reshape(-1, 3), axis=0)) < len(
            np.unique(np.asarray(last).reshape(-1, 3), axis=0)
        )


def test_parts_of_a_film_are_the_film_and_only_the_whole_is_tidied(recording: Path, tmp_path: Path) -> None:
    film = replace(SMALL, path=FLIGHT, fps=2)
    film_of(recording, film, tmp_path / "whole")
    halves = tmp_path / "a.frames"
    for number, left in ((2, 2), (1, 0), (2, 0)):
        report = film_of(recording, film, tmp_path / "a.mp4", plan=FilmPlan(part=Part(number, 2)))
        assert (report.path, report.frames, report.left) == (halves, 4, left)
        other = halves / ".000000.png.1.part"  # of one who makes the other part
        other.touch()
    assert report.made == 0, "the second time it was there"
    assert other.exists()
    assert frames(halves) == frames(tmp_path / "whole")
    assert film_of(recording, film, halves).made == 0
    assert not other.exists()


@pytest.mark.nightly
def test_processes_make_the_same_film_and_what_keeps_one_from_it_is_one_sentence(
    recording: Path, tmp_path: Path
) -> None:
    film, told = replace(SMALL, path=FLIGHT, fps=2), list[str]()
    film_of(recording, film, tmp_path / "whole")
    source, plan = WorldFile(recording), FilmPlan(jobs=2)
    report = make_film(source, OPTIONS, film, tmp_path / "two", lambda _share, what: told.append(what), plan=plan)
    assert (report.frames, report.made, report.waiting_for) == (4, 4, "")
    assert frames(tmp_path / "two") == frames(tmp_path / "whole")
    assert told[-1].endswith(" frames of 4")
    with pytest.raises(FilmFailed, match="its fps is 2 and not 1") as caught:
        make_film(source, OPTIONS, replace(film, fps=1), tmp_path / "two", plan=plan)
    assert caught.value.exit_code == UsageError.exit_code

    def interrupted(_share: float, _what: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match=r"^Interrupted. 0 of 4 frames are kept in .*three; the same command"):
        make_film(source, OPTIONS, film, tmp_path / "three", interrupted, plan=plan)


def test_along_a_path_a_recording_stands_at_its_end_or_where_it_is_said(recording: Path, tmp_path: Path) -> None:
    down = View(Eye(0.0, 95.0, -30.0), 0.0, 90.0)  # at land alone: clouds and waves go on with a film's own time
    still = CameraPath((Key(0.0, down), Key(1.0, down)))
    film = replace(SMALL, path=still, fps=2)
    film_of(recording, film, tmp_path / "stands")
    one, two = frames(tmp_path / "stands").values()
    assert one == two
    with open_connection(WorldFile(recording), Options(light=False)) as replayed:
        assert replayed.replay
        duration_s = replayed.replay.duration_s
        playing_s = replayed.replay.position.time_s
    film_of(recording, replace(film, speed=duration_s * 2), tmp_path / "plays")
    first, end = frames(tmp_path / "plays").values()
    assert end == one != first
    with pytest.raises(UsageError, match="cannot end at 99 s"):
        film_of(recording, replace(film, end_s=99.0), tmp_path / "late")
    with pytest.raises(UsageError, match="cannot end at"):
        film_of(recording, replace(film, end_s=playing_s / 2), tmp_path / "early")
    assert not (tmp_path / "early").exists(), "a corrected command finds no other film there"


def test_an_mp4_has_all_frames_and_leaves_none(recording: Path, tmp_path: Path) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="the extra film is not installed")
    film = replace(SMALL, path=FLIGHT, fps=5)
    out = tmp_path / "100%d.mp4"
    report = film_of(recording, film, out)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    assert report.frames == 10
    shown, seconds = imageio_ffmpeg.count_frames_and_secs(out)
    assert (shown, round(seconds, 2)) == (10, 2.0)
    film_of(recording, replace(film, keep_frames=True), out)
    pictures = frames(tmp_path / "100%d.frames")
    assert len(pictures) == 10
    reader = imageio_ffmpeg.read_frames(out)
    assert next(reader)["size"] == (128, 72)
    with Image.open(tmp_path / "100%d.frames" / "000000.png") as image:
        first = np.frombuffer(next(reader), np.uint8).reshape(72, 128, 3).astype(int)
        assert np.abs(first - np.asarray(image)).mean() < 6  # what loss and half the colour's detail leave


def test_an_mp4_that_was_interrupted_is_not_there_and_the_next_run_writes_it_whole(
    recording: Path, tmp_path: Path
) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="the extra film is not installed")
    film, out = replace(SMALL, path=FLIGHT, fps=5), tmp_path / "a.mp4"
    with pytest.raises(
        KeyboardInterrupt, match=r"^Interrupted. 10 of 10 frames are kept in .*a.frames; the same command"
    ):
        make_film(WorldFile(recording), OPTIONS, film, out, interrupted_at(0, "encoding"), SyncRunner())
    assert [path.name for path in tmp_path.iterdir()] == ["a.frames"]
    assert film_of(recording, film, out).made == 0
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    assert imageio_ffmpeg.count_frames_and_secs(out)[0] == 10


INTERRUPTED_FILM = """
import os, signal
from render.film import film
make_frame, made = film._make_frame, []
def interrupted(*arguments):
    make_frame(*arguments)
    made.append(0)
    if len(made) == 2:
        os.kill(os.getpid(), signal.SIGINT)
film._make_frame = interrupted
from render import main
main()
"""


def test_ctrl_c_leaves_whole_frames_no_mp4_and_one_sentence(recording: Path, tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="the extra film is not installed")
    path, out = tmp_path / "path.toml", tmp_path / "films" / "a.mp4"
    out.parent.mkdir()
    write_path(path, CameraPath(FLIGHT.keys[:2]))
    words = ["film", str(recording), "--path", str(path), "--out", str(out), "--size", "64x36", "--fps", "5"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_FILM, *words], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stdout) == (INTERRUPTED, "")
    said = re.fullmatch(
        r"chunkscope: Interrupted. 2 of \d+ frames are kept in (.*); the same command resumes the film.\n", done.stderr
    )
    assert said, done.stderr
    assert [path.name for path in out.parent.iterdir()] == ["a.frames"]
    kept = sorted((out.parent / "a.frames").glob("*.png"))
    assert [path.name for path in kept] == ["000000.png", "000001.png"]
    for path in kept:
        with Image.open(path) as picture:
            picture.load()


def test_what_ffmpeg_says_is_one_sentence_and_the_frames_stay(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "ffmpeg"
    broken.write_text("#!/bin/sh\necho 'first words' >&2; echo 'no encoder of that name' >&2; exit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(film, "find_ffmpeg", lambda: str(broken))
    out = tmp_path / "a.mp4"
    out.write_bytes(b"old")
    with pytest.raises(EncodingFailed, match=r"no encoder of that name\. The frames are kept; .* -m pip install"):
        film_of(recording, SMALL, out)
    assert out.read_bytes() == b"old"
    assert len(frames(tmp_path / "a.frames")) == 6
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.frames", "a.mp4", "ffmpeg"]
    monkeypatch.setattr(film, "find_ffmpeg", lambda: str(tmp_path / "gone"))
    with pytest.raises(EncodingFailed, match=r"could not be run: .*pip install"):
        film_of(recording, SMALL, out)


def test_a_film_that_finds_no_place_is_not_blamed_on_ffmpeg(tmp_path: Path) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\n: > "$last"\n')
    program.chmod(0o755)
    (tmp_path / "a.mp4").mkdir()
    with pytest.raises(EncodingFailed, match=r"a\.mp4: the film could not be written: Is a directory\.") as told:
        encode(str(program), FrameFiles(tmp_path), 0, 20, tmp_path / "a.mp4")
    assert "ffmpeg" not in str(told.value).replace(str(tmp_path), "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mp4", "ffmpeg"]
