"""Settings: what the file and the environment say, what a mistake costs, and what is written back."""

import re
import tomllib
from pathlib import Path

import pytest

from render.settings import Action, Settings, load
from render.settings.file import create, default_file, default_path, write_preset
from render.settings.keys import PRESETS
from render.settings.overlays import OVERLAYS
from render.settings.schema import BINDINGS, SETTINGS

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
    assert sum(map(len, said.values())) == len(SETTINGS) + len(BINDINGS)
    loaded = load(written(tmp_path, live), NOBODY)
    assert loaded.troubles == ()
    assert loaded.settings.keys == {action: keys for action, keys, _ in BINDINGS}
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
        ("[camera]\nsped = 5\n", "line 2: there is no 'sped' in [camera]; did you mean 'speed'?"),
        ("[camra]\nspeed = 5\n", "line 1: there is no 'camra'; did you mean 'camera'?"),
        ("camera = 3\n", "line 1: 'camera' must be a table, [camera]."),
        (
            "[keys]\nhelp = 'F77'\n",
            "line 2: 'help' in [keys] is 'F77'; it must be names of keys, and there is no key F77",
        ),
        ("[keys]\npreset = 'quertz'\n", "it must be one of qwerty, azerty, dvorak, colemak, left-handed (did you mean"),
        ("[keys]\nhelp = 'X'\nhud = 'x'\n", "X is bound to help and to hud; it does the first."),
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
        "There is no variable CHUNKSCOPE_; the README lists them.",
        "There is no variable CHUNKSCOPE_CONFG (did you mean 'CHUNKSCOPE_CONFIG'?).",
        "There is no variable CHUNKSCOPE_RADUIS (did you mean 'CHUNKSCOPE_RADIUS'?).",
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
    with pytest.raises(ValueError, match="left as it is"):
        write_preset(path, "azerty")
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
    write_preset(path, "dvorak")
    assert path.read_text() == text.replace("'qwerty'", '"dvorak"')
    assert load(path, NOBODY).settings.preset == "dvorak"
    assert list(tmp_path.iterdir()) == [path]


def test_a_preset_is_written_where_no_table_of_keys_is(tmp_path: Path) -> None:
    path = written(tmp_path, "# mine\n[camera]\nspeed = 20\n")
    write_preset(path, "colemak")
    loaded = load(path, NOBODY)
    assert (loaded.settings.preset, loaded.settings.speed) == ("colemak", 20.0)
    assert path.read_text().startswith("# mine\n[camera]\nspeed = 20\n")


def test_a_preset_is_written_into_the_default_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    write_preset(path, "azerty")
    loaded = load(path, NOBODY)
    assert (loaded.settings.preset, loaded.troubles) == ("azerty", ())
    assert all(line in path.read_text() for line in default_file().splitlines())


def test_the_files_place_is_the_variables_else_the_platforms(tmp_path: Path) -> None:
    assert default_path({"CHUNKSCOPE_CONFIG": str(tmp_path / "a.toml")}) == tmp_path / "a.toml"
    assert default_path({}).name == "config.toml"
    assert default_path({}).parent.name == "chunkscope"


def test_a_setting_may_name_any_overlay(tmp_path: Path) -> None:
    path = written(tmp_path, f"[world]\noverlays = {list(OVERLAYS)}\n")
    assert load(path, NOBODY).settings.overlays == OVERLAYS


def test_an_empty_list_unbinds(tmp_path: Path) -> None:
    assert load(written(tmp_path, "[keys]\nhelp = []\n"), NOBODY).settings.keys == {Action.HELP: ()}


def test_settings_of_a_few_words_know_them() -> None:
    options = {row.key: row.options for row in SETTINGS if row.options}
    assert options == {"light": ("cpu", "gpu", "flat"), "preset": tuple(PRESETS)}
