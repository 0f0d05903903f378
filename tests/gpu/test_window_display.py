"""Displays that fail a window, and windows that others destroy: one sentence, code 5."""

import subprocess
import sys
from pathlib import Path

import pytest

from render.viewer.window.x11 import DESTROYED, WORDS
from tests.support.window.process import viewer
from tests.support.window.screen import PATIENCE_S, screen

pytestmark = pytest.mark.gpu

NO_DISPLAY = 5
SMALL = ("--size", "640x400", "--radius", "3")
GONE = f"chunkscope: {WORDS}\n"


def opened(display: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from render.cli import main; main()", "view", "embedded:flat"]
    return subprocess.run(
        command, check=False, env=environment | {"DISPLAY": display}, capture_output=True, text=True, timeout=PATIENCE_S
    )


def test_a_display_without_opengl_is_named() -> None:
    with screen(gl=False) as bare:
        ended = opened(bare.name, bare.environment)
        assert (ended.returncode, ended.stdout) == (NO_DISPLAY, "")
        assert ended.stderr.startswith(f"chunkscope: The display {bare.name} offers no OpenGL")
        assert ended.stderr.count("\n") == 1


def test_a_display_that_does_not_answer_is_named() -> None:
    with screen() as running:
        environment = running.environment
    ended = opened(running.name, environment)
    assert ended.returncode == NO_DISPLAY
    assert ended.stderr.startswith(f"chunkscope: The display {running.name} does not answer.")


def test_a_display_that_goes_away_ends_the_window_in_one_sentence(tmp_path: Path) -> None:
    with screen() as display, viewer(display, tmp_path, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        display.unplug()
        assert running.end() == NO_DISPLAY
        assert running.said == GONE


def test_a_display_that_goes_away_while_joining_ends_it_too(tmp_path: Path) -> None:
    with screen() as display, viewer(display, tmp_path, "127.0.0.1:9", *SMALL) as running:
        running.wait("loading")
        display.unplug()
        assert running.end() == NO_DISPLAY
        assert running.said == GONE


@pytest.mark.parametrize("moment", ["loading", "settled"])
def test_a_window_that_another_program_destroys_ends_in_one_sentence(tmp_path: Path, moment: str) -> None:
    source = "127.0.0.1:9" if moment == "loading" else "embedded:flat"
    with screen() as display, viewer(display, tmp_path, source, *SMALL) as running:
        running.wait(moment)
        display.destroy(display.window("chunkscope"))
        assert running.end() == NO_DISPLAY
        assert running.said == f"chunkscope: {DESTROYED}\n"


def test_a_window_that_is_cut_off_ends_in_one_sentence(tmp_path: Path) -> None:
    with screen() as display, viewer(display, tmp_path, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        display.cut_off(display.window("chunkscope"))
        assert running.end() == NO_DISPLAY
        assert running.said == GONE
