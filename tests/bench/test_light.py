"""Light of the bench world: from nothing, arriving in batches nearest first, and single blocks.

Targets (performance.md 8): 3.5 us a sub-chunk from nothing, 5 us arriving by eight columns, 300 us an edit with its
meshes. Printed, not asserted.
"""

from time import perf_counter

import numpy as np
import pytest

from tests.support.bench_pipeline import BenchPipeline, Workers

pytestmark = pytest.mark.bench


@pytest.fixture(scope="module")
def pipeline() -> BenchPipeline:
    made = BenchPipeline()
    made.decode_and_masks(Workers(1))
    made.relight(Workers(1))
    return made


def test_columns_arriving_nearest_first(pipeline: BenchPipeline) -> None:
    world, light = pipeline.world, pipeline.light
    distance = (world.columns[pipeline.rows].astype(np.int64) ** 2).sum(axis=1)
    rows = pipeline.rows[np.argsort(distance, kind="stable")]
    light.reset(world)
    light.step(world, rows)
    expected = light.values[light.table].copy()
    print("\nlight of 289 columns, one worker")
    for size in (1, 8, 32, 289):
        best = np.inf
        for _ in range(4):
            light.reset(world)
            start = perf_counter()
            for first in range(0, len(rows), size):
                light.step(world, rows[first : first + size])
            best = min(best, perf_counter() - start)
        per_slot = best / (len(rows) * world.dimension.sections) * 1e6
        print(f"  {size:4d} at a time{best * 1e3:9.2f} ms{per_slot:8.2f} us a sub-chunk")
        assert (light.values[light.table] == expected).all()


def test_single_edits(pipeline: BenchPipeline) -> None:
    world, light, pools = pipeline.world, pipeline.light, pipeline.pools
    light.reset(world)
    light.step(world, pipeline.rows)
    torch = int(np.flatnonzero((pipeline.table.emission > 0) & (pipeline.table.opacity[3] == 0))[0])
    print("\nsingle edits, with prepare and publish")
    for name, dark in (("torch into a dark cave", True), ("torch in daylight", False)):
        into, out = [], []
        for row in pipeline.rows[60:220:4]:
            place, cell = _air_cell(pipeline, int(row), dark)
            for block, times in ((torch, into), (0, out)):
                slot = pools.take()
                pools.blocks[slot] = pools.blocks[world.slot[place]]
                pools.flags[slot] = pools.flags[world.slot[place]]
                pools.blocks[slot, cell] = block
                pipeline._masks(np.array([slot], np.int32))
                world.slot[place] = slot
                world.revision[place] += 1_000_000
                start = perf_counter()
                batch = light.prepare_edits(world, np.array([place], np.int32), np.array([cell]))
                light.publish(light.run(batch))
                times.append(perf_counter() - start)
        print(f"  {name:24s} in {np.median(into) * 1e6:7.1f} us, out again {np.median(out) * 1e6:7.1f} us")


def _air_cell(pipeline: BenchPipeline, row: int, dark: bool) -> tuple[int, int]:
    """Some cell of air in a column, without light or with full daylight."""
    sections = pipeline.world.dimension.sections
    places = np.arange(row * sections, (row + 1) * sections)
    slots = pipeline.world.slot[places]
    values = pipeline.light.values[pipeline.light.table[places]]
    wanted = (pipeline.pools.blocks[slots] == 0) & (values == (0 if dark else 0xF000)) & (slots >= 2)[:, None]
    where, cell = np.nonzero(wanted)
    middle = len(where) // 2
    return int(places[where[middle]]), int(cell[middle])
