"""Panels in the window without a display: keys open them, each shows something, and they leave the world alone."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from render.panels.registry import PANELS
from render.viewer.display.panels import read_layout

pytestmark = pytest.mark.gpu


def test_each_panel_shows_over_the_world_and_keys_change_hands(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.window.headless", "panels", str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290, cwd=root)
    assert done.returncode == 0, done.stderr
    assert "leaked" not in done.stderr + done.stdout
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]

    told = [(row["on"], row["keys"]) for row in events if row["event"] == "panels"]
    assert told == [(False, False), (True, True), (True, False), (True, True), (False, False)]
    views = [row for row in events if row["event"] == "view"]
    assert len({tuple(row["eye"]) for row in views}) == 2, "W flew once, when its key was the world's"

    def picture(name: str) -> np.ndarray:
        with Image.open(tmp_path / f"{name}.png") as image:
            return np.asarray(image.convert("RGB")).astype(int)

    closed = picture("closed")
    for panel in PANELS:
        shown = np.abs(picture(panel.name) - closed).max(axis=2) > 40
        assert shown.mean() > 0.1, f"{panel.name} covers something"
    kept = read_layout(tmp_path / "panels.ini")
    assert kept.opened == ()
    assert "[Window][Pipeline]" in kept.arranged
    assert read_layout(tmp_path / "running.ini").opened is not None, "kept while the window runs, not at its end alone"
