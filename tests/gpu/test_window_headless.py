"""The window's keys, text and mouse without a display: what each event brings about."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from render.camera_path import read_path
from render.settings import load
from render.settings.overlays import OVERLAYS
from render.view_line import parse_view_line

pytestmark = pytest.mark.gpu


def test_dispatched_events_do_what_keys_do(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.window.headless", "window", str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290, cwd=root)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]

    def told(event: str, fact: str) -> list[object]:
        return [row[fact] for row in events if row["event"] == event]

    assert told("help", "on") == [True, False]
    assert told("preset", "name") == ["azerty"]
    assert load(tmp_path / "config.toml", {}).settings.preset == "azerty"
    assert told("hud", "on") == [False]
    switches = list(zip(told("overlay", "name"), told("overlay", "on"), strict=True))
    assert [on for _, on in switches[:2]] == [True, False]
    assert sorted(switches[2:]) == [(name, on) for name in sorted(OVERLAYS) for on in (False, True)]
    assert len(told("view", "eye")) >= 6

    said = [str(words) for words in told("travel", "said") if words]
    line = "--at 10.000,100.000,10.000 --look"
    assert said[0] == "At 10 100 10."
    assert said[1].startswith(f"Bookmark 'high': {line}")
    assert said[2:4] == ["At 10 105 10.", said[1]]
    assert said[4] == "Asked embedded:hills:1 for dimension nether."
    said.remove("embedded:hills:1 says: flat:1 has no dimension 'nether'; there is overworld.")
    assert [words.partition(":")[0] for words in said[5:]] == [
        "A camera path begins here; the same key ends it.",
        "camera path",
        f"playing {tmp_path / 'path-1.toml'}, {read_path(tmp_path / 'path-1.toml').duration_s:.1f} s",
        "Seen from above.",
        "Seen from the eye.",
        "Walking.",
    ]
    assert told("pins", "pinned") == [["pin 1"], ["pin 1"], []]
    inspected, compared = map(str, told("debug", "said"))
    assert "blocks away" in inspected or inspected.startswith("Nothing is in the way")
    assert compared.startswith("GPU against CPU: ")
    (path,) = told("picture", "path")
    with Image.open(str(path)) as picture:
        assert str(parse_view_line(picture.text["View"])).startswith(line)
