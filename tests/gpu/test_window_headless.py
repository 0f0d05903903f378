"""The window's keys, text and mouse without a display: what each event brings about.

Window follows the server: What the server says of the player's place: spawns and teleports take the camera along,
corrections leave it free.

Panels headless: Panels in the window without a display: keys open them, each shows something, and they leave the world
alone.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from render.camera_path import read_path
from render.settings import load
from render.settings.overlays import OVERLAYS
from render.view_line import parse_view_line
from render.viewer.display.panel_host import panels_by_digit
from render.viewer.display.panels import read_layout

# ---------------------------------------------------------------- window headless

pytestmark = pytest.mark.gpu


def test_dispatched_events_do_what_keys_do(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.window.headless", "window", str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290, cwd=root)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]

    def told(event: str, fact: str) -> list[object]:
        return [row[fact] for row in events if row["event"] == event]

    assert told("help", "on") == [True, False, True, True], "Enter and a click close it, too"
    assert told("preset", "name") == ["azerty"], "F8 asks first, and F1 between takes the offer back"
    assert load(tmp_path / "config.toml", {}).settings.preset == "azerty"
    assert told("hud", "on") == [True, False, True]
    assert told("hud", "all") == [True, False, False]
    switches = list(zip(told("overlay", "name"), told("overlay", "on"), strict=True))
    assert switches[:4] == [("states", True), ("states", False), ("states=all", True), ("states=all", False)]
    assert sorted(switches[4:]) == [(name, on) for name in sorted(OVERLAYS) for on in (False, True)]
    assert len(told("view", "eye")) >= 6

    said = [str(words) for words in told("travel", "said") if words]
    line = "--at 10.000,100.000,10.000 --look"
    assert said[0] == "At 10,100,10."
    assert said[1].startswith(f"Bookmark 'high': {line}")
    assert said[2:4] == ["At 10,105,10.", said[1]]
    assert said[4] == "Requested dimension nether from embedded:hills:1."
    said.remove("embedded:hills:1 replies: flat:1 has no dimension 'nether'; it has overworld.")
    assert [words.partition(":")[0] for words in said[5:]] == [
        "The camera path starts here; the same key ends it.",
        "camera path",
        f"playing {tmp_path / 'path-1.toml'}, {read_path(tmp_path / 'path-1.toml').duration_s:.1f} s",
        "Top-down view, north up.",
        "First-person view.",
        "Walking.",
    ]
    assert told("sky", "time") == [12000, 12000, None], "time of day and weather are changed in the window"
    assert told("sky", "weather") == [None, "rain", None]
    assert told("pins", "pinned") == [["pin 1"], ["pin 1"], [], []], "the last by Enter in the table of keys"
    inspected, compared = map(str, told("debug", "said"))
    assert "blocks away" in inspected or inspected.startswith("No block within")
    assert compared.startswith("GPU copy: ")
    (path,) = told("picture", "path")
    with Image.open(str(path)) as picture:
        assert str(parse_view_line(picture.text["View"])).startswith(line)


def test_a_world_that_arrives_is_complete_after_few_frames(tmp_path: Path) -> None:
    """A frame of a software renderer takes as long as many round trips: none waits for another frame."""
    command = [sys.executable, "-m", "tests.support.window.headless", "arriving", str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290, cwd=root)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [row["event"] for row in events] == ["frame", "world", "settled"]
    assert all(row["cells"] for row in events), "the first frame waits for terrain"


# ---------------------------------------------------------------- window follows the server

HELD = ["server holds you at 40.5,90.0,0.5"]
BESIDE, BELOW, ABOVE = [40.5, 90.0, 0.5], [5.5, 70.0, -8.5], [40.5, 190.0, 0.5]


def test_the_camera_follows_spawns_and_is_free_of_corrections(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.window.headless", "following", str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290, cwd=root)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "told.json").read_text())
    start = told.pop("start")
    assert start["held"] == []
    for name in ("corrected", "teleported", "another", "respawned"):
        assert told[name] == {"camera": start["camera"], "held": HELD, "dimension": 0}, name
    assert told["return to the player"] == {"camera": BESIDE, "held": [], "dimension": 0}
    assert told["taken to the nether"] == {"camera": BELOW, "held": [], "dimension": 1}
    assert told["let in there"] == told["taken to the nether"], "a spawn is followed once"
    assert told["in the nether, away"] == {"camera": [1.0, 100.0, 1.0], "held": [], "dimension": 1}
    assert told["taken back"] == {"camera": BESIDE, "held": [], "dimension": 0}
    assert told["teleported together"] == {"camera": ABOVE, "held": [], "dimension": 0}
    assert told["teleported alone"]["camera"] == ABOVE, "camera.follow is off"
    assert told["taken alone"] == {"camera": ABOVE, "held": [], "dimension": 1}


# ---------------------------------------------------------------- panels headless


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
    for panel in panels_by_digit().values():
        shown = np.abs(picture(panel.name) - closed).max(axis=2) > 40
        assert shown.mean() > 0.1, f"{panel.name} covers something"
    kept = read_layout(tmp_path / "panels.ini")
    assert kept.opened == ()
    assert "[Window][Pipeline]" in kept.arranged
    assert read_layout(tmp_path / "running.ini").opened is not None, "kept while the window runs, not at its end alone"
