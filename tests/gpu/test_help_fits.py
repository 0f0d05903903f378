"""Lists of keys are never cut off: no layout's, of no session, nor that of overlays, in no window of a usual size."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from render.settings.keys import PRESETS
from tests.support.headless_help import SCALES, SIZES

pytestmark = pytest.mark.gpu


def test_all_keys_fit_the_window_at_every_scale() -> None:
    command = [sys.executable, "-m", "tests.support.headless_help"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=290, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(SIZES) * len(SCALES) * (1 + len(PRESETS) * 2)
    assert [row for row in rows if min(row["right"], row["low"]) < 0] == []
