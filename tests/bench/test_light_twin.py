"""Light of the bench world by compute shaders beside the CPU kernels, in one run: from nothing, and single blocks.

Printed, not asserted: on llvmpipe a CPU runs the shaders, and they lose. What counts is a GPU, and there the figures to
compare are frame times.
"""

from time import perf_counter

import numpy as np
import pytest

from render.gpu import Gpu, Unit
from render.gpu.brick_volume import PagedVolume
from render.scene.gpu_copy.gpu_lighting import GpuLighting
from render.scene.grid import Grid
from tests.support.bench.world import BenchPipeline, Workers

pytestmark = [pytest.mark.bench, pytest.mark.gpu]

EYE = (8.0, 80.0, 8.0)


def test_the_twin_beside_the_kernels() -> None:
    pipeline = BenchPipeline()
    pipeline.decode_and_masks(Workers(1))
    world, light = pipeline.world, pipeline.light
    gpu = Gpu.standalone()
    if not gpu.capabilities.computes:
        pytest.skip(f"{gpu.capabilities.renderer} has no compute shaders")
    grid = Grid.of(world.dimension)
    blocks = PagedVolume(gpu, "ids", (Unit.BLOCK_ATLAS, Unit.BLOCK_TABLE), first_bricks=8192)
    bricks = PagedVolume(gpu, "light", (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE), first_bricks=8192)
    twin = GpuLighting(gpu, blocks, bricks)
    places = world.places_of_rows(pipeline.rows)
    own = ~pipeline.pools.shared[world.slot[places]]
    positions = world.positions_of(places)
    blocks.set_uniform(positions[~own], pipeline.pools.blocks[world.slot[places[~own]], 0])
    blocks.set_bricks(positions[own], pipeline.pools.blocks, world.slot[places[own]])
    blocks.flush()
    held = np.zeros(len(world.slot), np.bool_)
    print(f"\nlight of {len(pipeline.rows)} columns of {grid.sections} sub-chunks, {gpu.capabilities.renderer}")
    for _ in range(3):
        light.reset(world)
        start = perf_counter()
        light.step(world, pipeline.rows)
        cpu_s = perf_counter() - start
        bricks.clear()
        twin.restart(world)
        twin.written(places)
        start = perf_counter()
        while not twin.idle:
            twin.step(world, EYE, held)
        submitted_s = perf_counter() - start
        gpu.wait()
        gpu_s = perf_counter() - start
        print(
            f"  from nothing: CPU {cpu_s * 1e3:7.1f} ms, GPU {gpu_s * 1e3:7.1f} ms ({submitted_s * 1e3:.1f} to submit),"
            f" {gpu_s / cpu_s:.0f} times"
        )
    most = bricks.stats().bricks_used
    for _ in range(3):
        twin.step(world, EYE, held)
    print(
        f"  bricks: {most} at most, {bricks.stats().bricks_used} when flags had come; CPU slots {light.stats().slots}"
    )
    for place in places.tolist()[::97]:
        got = bricks.values_of(world.positions_of(np.array([place])))[0]
        assert np.array_equal(got, light.values[light.table[place]])
    _edits(pipeline, gpu, twin, grid, blocks)
    for part in (twin, blocks, bricks, gpu):
        part.release()


def _edits(pipeline: BenchPipeline, gpu: Gpu, twin: GpuLighting, grid: Grid, blocks: PagedVolume) -> None:
    """A lamp into single cells of air and out again, below and above the ground."""
    world, light, pools = pipeline.world, pipeline.light, pipeline.pools
    torch = int(np.flatnonzero((pipeline.table.emission > 0) & (pipeline.table.opacity[3] == 0))[0])
    held = np.zeros(len(world.slot), np.bool_)
    times: list[tuple[float, float]] = []
    rng = np.random.default_rng(1)
    for row in pipeline.rows[60:220:8]:
        own = np.arange(row * grid.sections, (row + 1) * grid.sections)
        own = own[~pools.shared[world.slot[own]]]
        place = np.array([rng.choice(own)], np.int32)
        cell = np.array([rng.choice(np.flatnonzero(pools.blocks[world.slot[place[0]]] != torch))], np.int64)
        for block in (torch, int(pools.blocks[world.slot[place[0]], cell[0]])):
            slot = pools.take()
            pools.blocks[slot] = pools.blocks[world.slot[place[0]]]
            pools.flags[slot] = pools.flags[world.slot[place[0]]]
            pools.blocks[slot, cell[0]] = block
            pipeline._masks(np.array([slot], np.int32))
            world.slot[place] = slot
            world.revision[place] += 1_000_000
            start = perf_counter()
            light.publish(light.run(light.prepare_edits(world, place, cell)))
            cpu_s = perf_counter() - start
            start = perf_counter()
            blocks.set_bricks(world.positions_of(place), pools.blocks, world.slot[place])
            twin.edited(place, cell.astype(np.uint16))
            blocks.flush()
            twin.step(world, EYE, held)
            gpu.wait()
            times.append((cpu_s, perf_counter() - start))
    cpu_ms, gpu_ms = (np.median(column) * 1e3 for column in np.array(times).T)
    print(f"  one edit, median of {len(times)}: CPU {cpu_ms:.2f} ms, GPU {gpu_ms:.2f} ms")
