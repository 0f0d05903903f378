"""What the first start ever costs, which compiles all kernels, and what a warm one does before it joins anything.

Processor time of processes of their own, beside that of others which do a fixed work of the same kind just before and
just after: translating the standard library's source (Python objects by the million, as Numba's compiler makes), and
importing NumPy and LLVM. Targets: 16 s in one process; 0.35 s of imports and kernels.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from client.kernel_cache.cache import ALL_PACKAGES
from tests.support.bench.gates import gate, gated

pytestmark = pytest.mark.bench
ROOT = Path(__file__).parents[2]

COMPILED = f"-m client.kernel_cache.compile {' '.join(ALL_PACKAGES)}".split()
TRANSLATED = """
import glob, os
sources = [open(name, "rb").read() for name in sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py"))]
for source in sources:
    compile(source, "source", "exec")
"""
WARM = """
import gc
from render import COLLECT_AFTER
gc.set_threshold(*COLLECT_AFTER)
import render.cli
from client.kernel_cache import use_cache, use_compiled
use_cache()
assert use_compiled(("net", "client", "render"))
import client.connection.opening, render.scene, render.capture.api, os, sys
assert "numba" not in sys.modules
os._exit(0)  # to take an interpreter apart is no part of a start
"""
LIBRARIES = "import numpy, llvmlite.binding, os; os._exit(0)"
WARM_STARTS = 5
MOST_OF_TRANSLATING = 60.0
"""Compiling all kernels in one process, of translating the standard library once: 1.5 of what it took when we lowered
kernels ourselves (16.4 and 24.2 s of processor time beside each other), which was 25 to 33."""
MOST_OF_LIBRARIES = 3.3
"""All that is imported before a picture is begun, of the two libraries alone: 2.6 to 2.8 were measured."""


def processor_s(cache: Path, *words: str) -> float:
    """Seconds that a process and its children take of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    settings = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    if WARM in words:  # a person's Python keeps what it has translated
        settings |= {"PYTHONPYCACHEPREFIX": str(cache / "python"), "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([sys.executable, *words], env=os.environ | settings, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@gated
def test_a_first_start_and_a_warm_one(tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = tmp_path_factory.mktemp("kernels")
    translating = processor_s(cache, "-c", TRANSLATED)
    compiling = processor_s(cache, *COMPILED)
    translating = (translating + processor_s(cache, "-c", TRANSLATED)) / 2
    processor_s(cache, "-c", WARM)  # Python's own cache
    starts = [(processor_s(cache, "-c", WARM), processor_s(cache, "-c", LIBRARIES)) for _ in range(WARM_STARTS)]
    warm, libraries = (min(times) for times in zip(*starts, strict=True))
    print(f"\nall kernels, one process: {compiling:.1f} s; {compiling / translating:.2f} of translating")
    print(f"all imports of a warm start: {warm:.2f} s; {warm / libraries:.2f} of NumPy's and LLVM's {libraries:.2f}")
    gate("first start, of translating the standard library", compiling / translating, MOST_OF_TRANSLATING)
    gate("warm start, of importing two libraries", warm / libraries, MOST_OF_LIBRARIES)
