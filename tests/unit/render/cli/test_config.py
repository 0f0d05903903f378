"""Settings under the command line: what goes over what, and what ``chunkscope config`` says of them.

Options: Groups of options become options of each command that takes them, with the defaults and the words said once.
"""

import json
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

import render.viewer
from client.options import Options
from client.player import Eye
from render.cli import app
from render.cli.arguments import COMMANDS, Debug, DrawArguments, EyeOptions, JoinOptions, spelled_out
from render.cli.console import reported
from render.settings.file import default_file
from render.viewer import WindowOptions

# ---------------------------------------------------------------- config


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the window would have been opened with."""
    windows: list[Any] = []

    def view(_source: object, options: Options, window: WindowOptions) -> int:
        windows.append((options, window))
        return 0

    monkeypatch.setattr(render.viewer, "view", view)
    return windows


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "mine.toml"
    monkeypatch.setenv("CHUNKSCOPE_CONFIG", str(path))
    return path


def test_options_go_over_the_environment_and_that_over_the_file(
    file: Path, opened: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("[world]\nradius = 3\ngamma = 2\noverlays = ['states']\n[camera]\nfov = 40\nspeed = 20\n")
    monkeypatch.setenv("CHUNKSCOPE_RADIUS", "4")
    assert reported(app, ["view", "--fov", "50"]) == 0
    options, window = opened[0]
    assert (options.radius, window.gamma, window.fov_deg, window.overlays) == (4, 2.0, 50.0, ("states",))
    assert (window.settings.speed, window.settings_file, window.first_start) == (20.0, file, False)
    assert reported(app, ["view", "--radius", "5"]) == 0
    assert (opened[1][0].radius, opened[1][1].fov_deg) == (5, 40.0)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("order", [["embedded:flat", "--view", "high up"], ["--view", "high up", "embedded:flat"]])
def test_a_bookmark_of_the_source_is_a_view_by_its_name(
    file: Path, opened: list[Any], order: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    line = "--at 1,2,3 --look 4,5 --ortho 60 --dimension nether"
    file.with_name("bookmarks.toml").write_text(
        f'["embedded:flat:1"]\n"high up" = "{line}"\n["embedded:hills:1"]\nlow = ""\n'
    )
    file.write_text("[camera]\nfov = 40\n")
    assert reported(app, ["view", *order, "--look", "7,8"]) == 0
    options, window = opened[0]
    assert (options.at, options.look_deg, options.dimension) == (Eye(1.0, 2.0, 3.0), (7.0, 8.0), 1)
    assert (window.ortho_blocks, window.fov_deg) == (60.0, 40.0)
    assert reported(app, ["view", "embedded:flat", "--view", "hihg up"]) == 2
    assert "did you mean 'high up'?" in capsys.readouterr().err
    assert reported(app, ["view", "embedded:flat", "--view", "low"]) == 2, "another source's"


def test_a_mistake_is_told_and_the_window_opens(
    file: Path, opened: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("[world]\nradius = 'far'\nsky = 1\n")
    assert reported(app, ["view"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(", ")[2][:6] for line in said] == ["line 2", "line 3"]
    assert opened[0][0].radius == 8
    assert len(opened[0][1].troubles) == 2


@pytest.mark.parametrize("swapped", [False, True])
def test_a_line_of_text_goes_over_settings_and_options_over_it(
    tmp_path: Path, opened: list[Any], swapped: bool
) -> None:
    mine = tmp_path / "other.toml"
    mine.write_text("[camera]\nfov = 40\n")
    given = [["--config", str(mine)], ["--view", "--at 1,2,3 --look 4,5 --fov 60 --dimension nether"]]
    words = [word for pair in (given[::-1] if swapped else given) for word in pair]
    assert reported(app, ["view", *words, "--look", "7,8"]) == 0
    options, window = opened[0]
    assert (options.at, options.look_deg, options.dimension) == (Eye(1.0, 2.0, 3.0), (7.0, 8.0), 1)
    assert window.fov_deg == 60.0


def test_config_says_where_each_setting_comes_from(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("[camera]\nfov = 40\n[keys]\nhelp = 'h'\n")
    monkeypatch.setenv("CHUNKSCOPE_PRESET", "dvorak")
    assert reported(app, ["config"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{file} (read)"
    expected = ("camera.fov = 40.0  (file)", 'keys.preset = "dvorak"  (environment)', "world.radius = 8  (default)")
    assert all(line in told for line in (*expected, 'keys.help = ["H"]  (file)'))
    assert reported(app, ["config", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["settings"]["camera.fov"] == {"value": 40.0, "from": "file"}
    file.write_text("[camera]\nfov = 400\n")
    assert reported(app, ["config"]) == 1
    assert "'fov' in [camera] is 400" in capsys.readouterr().err


def test_config_writes_the_default_file_once(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["config", "--default"]) == 0
    assert capsys.readouterr().out == default_file()
    assert reported(app, ["config", "--write"]) == 0
    assert file.read_text("utf-8") == default_file()
    file.write_text("# mine\n")
    assert reported(app, ["config", "--write"]) == 0
    assert file.read_text() == "# mine\n"


# ---------------------------------------------------------------- options


def options_of(command: str) -> set[str]:
    return set(signature(COMMANDS[command].run).parameters)


def test_a_command_has_the_options_of_its_groups_and_no_groups() -> None:
    names = {group: {option.name for option in fields(group)} for group in (JoinOptions, EyeOptions, DrawArguments)}
    for command, groups in (
        ("view", (JoinOptions, EyeOptions, DrawArguments)),
        ("shot", (JoinOptions, EyeOptions, DrawArguments)),
        ("record", (JoinOptions, EyeOptions)),
        ("dump", (JoinOptions,)),
    ):
        options = options_of(command)
        assert not options & {"joining", "looking", "drawing"}
        for group, members in names.items():
            assert options & members == (members if group in groups else set()), (command, group)


def test_what_is_said_reaches_the_group() -> None:
    seen: list[object] = []

    @spelled_out
    def command(source: str, *, looking: EyeOptions, joining: JoinOptions, debug: Debug = False) -> int:
        seen.extend([source, looking, joining, debug])
        return 7

    values = {option.name: option.default for group in (EyeOptions, JoinOptions) for option in fields(group)}
    assert command(source="embedded", debug=True, **(values | {"at": "1,2,3", "radius": 5})) == 7
    assert seen == ["embedded", EyeOptions(at="1,2,3"), JoinOptions(radius=5), True]
