"""What the server says of the player's place: spawns and teleports take the camera along, corrections leave it free."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu

HELD = ["server holds you at 40.5 90.0 0.5"]
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
    assert told["back to the player"] == {"camera": BESIDE, "held": [], "dimension": 0}
    assert told["taken to the nether"] == {"camera": BELOW, "held": [], "dimension": 1}
    assert told["let in there"] == told["taken to the nether"], "a spawn is followed once"
    assert told["in the nether, away"] == {"camera": [1.0, 100.0, 1.0], "held": [], "dimension": 1}
    assert told["taken back"] == {"camera": BESIDE, "held": [], "dimension": 0}
    assert told["teleported together"] == {"camera": ABOVE, "held": [], "dimension": 0}
    assert told["teleported alone"]["camera"] == ABOVE, "camera.follow is off"
    assert told["taken alone"] == {"camera": ABOVE, "held": [], "dimension": 1}
