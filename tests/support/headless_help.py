"""All keys as F1 draws them, and the list of overlays, in windows of several sizes and scales, without a display.

A process of its own, as ``headless_window``:

    python -m tests.support.headless_help

Prints a line of JSON for each: what (preset, whether of a recording), size, scale, and the room that is left to the
right and below, in pixels; less than none where something is cut off.
"""

import importlib
import itertools
import json
import sys

import pyglet

from render.settings import Keyboard
from render.settings.keys import PRESETS
from render.viewer.display.captions import all_keys
from render.viewer.display.hud import HudPainter
from render.viewer.display.overlay_switches import Chooser
from render.viewer.window.window import open_window
from render.viewer.window.window_size import Area

SIZES = ((640, 360), (800, 500), (1280, 720), (1600, 1000))
SCALES = (1.0, 1.25, 2.0)


def run() -> None:
    """Draws them all."""
    pyglet.options.headless = True
    importlib.import_module("pyglet.window")
    window = open_window(SIZES[-1], "help")
    for size, scale in itertools.product(SIZES, SCALES):
        painter = HudPainter(scale)
        lists = {"overlays": Chooser(frozenset()).lines("O")}
        for preset, recording in itertools.product(PRESETS, (False, True)):
            lists[f"{preset}, {recording}"] = all_keys(Keyboard(preset), preset, recording)
        for what, lines in lists.items():
            low = painter.draw(lines, Area(0, 0, *size))
            right = size[0] - int(painter._panel.x + painter._panel.width)
            sys.stdout.write(json.dumps({"what": [what, size, scale], "right": right, "low": low}) + "\n")
    window.close()


if __name__ == "__main__":
    run()
