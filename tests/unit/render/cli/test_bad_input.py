"""Every command with input that cannot be meant: one sentence on stderr, the right exit code, never a traceback.

Help: What ``--help`` prints of each command is what is written in its file.
"""

import errno
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, nullcontext
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import click
import pytest
import typer
from rich.text import Text

from client.errors import INTERRUPTED
from render import cli
from render.cli import MODULE_OF, app
from render.cli.arguments import COMMANDS
from render.cli.console import compile_kernels, reported

# ---------------------------------------------------------------- bad input

WRONG_USAGE, SOURCE_FAILED, NO_DISPLAY, UNREADABLE = 2, 3, 5, 6
HERE = "out.file"
PICTURE = "out.png"
FOLDER = "here.png"

BAD = {
    "an unknown command": (["frobnicate"], WRONG_USAGE, "frobnicate"),
    "an unknown option": (["view", "--colour", "red"], WRONG_USAGE, "--colour"),
    "no source": (["shot", "--out", PICTURE], WRONG_USAGE, "SOURCE"),
    "no file": (["shot", "embedded"], WRONG_USAGE, "--out"),
    "no box": (["dump", "embedded", "--out", HERE], WRONG_USAGE, "--box"),
    "a box of two": (["dump", "embedded", "--out", HERE, "--box", "1,2"], WRONG_USAGE, "1,2"),
    "an empty box": (["dump", "embedded", "--out", HERE, "--box", "0,0,0,0,1,1"], WRONG_USAGE, "empty"),
    "a box in letters": (["dump", "embedded", "--out", HERE, "--box", "a,b,c,d,e,f"], WRONG_USAGE, "a,b,c,d,e,f"),
    "an unknown array": (
        ["dump", "embedded", "--out", HERE, "--box", "0,0,0,1,1,1", "--what", "blocks,lihgt"],
        WRONG_USAGE,
        "nearest: light",
    ),
    "an unknown world": (["shot", "embedded:moon", "--out", PICTURE], WRONG_USAGE, "moon"),
    "a seed in letters": (["serve", "embedded:hills:x"], WRONG_USAGE, "'x'"),
    "a port beyond the last": (["shot", "localhost:70000", "--out", PICTURE], WRONG_USAGE, "70000"),
    "a radius of nothing": (["view", "--radius", "0"], WRONG_USAGE, "--radius"),
    "a look-out of one": (["view", "--pin", "5"], WRONG_USAGE, "'5' is not a place to pin"),
    "a look-out outside any world": (
        ["shot", "embedded", "--out", PICTURE, "--pin-all", "3e9,0"],
        WRONG_USAGE,
        "every world",
    ),
    "a look-out too large": (["view", "--pin", "0,0,100"], WRONG_USAGE, "columns, not 100"),
    "a thousand look-outs": (["view", *["--pin", "0,0"] * 1000], WRONG_USAGE, "1000 anchors"),
    "a size without a cross": (["shot", "embedded", "--out", PICTURE, "--size", "1280"], WRONG_USAGE, "1280"),
    "a size too large": (["view", "--size", "100000x100"], WRONG_USAGE, "100000x100"),
    "a position of two": (["shot", "embedded", "--out", PICTURE, "--at", "1,2"], WRONG_USAGE, "1,2"),
    "a pitch beyond the zenith": (["shot", "embedded", "--out", PICTURE, "--look", "0,91"], WRONG_USAGE, "91"),
    "an hour too late": (["view", "--time", "24000"], WRONG_USAGE, "--time"),
    "an unknown dimension": (["view", "--dimension", "aether"], WRONG_USAGE, "aether"),
    "a dimension in foreign digits": (["view", "--dimension", "²"], WRONG_USAGE, "²"),
    "a protocol in letters": (["view", "--protocol", "new"], WRONG_USAGE, "new"),
    "a protocol not spoken": (["view", "--protocol", "361"], WRONG_USAGE, "361"),
    "an unknown profile": (["view", "--profile", "java"], WRONG_USAGE, "java"),
    "an unknown mode": (["view", "--mode", "some"], WRONG_USAGE, "some"),
    "an unknown light": (["view", "--light", "candle"], WRONG_USAGE, "candle"),
    "an unknown weather": (["shot", "embedded", "--out", PICTURE, "--weather", "hail"], WRONG_USAGE, "clear, rain"),
    "an unknown overlay": (["shot", "embedded", "--out", PICTURE, "--overlay", "magic"], WRONG_USAGE, "magic"),
    "a speed of nothing": (["view", "--speed", "0"], WRONG_USAGE, "at 0 times its speed"),
    "a view in words": (["view", "--view", "--over there"], WRONG_USAGE, "Unknown word '--over'"),
    "a view that nobody kept": (["view", "--view", "over there"], WRONG_USAGE, "bookmark 'over there' of embedded"),
    "a view of nowhere": (["shot", "embedded", "--out", PICTURE, "--view", "--fov 70"], WRONG_USAGE, "it has no --at"),
    "settings that are not there": (["view", "--config", "none.toml"], UNREADABLE, "none.toml"),
    "no settings to show": (["config", "--config", "none.toml"], UNREADABLE, "none.toml"),
    "a start in words": (["view", "--moment", "soon"], WRONG_USAGE, "'soon' is not a moment of a recording"),
    "must be longer than": (["shot", "embedded", "--out", PICTURE, "--timeout", "0"], WRONG_USAGE, "0"),
    "arrays of no comparison": (
        ["shot", "embedded:flat", "--out", PICTURE, "--what", "light"],
        WRONG_USAGE,
        "--what chooses what --against compares: name the second source with --against.",
    ),
    "light of the GPU compared": (
        ["view", "embedded:flat", "--against", "embedded:flat", "--what", "light", "--light", "gpu"],
        WRONG_USAGE,
        "Light that is computed on the GPU cannot be compared: use --light cpu with --what light.",
    ),
    "an array to compare that is none": (
        ["shot", "embedded:flat", "--out", PICTURE, "--against", "embedded:flat", "--what", "lihgt"],
        WRONG_USAGE,
        "Unknown array 'lihgt' (nearest: light)",
    ),
    "a time before the first": (
        ["shot", "a.cscope", "--out", PICTURE, "--moment", "-1"],
        WRONG_USAGE,
        "'-1' is not a moment",
    ),
    "a moment of what is no recording": (
        ["shot", "embedded:flat", "--out", PICTURE, "--moment", "#3"],
        WRONG_USAGE,
        "embedded:flat:1 is not a recording: it cannot be shown at packet 3",
    ),
    "a place of two": (["why", "embedded", "--at", "1,2"], WRONG_USAGE, "'1,2' is not a block"),
    "no place": (["why", "embedded"], WRONG_USAGE, "--at"),
    "a place of nobody": (["why", "127.0.0.1:9", "--at", "0,0,0", "--timeout", "0.01"], SOURCE_FAILED, "127.0.0.1:9"),
    "a recording that is not there": (["why", "gone.cscope", "--at", "0,0,0"], UNREADABLE, "gone.cscope"),
    "a saved world that is not there": (
        ["shot", "gone.mcworld", "--out", PICTURE],
        UNREADABLE,
        "gone.mcworld does not",
    ),
    "a fault script that is not there": (["serve", "--faults", "gone.toml"], UNREADABLE, "gone.toml does not exist"),
    "a camera path that is not there": (
        ["film", "embedded", "--path", "gone.toml", "--out", "film.mp4"],
        UNREADABLE,
        "gone.toml does not exist",
    ),
    "scenes that are not there": (["test", "gone"], UNREADABLE, "gone does not exist"),
    "a pack that is not there": (["shot", "embedded", "--out", PICTURE, "--pack", "gone"], UNREADABLE, "gone does not"),
    "a world served that is not there": (["serve", "world.mcworld"], UNREADABLE, "world.mcworld does not exist"),
    "a mode not served": (["serve", "--mode", "some"], WRONG_USAGE, "some"),
    "a protocol not served": (["serve", "--protocol", "361"], WRONG_USAGE, "486 (1.18.10) to 2193 (1.26.51)"),
    "a served protocol in letters": (["serve", "--protocol", "new"], WRONG_USAGE, "new"),
    "ids by hash before there were any": (
        ["serve", "--protocol", "486", "--ids", "hash"],
        WRONG_USAGE,
        "choose 582 or later",
    ),
    "ids not known": (["serve", "--ids", "name"], WRONG_USAGE, "name"),
    "a limit form not known": (["serve", "--limit-form", "roman"], WRONG_USAGE, "roman"),
    "a world asked for its name": (["ping", "embedded"], WRONG_USAGE, "embedded"),
    "a ping without time": (["ping", "localhost", "--timeout", "-1"], WRONG_USAGE, "-1"),
    "an option for doctor": (["doctor", "--deep"], WRONG_USAGE, "--deep"),
    "a folder that is not there": (["shot", "embedded", "--out", "not/there/x.png"], WRONG_USAGE, "folder"),
    "a host that is not there": (["ping", "nobody.invalid", "--timeout", "0.01"], SOURCE_FAILED, "nobody.invalid"),
    "nobody at home": (["ping", "127.0.0.1:9", "--timeout", "0.01"], SOURCE_FAILED, "127.0.0.1:9"),
    "a dump of nobody": (
        ["dump", "127.0.0.1:9", "--out", HERE, "--box", "0,0,0,1,1,1", "--timeout", "0.01"],
        SOURCE_FAILED,
        "127.0.0.1:9",
    ),
    "no block to find": (["find", "embedded:flat"], WRONG_USAGE, "NAME"),
    "half a block": (["find", "embedded:flat", "stone["], WRONG_USAGE, "'stone[' is not a block"),
    "a third layer": (["find", "embedded:flat", "stone", "--layer", "2"], WRONG_USAGE, "--layer"),
    "a search in a box of two": (["find", "embedded:flat", "stone", "--box", "1,2"], WRONG_USAGE, "'1,2' is not a box"),
    "a search in a file that is not there": (["find", "gone.cscope", "stone"], UNREADABLE, "gone.cscope does not"),
    "one world to compare": (["diff", "embedded:flat"], WRONG_USAGE, "B"),
    "an array that is not compared": (
        ["diff", "embedded:flat", "embedded", "--what", "names"],
        WRONG_USAGE,
        "choose from blocks, layer1, biomes, light, states",
    ),
    "a moment of a live world": (
        ["diff", "embedded:flat", "embedded", "--moment-b", "#3"],
        WRONG_USAGE,
        "embedded:hills:1 is not a recording",
    ),
    "a comparison with a file that is not there": (
        ["diff", "embedded:flat", "gone.mcworld"],
        UNREADABLE,
        "gone.mcworld does not exist",
    ),
    "a comparison as a dump": (
        ["diff", "embedded:flat", "embedded", "--picture", "x.npz"],
        WRONG_USAGE,
        "use .png",
    ),
    "a window without a display": (["view"], NO_DISPLAY, "shot"),
    "a picture over a folder": (["shot", "embedded", "--out", f"../{FOLDER}"], UNREADABLE, "directory"),
    "a picture that is called no such": (["shot", "embedded", "--out", HERE], WRONG_USAGE, "use .png or .npz"),
    "a dump over a folder": (
        ["dump", "embedded", "--out", ".", "--box", "0,0,0,1,1,1"],
        UNREADABLE,
        "directory",
    ),
    "events into a folder": (["view", "--events", "."], UNREADABLE, "directory"),
}


