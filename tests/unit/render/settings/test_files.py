"""Files that people edit and windows write: nothing of theirs is lost, whatever it is and whoever writes at once."""

import errno
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from render.settings import load
from render.settings.file import MARK, Loaded, create, default_file, put, read_text, write_setting

comments = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20).map(lambda text: f"# {text}")
named = st.sampled_from(["# fov = 70.0  # degrees", "# speed = 1", "#fov=1", "# hud = true"])
strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(
    lambda text: '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else "x" for c in text) + '"'
)
COMMENTED_ARRAY: Final = "[1,\n  2, # two\n]"
multiline = st.sampled_from(["'''\n[camera]\n# fov = 3\n'''", '"""\n# speed = 2\n[window]\n"""'])
values = st.one_of(
    st.integers(-9, 9).map(str),
    st.sampled_from(["true", "1.5", '["a", "b"]', COMMENTED_ARRAY, "{a = 1}"]),
    strings,
    multiline,
)
keys = st.sampled_from(["fov", "speed", "hud", "other", '"quoted key"'])
put_values = st.sampled_from(
    [
        ("camera", "fov", 80.5),
        ("keys", "forward", ["W", "UP"]),
        ("window", "hud", False),
        ("world", "pictures", 'a\\"é'),
    ]
)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A person's file, and its comments: tables in any order; comments, also of defaults, and blank lines anywhere."""
    lines: list[str] = []
    written: list[str] = []

    def comment(kind: st.SearchStrategy[str] = comments) -> str:
        written.append(draw(kind))
        return written[-1]

    def between() -> None:
        kinds = draw(st.lists(st.sampled_from([comments, named, None]), max_size=2))
        lines.extend(comment(kind) if kind is not None else draw(st.sampled_from(["", "  "])) for kind in kinds)

    def entries() -> None:
        for key in draw(st.lists(keys, unique=True, max_size=4)):
            between()
            value = draw(values)
            if value == COMMENTED_ARRAY:
                written.append("# two")
            lines.append(f"{draw(st.sampled_from(['', '  ']))}{key} = {value} {comment()}")

    between()
    for table in draw(st.permutations(["camera", "keys", "window", "mine", '"camera x"']))[: draw(st.integers(0, 4))]:
        lines.append(f"[{table}]  {comment()}")
        entries()
    between()
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"])), written


@example(("[camera]\nfov = '''\n[camera]\n# fov = 3\n''' # mine", ["# mine"]), ("camera", "fov", 80.5), False, False)
@example((f"[camera]\nfov = {COMMENTED_ARRAY} # mine", ["# two", "# mine"]), ("camera", "fov", 80.5), True, False)
@given(files(), put_values, st.booleans(), st.booleans())
def test_whatever_a_person_wrote_stays_but_for_the_one_value(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: tuple[str, list[str]],
    putting: tuple[str, str, object],
    windows: bool,
    marked: bool,
) -> None:
    (text, comments), (table, key, value) = drawn, putting
    file = tmp_path_factory.mktemp("settings") / "config.toml"
    stored = (MARK if marked else "") + (text.replace("\n", "\r\n") if windows else text)
    file.write_bytes(stored.encode())
    before = tomllib.loads(text.replace("\n", "\r\n") if windows else text)
    write_setting(file, table, key, value)
    raw = file.read_bytes().decode()
    assert raw.startswith(MARK) == marked
    if windows and "\n" in text:
        assert raw.count("\n") == raw.count("\r\n"), "all line ends are those of the file"
    elif not windows:
        assert "\r" not in raw
    written = read_text(file)
    before.setdefault(table, {})[key] = value
    assert tomllib.loads(written) == before
    for comment in comments:
        assert any(comment.strip() in line for line in written.split("\n")), "no comment is lost"
    assert [path.name for path in file.parent.iterdir()] == ["config.toml"]


def test_a_new_value_stands_below_the_comment_of_its_default(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    create(file)
    write_setting(file, "camera", "fov", 90.0)
    write_setting(file, "keys", "walk", ["F20"])
    lines, before = file.read_text().splitlines(), default_file().splitlines()
    fov, walk = lines.index("fov = 90.0"), lines.index('walk = ["F20"]')
    assert lines[fov - 1].startswith("# fov = 70.0")
    assert lines[walk - 1].startswith("# walk = ")
    assert [line for number, line in enumerate(lines) if number not in (fov, walk)] == before
    write_setting(file, "camera", "fov", 91.0)
    assert file.read_text().splitlines() == [line.replace("fov = 90.0", "fov = 91.0") for line in lines]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[camera]\nfov = 1\nfov = 2\n", "is no TOML"),
        ("[camera]\n[keys]\n[camera]\n", "is no TOML"),
        ("camera = 3\n", "'camera' in {} is no table, [camera]; it is left as it is."),
        ("[[camera]]\nfov = 3\n", "'camera' in {} is no table, [camera]; it is left as it is."),
    ],
)
def test_a_file_that_makes_no_sense_is_left_alone_and_told(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match="left as it is") as told:
        write_setting(file, "camera", "fov", 90.0)
    assert said.format(file) in str(told.value)
    assert file.read_text() == text
    assert load(file, {}).troubles


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[camera]\nfov = 20\n", "utf-8-sig")
    loaded = load(file, {})
    assert isinstance(loaded, Loaded)
    assert (loaded.settings.fov, loaded.troubles) == (20.0, ())


def test_a_read_only_file_is_not_written_and_rights_stay(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[camera]\nfov = 20\n")
    file.chmod(0o600)
    write_setting(file, "camera", "fov", 30.0)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o444)
    with pytest.raises(OSError, match="read-only") as told:
        write_setting(file, "camera", "fov", 40.0)
    assert told.value.filename == str(file)
    assert load(file, {}).settings.fov == 30.0
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "collection").mkdir()
    real, link = tmp_path / "collection" / "mine.toml", tmp_path / "config.toml"
    real.write_text("# mine\n")
    link.symlink_to(real)
    write_setting(link, "camera", "fov", 30.0)
    assert link.is_symlink()
    assert tomllib.loads(real.read_text()) == {"camera": {"fov": 30.0}}


def test_a_full_disk_is_told_by_the_files_name_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[camera]\nfov = 20\n")

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as half:
            half.write(content[:5])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as told:
        write_setting(file, "camera", "fov", 30.0)
    assert told.value.filename == str(file)
    assert file.read_text() == "[camera]\nfov = 20\n"
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


WRITER = """
import sys
from pathlib import Path
from render.settings.file import write_setting
for number in range(10):
    write_setting(Path(sys.argv[1]), "mine", f"{sys.argv[2]}{number}", number)
"""


def test_windows_that_write_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), name]) for name in "abc"]
    assert [writer.wait(280) for writer in writers] == [0, 0, 0]
    assert tomllib.loads(file.read_text())["mine"] == {
        f"{name}{number}": number for name in "abc" for number in range(10)
    }


def test_many_values_are_put_at_once() -> None:
    assert put("[keys] # k\n", "keys", {"up": ["E"], "down": []}) == '[keys] # k\nup = ["E"]\ndown = []\n'
