"""Files that people edit and windows write: nothing of theirs is lost, whatever it is and whoever writes at once.

Settings: what the file and the environment say, what a mistake costs, and what is written back.
"""

import errno
import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from net.files import lock
from render.settings import Action, Settings, load
from render.settings.file import (
    MARK,
    Loaded,
    create,
    default_file,
    default_path,
    put,
    read_text,
    write_setting,
)
from render.settings.keys import PRESETS
from render.settings.overlays import OVERLAYS
from render.settings.schema import SETTINGS

# ---------------------------------------------------------------- files

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
        ("[camera]\nfov = 1\nfov = 2\n", "is not valid TOML"),
        ("[camera]\n[keys]\n[camera]\n", "is not valid TOML"),
        ("[camera]\nfov = " + "9" * 5000 + "\n", "is not valid TOML"),
        ("camera = 3\n", "'camera' in {} must be a table, [camera]; the file was not changed."),
        ("[[camera]]\nfov = 3\n", "'camera' in {} must be a table, [camera]; the file was not changed."),
    ],
)
def test_a_file_that_makes_no_sense_is_left_alone_and_told(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match="not changed") as told:
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


@pytest.mark.skipif(sys.platform == "win32", reason="no folder is opened there")
def test_a_window_that_was_stopped_while_it_wrote_keeps_no_other_from_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("render.settings.file.LOCK_S", 0.05)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        lock(folder)
        write_setting(tmp_path / "config.toml", "camera", "fov", 30.0)
    finally:
        os.close(folder)
    assert load(tmp_path / "config.toml", NOBODY).settings.fov == 30.0


def test_many_values_are_put_at_once() -> None:
    assert put("[keys] # k\n", "keys", {"up": ["E"], "down": []}) == '[keys] # k\nup = ["E"]\ndown = []\n'


# ---------------------------------------------------------------- settings

NOBODY: dict[str, str] = {}


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, "utf-8")
    return path


def test_no_file_is_the_defaults_and_a_first_start(tmp_path: Path) -> None:
    loaded = load(tmp_path / "none.toml", NOBODY)
    assert (loaded.settings, loaded.is_new, loaded.troubles) == (Settings(), True, ())