def test_every_command_that_a_module_defines_is_in_the_help() -> None:
    for path in Path(cli.__file__).parent.glob("[a-z]*.py"):
        import_module(f"render.cli.{path.stem}")
    assert sorted(COMMANDS) == sorted(MODULE_OF)


@pytest.mark.parametrize(("arguments", "code", "named"), BAD.values(), ids=list(BAD))
def test_bad_input_is_one_sentence_and_a_code(
    arguments: list[str],
    code: int,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = tmp_path / FOLDER
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.delenv("DISPLAY", raising=False)
    assert reported(app, arguments) == code
    told = capsys.readouterr().err
    assert told.startswith("chunkscope: ")
    assert told.count("\n") == 1, "one sentence"
    assert named in told
    assert "Traceback" not in told
    assert "bug in" not in told
    assert not list(here.iterdir()), "nothing is left behind"


def test_a_bug_is_named_as_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> None:
        raise ZeroDivisionError("seven")

    monkeypatch.setattr("render.cli.doctor.checkup", broken)
    assert reported(app, ["doctor"]) == 1
    told = capsys.readouterr().err
    assert "bug in chunkscope: ZeroDivisionError: seven" in told
    assert "Traceback" not in told
    assert reported(app, ["doctor", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("trouble", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
def test_too_little_memory_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], trouble: Exception
) -> None:
    def full() -> None:
        raise trouble

    monkeypatch.setattr("render.cli.doctor.checkup", full)
    assert reported(app, ["doctor"]) == 1
    assert capsys.readouterr().err.startswith("chunkscope: There is not enough free memory.")


def test_a_folder_that_is_gone_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with chdir(gone):
        gone.rmdir()
        assert reported(app, ["shot", "embedded:flat", "--out", PICTURE]) == UNREADABLE
    assert "The current folder does not exist any more." in capsys.readouterr().err


def test_text_that_a_terminal_cannot_show_does_not_end_a_command(tmp_path: Path) -> None:
    file = tmp_path / "\u00fcber\u2026.toml"
    ran = said_by_config(file, PYTHONIOENCODING="cp437", PYTHONUTF8="1")
    assert "\u00fcber?".encode("cp437") in ran


def test_the_name_of_a_file_is_written_as_it_is_even_if_it_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.toml")
    assert b"/caf\xe9.toml" in said_by_config(file, LC_ALL="C.UTF-8", PYTHONIOENCODING="", PYTHONUTF8="")


def said_by_config(file: Path, **settings: str) -> bytes:
    """What ``config`` prints about a settings file in such an environment."""
    command = [sys.executable, "-c", "from render import main; main()", "config"]
    settings["CHUNKSCOPE_CONFIG"] = str(file)
    ran = subprocess.run(command, env=os.environ | settings, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout


@pytest.mark.parametrize("command", ["view", "shot", "dump", "find", "diff", "serve", "ping", "doctor"])
def test_every_command_explains_itself_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, [command, "--help"]) == 0
    assert f"chunkscope {command}" in capsys.readouterr().out


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, []) == WRONG_USAGE
    assert "Usage" in capsys.readouterr().out


def test_ctrl_c_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """While kernels compile, say; whatever typer makes of it."""

    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("render.cli.console.compile_kernels", interrupted)
    assert reported(app, ["shot", "embedded:flat", "--out", "never.png"]) == INTERRUPTED
    assert capsys.readouterr().err == "chunkscope: Interrupted.\n"


@pytest.mark.parametrize(("terminal", "quiet", "lines"), [(False, False, 1), (False, True, 0), (True, False, 0)])
def test_while_kernels_are_compiled_a_log_has_one_line(
    terminal: bool, quiet: bool, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Compiled:
        wait = close = staticmethod(lambda *_: None)

    monkeypatch.setattr("client.kernel_cache.use_cache", lambda: None)
    monkeypatch.setattr("client.kernel_cache.use_compiled", lambda *_: False)
    monkeypatch.setattr("client.kernel_cache.WarmUp", lambda *_: Compiled)
    monkeypatch.setattr("render.cli.console.progress", lambda *_, **__: nullcontext())
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    compile_kernels(quiet=quiet)
    assert (
        capsys.readouterr().err.splitlines()
        == ["chunkscope: compiling kernels. This takes about half a minute, once."] * lines
    )


# ---------------------------------------------------------------- help


def commands(group: click.Command, name: str = "chunkscope") -> Iterator[tuple[str, click.Command]]:
    """All of them, by what one types."""
    yield name, group
    for word, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{name} {word}")


@pytest.mark.parametrize(("name", "command"), list(commands(typer.main.get_command(app))))
def test_brackets_in_help_are_text_and_no_markup(name: str, command: click.Command) -> None:
    options = [getattr(parameter, "help", None) for parameter in command.params]
    texts = [text for text in (command.help, command.epilog, *options) if text]
    assert texts, name
    for text in texts:
        assert Text.from_markup(text).plain == re.sub(r"\\\[", "[", text)


def test_the_version_is_one_line_that_a_report_can_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["--version"]) == 0
    assert capsys.readouterr().out == f"chunkscope {version('chunkscope')}\n"


def test_the_help_of_joining_says_who_joins_when_nobody_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported(app, ["view", "--help"]) == 0
    words = capsys.readouterr().out.replace("│", " ").split()
    assert "[default: (own)]" in " ".join(words)
