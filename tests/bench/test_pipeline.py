"""Time a stage of the bench world: from payloads in memory to all meshes, on one worker and on two.

Goal (issue 1/9): payloads to all meshes at radius 8 in at most 45 ms on two workers. The figures are printed, not
asserted: they are this machine's, with whatever else it does. Run with ``-s`` to see them:

    python -m pytest tests/bench -s
"""

import numpy as np
import pytest

from tests.support.bench_pipeline import BenchPipeline, Stage, Workers

pytestmark = pytest.mark.bench
ROUNDS = 7
GOAL_MS = 45.0


@pytest.fixture(scope="module")
def pipeline() -> BenchPipeline:
    return BenchPipeline()


def medians(rounds: list[list[Stage]]) -> list[Stage]:
    return [Stage(stages[0].name, float(np.median([s.ms for s in stages]))) for stages in zip(*rounds, strict=True)]


@pytest.mark.parametrize("count", [1, 2])
def test_payloads_to_all_meshes(pipeline: BenchPipeline, count: int) -> None:
    workers = Workers(count)
    rounds = [pipeline.stages(workers) for _ in range(ROUNDS + 2)][2:]
    workers.close()
    total = float(np.median([sum(stage.ms for stage in stages) for stages in rounds]))
    quads = sum(int(result.counts.sum()) for result in pipeline.results if result is not None)
    print(f"\npayloads to all meshes, 17 x 17 columns, {count} worker(s), {len(pipeline.payloads)} payloads")
    for stage in medians(rounds):
        print(f"  {stage.name:24s}{stage.ms:8.2f} ms")
    print(f"  {'total':24s}{total:8.2f} ms   (goal on two workers: {GOAL_MS:.0f} ms)   {quads} quads")
    assert quads > 100_000
    assert pipeline.light.stats().slots > 1000


def test_the_owner_threads_share(pipeline: BenchPipeline) -> None:
    rounds = [pipeline.through_store() for _ in range(3)]
    print("\nanswers through the store, fresh pools, one thread")
    for stage in medians(rounds):
        print(f"  {stage.name:24s}{stage.ms:8.2f} ms")
