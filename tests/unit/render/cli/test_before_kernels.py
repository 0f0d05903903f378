"""No command loads a kernel before all are compiled: it would load Numba, and each kernel by itself."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from render.cli import app_of, console
from render.cli.console import reported


class Reached(BaseException):
    pass


def compile_kernels(quiet=False):
    raise Reached


console.compile_kernels = compile_kernels
recording = sys.argv[1]
for line in (
    f"shot {recording} --watch --moment 1 --out {recording}.png",
    f"why {recording} --at 0,0,0",
    f"health {recording}",
    f"find {recording} stone",
    f"dump {recording} --box 0,0,0,16,16,16 --out {recording}.npz",
    f"record {recording} --out {recording}.other",
    f"bench frame {recording}",
    f"bench stream {recording}",
    f"packets {recording}",
):
    try:
        code = reported(app_of(line.split()[0]), line.split())
    except Reached:
        code = None
    early = [name for name in ("numba", "net.kernels.jit") if name in sys.modules]
    print(line.replace(recording, "X"), code, early)
"""


def test_no_kernel_is_loaded_before_all_are_compiled(tmp_path: Path) -> None:
    recording = tmp_path / "x.cscope"
    recording.write_bytes(b"\x89CSCOPE\n")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(recording)], capture_output=True, text=True, check=True, timeout=300
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 9
    assert [line for line in lines if not line.endswith("None []")] == []
