"""``./run`` on a computer without a display: the same arguments become a picture."""

import os
import re
import shutil
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest

from render.cli import shot, view

ROOT = Path(__file__).parents[2]
LIBRARIES = ("libEGL.so.1", "libGL.so.1", "libfontconfig.so.1", "libfreetype.so.6")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")


def options(command: object) -> set[str]:
    parameters = signature(command.run).parameters.values()
    return {
        f"--{parameter.name.replace('_', '-')}"
        for parameter in parameters
        if parameter.name not in {"source", "context"}
    }


def said_in_run(name: str) -> set[str]:
    found = re.search(rf'^{name}="([^"]*)"$', (ROOT / "run").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return set(found[1].split())


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is set up, whose ``chunkscope`` only tells its arguments, on a system that lacks nothing."""
    for name in ("run", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    scripts = {
        programs / "chunkscope": 'printf "%s\\n" "$@"',
        programs / "python": 'echo "$@" >>installed',
        programs / "ldconfig": f"printf '%s\\n' {' '.join(LIBRARIES)}",
        programs / "fc-list": "echo a font",
        programs / "apt-get": "exit 1",
        programs / "sudo": "exit 1",
    }
    for path, script in scripts.items():
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    command = "printf 'nethernet %s' \"$(cksum <pyproject.toml)\" >.venv/installed-extras"
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    return tmp_path


def run(checkout: Path, *arguments: str, display: str = "") -> tuple[list[str], str]:
    """What chunkscope was told, and what was said."""
    path = f"{checkout / '.venv' / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "DISPLAY": display, "WAYLAND_DISPLAY": ""}
    done = subprocess.run([checkout / "run", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


def test_the_lists_in_run_are_those_of_the_commands() -> None:
    assert said_in_run("view_only") == options(view) - options(shot)
    assert said_in_run("flags") == {"--build", "--connect", "--help", "--debug", "--insist-on-key", "--json"}


@pytest.mark.parametrize(
    ("arguments", "told", "dropped"),
    [
        ([], ["embedded", "--out", "shots/embedded.png"], ""),
        (["a b.cscope", "--json"], ["a b.cscope", "--out", "shots/a_b.cscope.png", "--json"], ""),
        (["--connect", "flat"], ["flat", "--out", "shots/flat.png"], "--connect"),
        (["--radius", "3", "flat"], ["flat", "--out", "shots/flat.png", "--radius", "3"], ""),
        (
            ["x", "--pictures", "here", "--radius=3", "--events=e", "--at", "-1,2,3", "--moment=#5", "--debug"],
            ["x", "--out", "shots/x.png", "--radius=3", "--at", "-1,2,3", "--moment=#5", "--debug"],
            "--pictures --events",
        ),
        (["--speed", "2"], ["embedded", "--out", "shots/embedded.png"], "--speed"),
        (["--config", "a.toml", "x"], ["x", "--out", "shots/x.png"], "--config"),
        (["--json", "--debug", "x", "--radius"], ["x", "--out", "shots/x.png", "--json", "--debug", "--radius"], ""),
    ],
)
def test_without_a_display_the_options_of_the_window_are_dropped(
    checkout: Path, arguments: list[str], told: list[str], dropped: str
) -> None:
    heard, said = run(checkout, *arguments)
    assert heard == ["shot", *told]
    assert ("a picture has no use for" in said) == bool(dropped)
    assert said.endswith(f"a picture has no use for {dropped}\n") or not dropped


def test_with_a_display_everything_goes_to_the_window(checkout: Path) -> None:
    heard, said = run(checkout, "x", "--pictures", "here", display=":7")
    assert heard == ["view", "x", "--pictures", "here"]
    assert said == ""


def test_what_is_installed_for_one_purpose_stays_for_the_next(checkout: Path) -> None:
    for _ in range(2):
        run(checkout, "--setup", "bench,docs,nethernet")
        run(checkout, display=":7")
        run(checkout, "--setup")
    assert re.findall(r"\[(.*)\]", (checkout / "installed").read_text()) == ["nethernet,bench,docs"]
    with (checkout / "pyproject.toml").open("a") as file:
        file.write("# another\n")
    run(checkout, display=":7")
    assert re.findall(r"\[(.*)\]", (checkout / "installed").read_text()) == ["nethernet,bench,docs"] * 2


@pytest.mark.parametrize("first", [True, False])
def test_a_library_at_either_end_of_a_long_list_is_not_called_missing(checkout: Path, first: bool) -> None:
    # More than a pipe holds: who stops reading at the first hit kills who still writes; and who tries each beginning of
    # the list takes a minute to find the last.
    others = ["libother.so"] * 20_000
    (checkout / "listing").write_text("\n".join([*LIBRARIES, *others] if first else [*others, *LIBRARIES]))
    (checkout / ".venv" / "bin" / "ldconfig").write_text(f"#!/bin/sh\nexec cat '{checkout / 'listing'}'\n")
    _, said = run(checkout, display=":7")
    assert said == ""
