"""Whether pictures ever flake: the same suite again and again, each time in another way, bit for bit.

Each run has an order of its own, another number of processes, and another number of the rasterizer's threads; every
process is new. What differs from the first run is told by view and channel.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from render.capture.scenarios.results import SceneResult
from render.capture.scenarios.runner import Plan
from render.capture.scenarios.suite import Suite, differences, run_suite

THREADS_VARIABLE: Final = "LP_NUM_THREADS"
"""llvmpipe's own: how many threads rasterize besides the caller's."""
THREADS: Final = ("2", "0", "1")


@dataclass(frozen=True, slots=True)
class Way:
    """How one run was made.

    Attributes:
        seed: of the order.
        jobs: processes.
        threads: of the rasterizer.
    """

    seed: int
    jobs: int
    threads: str

    def __str__(self) -> str:
        return f"order {self.seed}, {self.jobs} process{'es' * (self.jobs > 1)}, {THREADS_VARIABLE}={self.threads}"


@dataclass(slots=True)
class Proof:
    """What was found.

    Attributes:
        runs: that were made.
        pictures: that were compared with those of the first run.
        apart: what differed, a sentence each.
    """

    runs: int = 0
    pictures: int = 0
    apart: list[str] = field(default_factory=list)


def ways(runs: int, jobs: int, seed: int) -> Iterator[Way]:
    """So many ways, over 1 up to ``jobs`` processes."""
    for run in range(runs):
        yield Way(seed + run, jobs - run % jobs, THREADS[run // jobs % len(THREADS)])


def prove(suite: Suite, runs: int, jobs: int, seed: int, told: Callable[[Way, Proof], None]) -> Proof:
    """Runs a suite so often.

    Args:
        suite: what is run.
        runs: at least 2.
        jobs: most processes.
        seed: of the first order.
        told: after each run: how it was made, and what was found so far.

    Raises:
        SuiteBroken: no process can take anything.
    """
    proof, first = Proof(), dict[str, SceneResult]()
    for way in ways(runs, jobs, seed):
        with _threads(way.threads):
            results = run_suite(suite, Plan(way.jobs, keep_all=True, judge=False), way.seed)
        for result in results:
            _compare(proof, first.setdefault(result.name, result), result, way)
        proof.runs += 1
        told(way, proof)
    return proof


def _compare(proof: Proof, first: SceneResult, result: SceneResult, way: Way) -> None:
    if result.actual is None or first.actual is None:
        proof.apart.append(f"{result.name}, {way}: {result.error or first.error}")
        return
    if result is not first:
        proof.pictures += 1
        if found := differences(first.actual, result.actual):
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
