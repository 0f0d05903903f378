"""What a window says as it opens, and whether it writes the file of a first start."""

from pathlib import Path

from render.settings import Settings
from render.viewer.key_layout import KeyLayout
from render.viewer.options import ViewerOptions
from render.viewer.window_state import first_words


def opened(file: Path, troubles: tuple[str, ...] = (), first_start: bool = True) -> str:
    options = ViewerOptions((64, 48), pictures=file.parent, troubles=troubles, first_start=first_start)
    return first_words(options, KeyLayout(Settings(), file))


def test_a_first_start_writes_its_file_and_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert opened(file) == ""
    assert file.exists()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where a folder is asked for")
    assert opened(tmp_path / "taken" / "config.toml").startswith("no file of settings: ")


def test_the_first_trouble_is_told_and_no_file_written(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert opened(file, ("one", "two")) == "one"
    assert not file.exists()


def test_a_later_start_without_trouble_says_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert opened(file, first_start=False) == ""
    assert not file.exists()
