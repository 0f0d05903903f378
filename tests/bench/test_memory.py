"""What a client without a window holds: the bench world at radius 16, the server in a process of its own.

Ceilings (issue 4): 350 MB resident with whole columns and their light, 250 MB by visibility; when the terrain is gone,
within 5 % of what was held after joining. ``VmRSS`` is judged, ``VmHWM`` printed beside it: the most so far, with the
light steps' working memory. Of all of it some 200 MB are the interpreter, NumPy, Numba and LLVM with our kernels.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.bench,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not say what is resident"),
]

RADIUS = 16
FULL_MB = 350.0
VISIBLE_MB = 250.0
LEFT_OVER = 1.05
MIB = 1 << 20
TIME_LIMIT_S = 400


def stages(mode: str, leaving: str) -> dict[str, dict]:
    """What the child says, by stage; printed as a table."""
    command = [sys.executable, "-m", "tests.support.bench.resident_stages", mode, str(RADIUS), leaving]
    root = Path(__file__).parents[2]
    child = subprocess.run(
        command, cwd=root, env=os.environ.copy(), capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False
    )
    assert child.returncode == 0, child.stderr
    said = [json.loads(line) for line in child.stdout.splitlines()]
    print(f"\nresident MiB, bench world, radius {RADIUS}, mode {mode}, terrain goes by {leaving}")
    print(f"  {'':24s}{'RSS':>8s}{'own':>8s}{'files':>8s}{'peak':>8s}")
    for one in said:
        print("  {stage:24s}{VmRSS:8.1f}{RssAnon:8.1f}{RssFile:8.1f}{VmHWM:8.1f}".format_map(one))
    found = {one["stage"]: one for one in said}
    print(f"  {'pool, MiB':24s}{'used':>8s}{'touched':>8s}{'peak':>8s}{'address':>9s}")
    for pool in found["lit"]["pools"]:
        sizes = "".join(f"{pool[name] / MIB:8.1f}" for name in ("used", "committed", "peak", "reserved"))
        print(f"  {pool['name']:24s}{sizes}")
    print(f"  {found['lit']['states']}")
    return found


@pytest.mark.parametrize(
    ("mode", "leaving", "ceiling_mb"), [("full", "dimension", FULL_MB), ("limited", "columns", VISIBLE_MB)]
)
def test_what_is_held_and_given_back(mode: str, leaving: str, ceiling_mb: float) -> None:
    lit_mb, left_over = measured(mode, leaving, ceiling_mb)
    if left_over > LEFT_OVER:
        # What was held "after joining" holds what had come by then: 197 MB with next to no columns, 199 to 206 with 80
        # to 220 of 1,089, and all runs end with 203. A leak misses twice.
        lit_mb, left_over = measured(mode, leaving, ceiling_mb)
    assert lit_mb <= ceiling_mb
    assert left_over <= LEFT_OVER


def measured(mode: str, leaving: str, ceiling_mb: float) -> tuple[float, float]:
    """Resident MB with light, and what is left when the terrain is gone as a share of what was held after joining."""
    found = stages(mode, leaving)
    joined, lit, unloaded = (found[stage]["VmRSS"] for stage in ("joined", "lit", "unloaded"))
    more = unloaded / joined * 100 - 100
    print(
        f"  lit {lit:.1f} of {ceiling_mb:.0f}, unloaded {more:+.1f} % of joined ({found['joined']['columns']} columns)"
    )
    return lit, unloaded / joined
