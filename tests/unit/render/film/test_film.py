"""What a film refuses before anybody is joined or any context is made."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.errors import UsageError
from client.options import Moment, Options
from client.player import Eye, View
from client.source import Embedded
from render.camera_path import Key
from render.capture import PictureOptions
from render.film import CameraPath, FilmOptions, make_film
from render.film.film import FilmReport

# ---------------------------------------------------------------- film report


def test_a_film_is_told_in_one_line_and_what_is_missing_in_another() -> None:
    told = FilmReport(Path("a.mp4"), 12, 12, 24, "", 3.25).text()
    assert told == "a.mp4: 12 frames, 0.5 s (3.2 s)"
    again = FilmReport(Path("frames"), 12, 5, 24, "1 column is not announced yet", 2.0).text()
    assert again.splitlines() == [
        "frames: 12 frames, 7 of them there before, 0.5 s (2.0 s)",
        "incomplete: 1 column is not announced yet",
    ]


def test_one_frame_is_one() -> None:
    assert FilmReport(Path("a"), 1, 1, 5, "", 0.0).text() == "a: 1 frame, 0.2 s (0.0 s)"


# ---------------------------------------------------------------- refusals

PATH = CameraPath((Key(0.0, View(Eye(0.0, 90.0, 0.0))), Key(1.0, View(Eye(9.0, 90.0, 0.0)))))
FILM = FilmOptions(PATH)

REFUSED = {
    "no path": (replace(FILM, path=None), Options(), "film", "needs a camera path: --path FILE.toml"),
    "no frames": (replace(FILM, fps=0), Options(), "film", "0 frames a second"),
    "a speed of a living world": (replace(FILM, speed=2.0), Options(), "film", "no start, no end and no speed"),
    "an end of a living world": (replace(FILM, end_s=2.0), Options(), "film", "no start, no end and no speed"),
    "a start of a living world": (FILM, Options(start=Moment(1.0)), "film", "no start, no end and no speed"),
    "a speed backwards": (replace(FILM, speed=-1.0), Options(), "film", "-1 seconds a second"),
    "a radius beyond the largest": (FILM, Options(radius=60), "film", "58 columns far at most, not 60"),
    "another format": (FILM, Options(), "film.webm", "film.webm is no film"),
    "an odd size": (
        replace(FILM, picture=PictureOptions(size_px=(641, 360))),
        Options(),
        "film.mp4",
        "641x360 pixels cannot be: both sides must be even, as in 642x360",
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
