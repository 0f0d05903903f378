"""From payloads in memory to all meshes of the bench world, beside the prototype; the mesh kernel beside C++.

Products and references alternate in one process, and what gates is the ratio of their processor times, round by round:
elapsed times on a shared machine say little (two workers need both cores: the best round of each stage says what a
quiet moment gave). Targets (performance.md 8, on a quiet machine): payloads to all meshes at
radius 8 in 42 ms on one worker and 26 on two, at most 1.15 of the prototype; meshes in 3.6 us a payload sub-chunk and
at most C++'s time; worst cells in 60 us; 2.4 KB of cube quads a cell. Run with ``-s`` to see the figures.
"""

from collections.abc import Callable, Iterator
from time import process_time, thread_time

import numpy as np
import pytest

from render.mesh.mesher import MeshBatch, Scratch
from render.mesh.mesher import run as run_mesh
from render.mesh.vertex_format import CUBE_GROUPS, CUBE_WORDS
from tests.support.bench.gates import gate, gated
from tests.support.bench.native import NativeMesh, Prototype, native_mesh, prototype
from tests.support.bench.world import BenchPipeline, Stage, Workers

pytestmark = pytest.mark.bench
ROUNDS = 11
GOAL_MS = {1: 42.0, 2: 26.0}
MOST_OF_PROTOTYPE = 1.4
"""Processor time, of the prototype, which has no slopes and no models by their neighbours. The goal is 1.15: 1.04 to
1.26 were measured, depending on the machine."""
GOAL_MESH_US = 3.6
MOST_OF_CPP = 1.2
"""Of the C++ reference, which does less (``bench.native``). The goal is 1.0: 0.92 to 1.01 were measured."""
WORST_OF_CPP = 1.35
"""The same of worst cells, over and over: 0.82 to 1.14 were measured, most where a neighbour had the caches."""
WORST_US = 60.0
MOST_BYTES = 2400
CELLS = 64
SEATS = 36
OWN = [17, 18]


@pytest.fixture(scope="module")
def pipeline() -> BenchPipeline:
    made = BenchPipeline()
    workers = Workers(1)
    made.stages(workers)
    workers.close()
    return made


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prototype]:
    made = prototype(tmp_path_factory.mktemp("prototype"))
    if made is None:
        pytest.skip("the prototype is not beside the checkout")
    yield made
    made.close()


@pytest.fixture(scope="module")
def cpp(tmp_path_factory: pytest.TempPathFactory, pipeline: BenchPipeline) -> NativeMesh:
    made = native_mesh(tmp_path_factory.mktemp("native"), pipeline)
    if made is None:
        pytest.skip("the C++ reference or a compiler for it is missing")
    return made


def medians(rounds: list[list[Stage]]) -> list[Stage]:
    return [Stage(stages[0].name, float(np.median([s.ms for s in stages]))) for stages in zip(*rounds, strict=True)]


@pytest.mark.parametrize("count", [1, 2])
@gated
def test_payloads_to_all_meshes(pipeline: BenchPipeline, reference: Prototype, count: int) -> None:
    workers = Workers(count)
    ours, theirs, used = [], [], []
    for _ in range(ROUNDS + 2):
        begun = process_time()
        ours.append(pipeline.stages(workers))
        between = process_time()
        theirs.append(reference.run(count))
        used.append((between - begun, process_time() - between))
    workers.close()
    mine, its = np.array(used[2:]).T * 1e3
    ratio = float(np.median(mine / its))
    total = float(np.median([sum(stage.ms for stage in stages) for stages in ours[2:]]))
    quads = sum(int(result.counts.sum()) for result in pipeline.results if result is not None)
    print(f"\npayloads to all meshes, 17 x 17 columns, {count} worker(s), {len(pipeline.payloads)} payloads", end="")
    print(f", {quads} quads")
    for stage, beside in zip(medians(ours[2:]), np.median(theirs[2:], axis=0), strict=True):
        print(f"  {stage.name:24s}{stage.ms:8.2f} ms   prototype {beside:8.2f} ms")
    print(f"  {'elapsed':24s}{total:8.2f} ms   prototype {np.median(np.sum(theirs[2:], axis=1)):8.2f} ms", end="")
    print(f"   (goal on a quiet machine: {GOAL_MS[count]:.0f} ms)")
    best = np.min([[stage.ms for stage in stages] for stages in ours], axis=0)
    print(f"  {'the best of each stage':24s}{best.sum():8.2f} ms   ({', '.join(f'{ms:.2f}' for ms in best)})")
    print(f"  {'processor':24s}{np.median(mine):8.2f} ms   prototype {np.median(its):8.2f} ms   ratio {ratio:.2f}")
    assert quads > 100_000
    assert pipeline.light.stats().slots > 1000
    gate("processor time beside the prototype", ratio, MOST_OF_PROTOTYPE)


