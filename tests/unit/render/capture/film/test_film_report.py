from pathlib import Path

from render.film.film import FilmReport


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
