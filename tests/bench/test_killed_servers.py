"""Two hundred servers killed while they save under load: two hundred worlds of one tick, nothing acknowledged lost."""

import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.servers.saving import kill_and_look

pytestmark = [pytest.mark.bench, pytest.mark.counts]

KILLS = 200
"""Issue 10."""


@pytest.mark.nightly
def test_two_hundred_kills(tmp_path: Path) -> None:
    start = time.perf_counter()
    found = kill_and_look(tmp_path, KILLS, seed=2, most_lines=400)
    assert found[-1] > KILLS
    moved = sum(after > before for before, after in pairwise(found))
    print(f"{KILLS} kills in {time.perf_counter() - start:.0f} s: tick {found[-1]}, {moved} lives got something saved")
