"""What it costs that kernels look at every index (``CHUNKSCOPE_CHECKED=1``): the product's stages beside themselves.

Two processes take turns, and the ratio of their processor times gates, round by round: at most six times.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import pytest

from net.kernels.place import CHECKED_VARIABLE, IMAGE_VARIABLE

pytestmark = pytest.mark.bench
ROOT = Path(__file__).parents[2]
COLUMNS = 9
ROUNDS = 7
MOST = 6.0


@contextmanager
def timed(checked: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that has made everything ready once."""
    environment = os.environ | {CHECKED_VARIABLE: checked, IMAGE_VARIABLE: "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.support.bench.world", str(COLUMNS)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield child


def one_round(child: "subprocess.Popen[str]") -> dict[str, float]:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write("\n")
    child.stdin.flush()
    taken_s: dict[str, float] = json.loads(child.stdout.readline())
    return taken_s


def test_checked_kernels_are_at_most_six_times_as_slow() -> None:
    with ExitStack() as stack:
        plain, checked = (stack.enter_context(timed(said)) for said in ("0", "1"))
        rounds = [(one_round(plain), one_round(checked)) for _ in range(ROUNDS)]
    print(f"\n{'stage':<14}{'ms':>8}{'checked':>9}{'times':>7}")
    times = {}
    for stage in rounds[0][0]:
        times[stage] = median(slow[stage] / fast[stage] for fast, slow in rounds)
        fast_ms, slow_ms = (1000 * median(pair[which][stage] for pair in rounds) for which in (0, 1))
        print(f"{stage:<14}{fast_ms:>8.1f}{slow_ms:>9.1f}{times[stage]:>7.2f}")
    assert max(times.values()) <= MOST, times