def test_the_default_file_is_the_defaults_commented_out_or_not(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.toml"
    create(path)
    loaded = load(path, NOBODY)
    assert (loaded.settings, loaded.is_new, loaded.troubles) == (Settings(), False, ())
    live = re.sub(r"^# (\w+ = )", r"\1", default_file(), flags=re.MULTILINE)
    said = tomllib.loads(live)
    assert sum(map(len, said.values())) == len(SETTINGS) + len(list(Action))
    loaded = load(written(tmp_path, live), NOBODY)
    assert loaded.troubles == ()
    assert loaded.settings.keys == {action: action.keys for action in Action}
    assert all(getattr(loaded.settings, row.key) == row.default for row in SETTINGS)


def test_the_environment_goes_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, '[world]\nradius = 5\ngamma = 2\n[window]\nsize = "640x400"\n')
    environment = {"CHUNKSCOPE_RADIUS": "7", "CHUNKSCOPE_SIZE": "800x600", "CHUNKSCOPE_OVERLAYS": "states"}
    loaded = load(path, environment)
    assert (loaded.settings.radius, loaded.settings.gamma, loaded.settings.size) == (7, 2.0, "800x600")
    assert loaded.settings.overlays == ("states",)
    assert [loaded.origins.get(key) for key in ("radius", "gamma", "fov")] == ["environment", "file", None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[camera]\nspeed = 'fast'\n", "line 2: 'speed' in [camera] is 'fast'; it must be a number from 1 to 200."),
        ("[camera]\nsped = 5\n", "line 2: unknown key 'sped' in [camera]; did you mean 'speed'?"),
        ("[camra]\nspeed = 5\n", "line 1: unknown key 'camra'; did you mean 'camera'?"),
        ("camera = 3\n", "line 1: 'camera' must be a table, [camera]."),
        (
            "[keys]\nhelp = 'F77'\n",
            "line 2: 'help' in [keys] is 'F77'; it must be names of keys; unknown key F77",
        ),
        ("[keys]\npreset = 'quertz'\n", "it must be one of qwerty, azerty, dvorak, colemak, left-handed (did you mean"),
        ("[keys]\nhelp = 'X'\nhud = 'x'\n", "X is bound to help and to hud; the first is used."),
        ("[window]\nhud = 1\nsize = '1x1'\n", "'size' in [window] is '1x1'; it must be WIDTHxHEIGHT"),
        ("[world]\nradius = true\n", "it must be a whole number from 1 to 64."),
        ("[world]\noverlays = ['stats']\n", "(did you mean 'states'?)"),
    ],
)
def test_a_mistake_is_one_sentence_and_costs_its_own_key_alone(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    loaded = load(path, NOBODY)
    assert any(said in trouble for trouble in loaded.troubles), loaded.troubles
    assert all(str(path) in trouble and "\n" not in trouble for trouble in loaded.troubles)
    beside = load(written(tmp_path, text.replace("[window]", "[window]\nfull_screen = true")), NOBODY)
    assert beside.settings.full_screen == ("[window]" in text)
    assert beside.settings.speed == Settings().speed


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    loaded = load(tmp_path / "none.toml", {"CHUNKSCOPE_RADIUS": "many"})
    assert loaded.troubles == ("CHUNKSCOPE_RADIUS is 'many'; it must be a whole number from 1 to 64.",)
    assert loaded.settings == Settings()


def test_a_variable_that_is_none_is_told_with_the_nearest(tmp_path: Path) -> None:
    environment = {"CHUNKSCOPE_RADUIS": "3", "CHUNKSCOPE_CONFG": "x", "CHUNKSCOPE_": "", "CHUNK": "1", "HOME": "/"}
    loaded = load(tmp_path / "none.toml", environment)
    assert loaded.troubles == (
        "Unknown variable CHUNKSCOPE_; docs/reference/settings.md lists them.",
        "Unknown variable CHUNKSCOPE_CONFG (did you mean 'CHUNKSCOPE_CONFIG'?).",
        "Unknown variable CHUNKSCOPE_RADUIS (did you mean 'CHUNKSCOPE_RADIUS'?).",
    )
    assert loaded.settings == Settings()


def test_no_variable_that_is_read_anywhere_is_told_as_unknown(tmp_path: Path) -> None:
    root = Path(__file__).parents[4]
    files = [root / "check", root / "run", root / ".ci" / "run"]
    files += [path for package in ("net", "client", "render", "tests") for path in (root / package).rglob("*.py")]
    files = [path for path in files if path != Path(__file__)]
    named = {name for path in files for name in re.findall(r"CHUNKSCOPE_[A-Z_]*[A-Z]", path.read_text("utf-8"))}
    assert {"CHUNKSCOPE_KERNELS", "CHUNKSCOPE_NPM", "CHUNKSCOPE_CONFIG"} <= named
    assert load(tmp_path / "none.toml", dict.fromkeys(named, "")).troubles == ()


@pytest.mark.parametrize("content", [b"[window\n", b"\xff\xfe\x00", b"a = " + b"[" * 5000])
def test_a_file_that_is_no_toml_is_told_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    loaded = load(path, NOBODY)
    assert (loaded.settings, loaded.is_new) == (Settings(), False)
    assert len(loaded.troubles) == 1
    assert str(path) in loaded.troubles[0]
    with pytest.raises(ValueError, match="not changed"):
        write_setting(path, "keys", "preset", "azerty")
    assert path.read_bytes() == content


def test_a_folder_in_the_files_place_is_told(tmp_path: Path) -> None:
    loaded = load(tmp_path, NOBODY)
    assert loaded.settings == Settings()
    assert str(tmp_path) in loaded.troubles[0]


def test_a_preset_is_written_and_no_comment_lost(tmp_path: Path) -> None:
    text = (
        "# mine\n[camera]\nspeed = 20 # quick\n\n[keys]\n# why\nhelp = 'X'  # near\npreset = 'qwerty' # old\n\n# end\n"
    )
    path = written(tmp_path, text)
    write_setting(path, "keys", "preset", "dvorak")
    assert path.read_text() == text.replace("'qwerty'", '"dvorak"')
    assert load(path, NOBODY).settings.preset == "dvorak"
    assert list(tmp_path.iterdir()) == [path]


def test_a_preset_is_written_where_no_table_of_keys_is(tmp_path: Path) -> None:
    path = written(tmp_path, "# mine\n[camera]\nspeed = 20\n")
    write_setting(path, "keys", "preset", "colemak")
    loaded = load(path, NOBODY)
    assert (loaded.settings.preset, loaded.settings.speed) == ("colemak", 20.0)
    assert path.read_text().startswith("# mine\n[camera]\nspeed = 20\n")


def test_a_preset_is_written_into_the_default_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    write_setting(path, "keys", "preset", "azerty")
    loaded = load(path, NOBODY)
    assert (loaded.settings.preset, loaded.troubles) == ("azerty", ())
    assert all(line in path.read_text() for line in default_file().splitlines())


def test_the_files_place_is_the_variables_else_the_platforms(tmp_path: Path) -> None:
    assert default_path({"CHUNKSCOPE_CONFIG": str(tmp_path / "a.toml")}) == tmp_path / "a.toml"
    assert default_path({}).name == "config.toml"
    assert default_path({}).parent.name == "chunkscope"


def test_a_setting_may_name_any_overlay(tmp_path: Path) -> None:
    path = written(tmp_path, f"[world]\noverlays = {list(OVERLAYS)}\n")
    assert load(path, NOBODY).settings.overlays == tuple(OVERLAYS)


def test_an_empty_list_unbinds(tmp_path: Path) -> None:
    assert load(written(tmp_path, "[keys]\nhelp = []\n"), NOBODY).settings.keys == {Action.HELP: ()}


def test_settings_of_a_few_words_know_them() -> None:
    options = {row.key: row.options for row in SETTINGS if row.options}
    assert options == {"light": ("cpu", "gpu", "flat"), "preset": tuple(PRESETS)}
