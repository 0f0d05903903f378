"""The connect screen in the window without a display: a click joins, the server is lost and returns, keys lead on."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from render.viewer.connect.recent import RecentSources

pytestmark = pytest.mark.gpu


def test_one_goes_from_the_screen_to_a_server_and_on_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.support.window.headless",
        "connect",
        str(tmp_path),
        "640x360",
        "1",
    ]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290, cwd=root)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]

    def told(event: str, fact: str) -> list[object]:
        return [row[fact] for row in events if row["event"] == event]

    refused, *_ = told("failed", "reason")
    assert "'no-such-host.invalid' has no address" in str(refused)
    assert "The server is closed" in str(told("lost", "reason")[0])
    assert told("given up", "source") == ["127.0.0.1:9"]
    assert len(told("phase", "what")) >= 4, "each world that took another's place is told"
    (kept, *_) = RecentSources(tmp_path / "recent.toml").all()
    assert kept.name == "flat:1"

    def picture(name: str) -> np.ndarray:
        with Image.open(tmp_path / f"{name}.png") as image:
            return np.asarray(image.convert("RGB")).astype(int)

    def changed(before: str, after: str) -> float:
        return float((np.abs(picture(after) - picture(before)).max(axis=2) > 24).mean())

    assert changed("1-screen", "2-wrong-address") > 0.01, "what was typed, and what is wrong with it"
    assert changed("2-wrong-address", "3-failed") > 0.02, "why it failed"
    assert changed("5-world", "6-lost") > 0.05, "the banner"
    assert changed("6-lost", "7-joining-again") > 0.02
    assert changed("8-back", "9-screen-over-world") > 0.4
    assert changed("9-screen-over-world", "10-selected") > 0.01
