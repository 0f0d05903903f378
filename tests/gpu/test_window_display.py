"""Displays that fail a window, and windows that others destroy: one sentence, code 5.

Window hidpi: Displays that want larger text: the window, what is written in it, and where the mouse is, at 1.25 and at
2.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from render.viewer.window.x11 import DESTROYED, WORDS
from tests.support.window.process import viewer
from tests.support.window.screen import PATIENCE_S, Screen, screen

# ---------------------------------------------------------------- window display

pytestmark = pytest.mark.gpu

NO_DISPLAY = 5
INTERRUPTED = 130
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
        assert ended.stderr.startswith(f"chunkscope: The display {bare.name} does not offer OpenGL")
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


def test_ctrl_c_that_ends_the_display_as_well_ends_the_window_in_one_sentence(tmp_path: Path) -> None:
    """As where one command started both: the window finds out while it is closed."""
    with screen() as display, viewer(display, tmp_path, "embedded:flat", *SMALL) as running:
        running.wait("settled")
        os.kill(running.pid, signal.SIGSTOP)  # until both have happened
        os.kill(running.pid, signal.SIGINT)
        display.unplug()
        os.kill(running.pid, signal.SIGCONT)
        assert running.end() in (NO_DISPLAY, INTERRUPTED)
        assert running.said in (GONE, "chunkscope: Interrupted.\n")


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
        assert (running.end(), running.said) == (NO_DISPLAY, GONE)


# ---------------------------------------------------------------- window hidpi

WINDOW_HIDPI_SMALL = ("--size", "640x400", "--radius", "2", "--at", "0,-50,0", "--look", "0,89", "--time", "18000")
"""Looking at the ground by night: what is bright is text."""


def text_px(picture: np.ndarray) -> int:
    """How high the text in a window's upper left corner is, from its first line to its last."""
    rows = np.flatnonzero((picture[:, : picture.shape[1] // 3].min(axis=2) > 140).any(axis=1))
    return int(np.ptp(rows))


def written(display: Screen, folder: Path, scale: float) -> int:
    """How high the numbers are in a window on a display of so many times 96 dots; all else is as it should be."""
    size = (round(640 * scale), round(400 * scale))
    with viewer(display, folder, "embedded:flat", *WINDOW_HIDPI_SMALL) as running:
        running.wait("settled")
        number = display.window("chunkscope")
        geometry = dict(line.split("=") for line in display.do("getwindowgeometry", "--shell", number).splitlines())
        assert (int(geometry["WIDTH"]), int(geometry["HEIGHT"])) == size
        height = text_px(display.picture()[: size[1] // 3, : size[0]])  # the card of keys lies lower, while it stays
        after = running.count
        display.do("key", "--window", number, "F2")
        with Image.open(running.wait("picture", after)["path"]) as picture:
            assert picture.size == size
        display.do("key", "--window", number, "F7")
        running.wait("panels", on=True)
        display.do("mousemove", "--window", number, str(round(30 * scale)), str(round(9 * scale)))
        display.do("click", "1")  # the menu's first entry, where it is at this scale
        after = running.count
        display.do("key", "--window", number, "F7")
        running.wait("panels", after, on=False)
        display.ask_to_close(number)
        assert (running.end(), running.said) == (0, "")
    return height


def test_everything_grows_with_what_the_display_asks_for(tmp_path: Path) -> None:
    heights = []
    for number, scale in enumerate((1.0, 1.25, 2.0)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with screen() as display:
            display.ask_for_dots(96 * scale)
            heights.append(written(display, folder, scale))
    assert heights[1] == pytest.approx(1.25 * heights[0], rel=0.08)
    assert heights[2] == pytest.approx(2.0 * heights[0], rel=0.08)
