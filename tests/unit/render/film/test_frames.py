"""Frames on disk: their names, and that two films are never mixed."""

from pathlib import Path

import pytest

from client.errors import UnreadableFile, UsageError
from render.film.frames import FrameFiles

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
    assert files.missing(5) == [2, 4]


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
    with pytest.raises(UnreadableFile, match=r"film.json does not say"):
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
