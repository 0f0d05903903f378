"""Files are written whole or not at all, and nothing that is no file is ever replaced by one.

Config: Messages name the line; the forms of fault scripts and scenes have tests of their own.
"""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from net.config import TomlTables, WrongValue
from net.files import whole as files_whole

# ---------------------------------------------------------------- files


def write(path: Path, text: str) -> None:
    with files_whole(path) as temporary:
        temporary.write_text(text)


def test_a_file_is_there_with_all_that_was_written_and_nothing_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "a", "one")
    write(tmp_path / "a", "two")
    assert (tmp_path / "a").read_text() == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_until_the_end_and_after_an_error_what_was_there_stays(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("before")

    def fail() -> None:
        with files_whole(file) as temporary:
            temporary.write_text("half")
            assert file.read_text() == "before"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_a_killed_process_of_this_number_left_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / f".a.{os.getpid()}.part").write_text("half")
    with files_whole(tmp_path / "a") as temporary, temporary.open("x") as file:
        file.write("one")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "a")
    for text in ("one", "two"):
        write(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "far" / "a").read_text() == text


def test_errors_name_the_place_that_was_meant(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as told:
        write(tmp_path / "none" / "a", "one")
    assert told.value.filename == str(tmp_path / "none" / "a")
    with pytest.raises(IsADirectoryError):
        write(tmp_path, "one")
    with pytest.raises(FileNotFoundError) as told, files_whole(tmp_path / "a"):
        (tmp_path / "other").read_bytes()
    assert told.value.filename == str(tmp_path / "other"), "somebody else's error stays"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_gets_what_was_written_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)  # it waits for a writer
    reader.start()
    write(pipe, "one")
    reader.join(30.0)
    assert read == ["one"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.fixture
def null(tmp_path: Path) -> Path:
    """The device that forgets; one of the test's own for users whom a fault would let replace everybody's."""
    null = Path(os.devnull)
    if not os.access(null.parent, os.W_OK):
        return null
    own = tmp_path / "null"
    try:
        os.mknod(own, stat.S_IFCHR | 0o600, null.stat().st_rdev)
        own.write_bytes(b"")
    except OSError:
        pytest.skip("no device can be made here")
    return own


def test_a_device_stays_one_even_where_it_may_be_replaced(null: Path) -> None:
    before = null.stat()
    write(null, "one")
    assert (null.stat().st_ino, null.stat().st_mode) == (before.st_ino, before.st_mode)


# ---------------------------------------------------------------- config


class Mistake(Exception):
    pass


def whole(value: Any) -> int:
    if not isinstance(value, int):
        raise WrongValue("a whole number")
    return value


FORM = {"size": whole, "rows": lambda value: value}


def tables(text: str) -> TomlTables:
    return TomlTables("a.toml", text, Mistake, "note")


@pytest.mark.parametrize(
    ("text", "read", "message"),
    [
        ("[box]\nsise = 1\n", lambda file: file.table("box", FORM), "a.toml, line 2: unknown key 'sise' in [box]; did"),
        # a row of an array stands alone in its line: no table is opened by it
        (
            "[box]\nrows = [\n  [1, 2],\n  [3]\n]\nsize = 'x'\n",
            lambda file: file.table("box", FORM),
            "a.toml, line 6: 'size' in [box] is 'x'; it must be a whole number.",
        ),
        (
            "[[box]]  # one\nsize = 1\n[[ box ]]\nrows = 1\n",
            lambda file: file.rows("box", FORM, ("size",)),
            "a.toml, line 3: [box] needs 'size'.",
        ),
        ("[a.b]\nsize = 'x'\n", lambda file: file.table("a.b", FORM), "a.toml, line 2: 'size' in [a.b] is 'x'"),
        ("[a]\nb = 3\n", lambda file: file.table("a.b", FORM), "'a.b' must be a table, [a.b]."),
        ("box = 1\n", lambda file: file.rows("box", FORM), "a.toml, line 1: 'box' must be written as [[box]]."),
        ("[[box]\n", lambda file: file, "a.toml is not valid TOML: "),
        ("x = " + "9" * 5000, lambda file: file, "a.toml is not valid TOML: "),
        ("x = " + "[" * 5000 + "]" * 5000, lambda file: file, "a.toml is nested too deeply for any note."),
    ],
)
def test_a_mistake_is_told_by_line_and_key(text: str, read: Callable[[TomlTables], object], message: str) -> None:
    with pytest.raises(Mistake) as caught:
        read(tables(text))
    assert message in str(caught.value)


def test_what_is_not_said_is_left_out() -> None:
    file = tables("size = 2\n[[box]]\nsize = 1\n")
    assert file.root(FORM, ("box",)) == {"size": 2}
    assert file.rows("box", FORM) == [{"size": 1}]
    assert file.table("none", FORM, ("size",)) == {}
    assert file.table("no.ne", FORM) == {}


def test_a_told_mistake_costs_its_own_key_alone() -> None:
    file = tables("sise = 1\nsize = 2\n[box]\nsize = 'x'\nrows = 5\n[bx]\n[row]\n")
    told: list[str] = []
    assert file.root(FORM, ("box", "row"), lambda error: told.append(str(error))) == {"size": 2}
    assert file.table("box", FORM, report=lambda error: told.append(str(error))) == {"rows": 5}
    assert file.table("none", FORM, report=lambda error: told.append(str(error))) == {}
    assert told == [
        "a.toml, line 1: unknown key 'sise'; did you mean 'size'?",
        "a.toml, line 6: unknown key 'bx'; did you mean 'box'?",
        "a.toml, line 4: 'size' in [box] is 'x'; it must be a whole number.",
    ]
