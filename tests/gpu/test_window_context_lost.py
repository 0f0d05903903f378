"""A window whose GL context the driver ends goes on with another: the same picture, and a GPU that holds the same."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu


def test_a_window_is_drawn_anew_when_its_context_is_lost(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.headless_revival", str(tmp_path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300, cwd=root)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["another context"]
    before, after = told["pictures"]
    assert after == before
    assert min(told["colours"]) > 50, "there is something to see"
    assert told["wrong"] == 0
    assert told["said"] == ["Drawn anew: the graphics driver was reset (by this program's own commands)."]
    assert told["view"] == [0.5, -50.0, 0.5]
    assert told["code"] == 0
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    (lost,) = [row for row in events if row["event"] == "context lost"]
    assert lost["reason"].startswith("the graphics driver was reset")