def alternate(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float, float]:
    """Median processor seconds of both, and the median of their ratios round by round."""
    times = []
    for _ in range(ROUNDS + 1):
        begun = thread_time()
        ours()
        between = thread_time()
        theirs()
        times.append((between - begun, thread_time() - between))
    mine, its = np.array(times[1:]).T
    return float(np.median(mine)), float(np.median(its)), float(np.median(mine / its))


def whole_world(pipeline: BenchPipeline) -> MeshBatch:
    """All cells as one batch: what calls cost is the pipeline's to measure."""
    parts = pipeline.meshes
    names = "cells", "slots", "layer1_slots", "revisions"
    cells, slots, layer1_slots, revisions = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return MeshBatch(cells, slots, layer1_slots, revisions, parts[0].pools, parts[0].tables)


@gated
def test_meshes_beside_cpp(pipeline: BenchPipeline, cpp: NativeMesh) -> None:
    scratch, world = Scratch(), whole_world(pipeline)
    mine, its, ratio = alternate(lambda: run_mesh(world, scratch), lambda: cpp.run(world.slots))
    each = 1e6 / len(pipeline.payloads)
    print(f"\ngreedy meshes: {mine * each:.2f} us a payload sub-chunk (goal {GOAL_MESH_US}), ", end="")
    print(f"C++ {its * each:.2f}, ratio {ratio:.2f}")
    counts = run_mesh(world, scratch).counts
    assert np.array_equal(np.sort(counts[:, :6].sum(axis=1)), np.sort(cpp.counts[:, 0])), "the same work"
    gate("processor time beside C++", ratio, MOST_OF_CPP)


def worst(pipeline: BenchPipeline, blocks: np.ndarray) -> MeshBatch:
    """Cells in a world of one sub-chunk, over and over."""
    slot = pipeline.pools.take()
    pipeline.pools.blocks[slot] = blocks.reshape(4096)
    pipeline._masks(np.array([slot], np.int32))
    positions = np.zeros((CELLS, 3), np.int32)
    positions[:, 0] = np.arange(CELLS)
    first = pipeline.meshes[0]
    tables = np.full((CELLS, SEATS), slot, np.int32)
    none = np.zeros(CELLS, np.int64)
    return MeshBatch(positions, tables, np.zeros_like(tables), none, first.pools, first.tables)


@pytest.mark.parametrize("name", ["checkerboard", "random half"])
@gated
def test_worst_cells(pipeline: BenchPipeline, cpp: NativeMesh, name: str) -> None:
    stone = pipeline.table.first.opaque + 2
    x, z, y = np.indices((16, 16, 16))
    chosen = (x + y + z) & 1 == 1 if name == "checkerboard" else np.random.default_rng(1).random((16, 16, 16)) < 0.5
    batch, scratch = worst(pipeline, np.where(chosen, stone, 0)), Scratch()
    mine, its, ratio = alternate(lambda: run_mesh(batch, scratch), lambda: cpp.run(batch.slots))
    quads = int(run_mesh(batch, scratch).counts.sum()) // CELLS
    print(f"\n{name}: {mine / CELLS * 1e6:.1f} us a cell (goal {WORST_US:.0f}), {quads} quads", end="")
    print(f", C++ {its / CELLS * 1e6:.1f}, ratio {ratio:.2f}")
    gate("processor time beside C++", ratio, WORST_OF_CPP)


def test_memory_of_meshes(pipeline: BenchPipeline) -> None:
    results = [run_mesh(batch, Scratch()) for batch in pipeline.meshes]
    counts = np.concatenate([result.counts for result in results])
    cubes = counts[:, :CUBE_GROUPS].sum(axis=1)
    some = counts.sum(axis=1) > 0
    mean = float(cubes[some].mean()) * CUBE_WORDS * 4
    models = int(counts[:, CUBE_GROUPS:].sum())
    print(f"\nmesh memory: {mean:.0f} bytes of cube quads a cell of {int(some.sum())}, {models} model quads besides")
    assert mean <= MOST_BYTES


def test_the_owner_threads_share(pipeline: BenchPipeline) -> None:
    rounds = [pipeline.through_store() for _ in range(3)]
    print("\nanswers through the store, fresh pools, one thread")
    for stage in medians(rounds):
        print(f"  {stage.name:24s}{stage.ms:8.2f} ms")
