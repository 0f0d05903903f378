"""Whether pictures ever flake: the same suite again and again, each time in another way, bit for bit.

Each run has an order of its own, another number of processes, and another number of the rasterizer's threads; every
process is new. What differs from the first run is told by view and channel, apart from what could not be taken.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from render.scene_tests.runner import SuitePlan
from render.scene_tests.scene import SceneResult
from render.scene_tests.suite import Suite, differences, run_suite
from render.scene_tests.views import CapturedView

THREADS_VARIABLE: Final = "LP_NUM_THREADS"
"""llvmpipe's own: how many threads rasterize besides the caller's."""
THREADS: Final = ("2", "0", "1")


class RepeatedRun(msgspec.Struct, frozen=True):
    """How one run was made."""

    seed: int  # of the order
    jobs: int  # processes
    threads: str  # of the rasterizer

    def __str__(self) -> str:
        return f"order {self.seed}, {self.jobs} process{'es' * (self.jobs > 1)}, {THREADS_VARIABLE}={self.threads}"


class RepeatResult(msgspec.Struct):
    """What was found."""

    runs: int = 0  # that were made
    pictures: int = 0  # that were compared with the first one of their view
    apart: list[str] = []  # what differed, a sentence each
    untaken: list[str] = []  # views of which a run had no picture, and why, a sentence each

    @property
    def holds(self) -> bool:
        """Whether every picture was taken, and none differed."""
        return not self.apart and not self.untaken

    def __str__(self) -> str:
        missing = f", {len(self.untaken)} could not be taken" if self.untaken else ""
        return f"{len(self.apart)} of {self.pictures} pictures differ{missing}"


def ways(runs: int, jobs: int, seed: int) -> Iterator[RepeatedRun]:
    """So many ways, over 1 up to ``jobs`` processes."""
    for run in range(runs):
        yield RepeatedRun(seed + run, jobs - run % jobs, THREADS[run // jobs % len(THREADS)])


def prove(
    suite: Suite, runs: int, jobs: int, seed: int, told: Callable[[RepeatedRun, RepeatResult, Sequence[str]], None]
) -> RepeatResult:
    """Runs a suite so often; ``told`` hears what each run added. Raises what ``run_scenes`` raises."""
    proof, first = RepeatResult(), dict[str, CapturedView]()
    for way in ways(runs, jobs, seed):
        with _threads(way.threads):
            results = run_suite(suite, SuitePlan(way.jobs, keep_all=True, judge=False), way.seed)
        before = len(proof.apart), len(proof.untaken)
        for result in results:
            _compare(proof, first, result, way)
        proof.runs += 1
        told(way, proof, (*proof.apart[before[0] :], *proof.untaken[before[1] :]))
    return proof


def _compare(proof: RepeatResult, first: dict[str, CapturedView], result: SceneResult, way: RepeatedRun) -> None:
    """With the first picture of this view that there was."""
    if result.actual is None:
        proof.untaken.append(f"{result.name}, {way}: {result.error}")
    elif result.name not in first:
        first[result.name] = result.actual
    else:
        proof.pictures += 1
        if found := differences(first[result.name], result.actual):
            proof.apart.append(f"{result.name}, {way}: {', '.join(found)}")


@contextmanager
def _threads(count: str) -> Iterator[None]:
    """For processes that are started meanwhile."""
    before = os.environ.get(THREADS_VARIABLE)
    os.environ[THREADS_VARIABLE] = count
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS_VARIABLE]
        else:
            os.environ[THREADS_VARIABLE] = before
