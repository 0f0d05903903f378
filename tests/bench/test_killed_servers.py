"""Two hundred servers killed while they save under load: two hundred worlds of one tick, nothing acknowledged lost.

And as many while a client builds: every build that it was told of is there.
"""

import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.servers.building import build_and_kill
from tests.support.servers.saving import kill_and_look

pytestmark = [pytest.mark.bench, pytest.mark.counts]

KILLS = 200
"""Issues 10 and 21."""


@pytest.mark.nightly
def test_two_hundred_kills(tmp_path: Path) -> None:
    start = time.perf_counter()
    found = kill_and_look(tmp_path, KILLS, seed=2, most_lines=400)
    assert found[-1] > KILLS
    moved = sum(after > before for before, after in pairwise(found))
    print(f"{KILLS} kills in {time.perf_counter() - start:.0f} s: tick {found[-1]}, {moved} lives got something saved")


@pytest.mark.nightly
def test_two_hundred_kills_of_builders_servers(tmp_path: Path) -> None:
    told = build_and_kill(tmp_path, KILLS, seed=2)
    assert told > KILLS
    print(f"{KILLS} kills: of {told} builds that a client was told of none is lost")
