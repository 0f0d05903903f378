"""Light steps of a scene: their working memory goes back when nothing is to be lit any more."""

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from net.palette import BlockState, Palette
from net.space.dimensions import OVERWORLD
from net.space.positions import ColumnPos
from render.jobs.workers import Workshop, perform
from render.scene.lighting import TURNS_TO_REST, Lighting
from tests.support.fake_world import FakeWorld

EYE = (0.0, 70.0, 0.0)


def one_column() -> tuple[FakeWorld, npt.NDArray[np.int64]]:
    """A world of air with one column, and its row."""
    table = BlockTable.build(Palette([BlockState("minecraft:air", ())]))
    world = FakeWorld(OVERWORLD, table, rows=4, pools=BlockPools(table, 64))
    rows = np.array(world.add_columns([ColumnPos(0, 0)]))
    return world, rows


def step(lighting: Lighting, world: FakeWorld, workshop: Workshop) -> None:
    """One light step, from the ready list to its end."""
    job = lighting.job(world, EYE, 8)
    assert job is not None
    lighting.finish(perform(job, workshop))


def test_a_step_without_time_begins_to_light_for_edits_alone() -> None:
    world, rows = one_column()
    lighting, workshop = Lighting(LightMap(world)), Workshop()
    lighting.fit(4)
    lighting.mark(rows)
    assert lighting.job(world, EYE, 0) is None
    assert not lighting.idle
    step(lighting, world, workshop)
    assert lighting.job(world, EYE, 8) is None
    lighting.mark_edits(np.array([rows[0] * OVERWORLD.sections], np.int32), np.array([7], np.uint16))
    job = lighting.job(world, EYE, 0)
    assert job is not None
    assert lighting.finish(perform(job, workshop)).edit


def test_a_step_that_was_abandoned_after_a_restart_costs_no_later_one_its_rows() -> None:
    world, rows = one_column()
    lighting, workshop = Lighting(LightMap(world)), Workshop()
    lighting.fit(4)
    lighting.mark(rows)
    assert lighting.job(world, EYE, 8) is not None
    lighting.restart()
    lighting.abandon()
    assert lighting.idle
    lighting.mark(rows)
    job = lighting.job(world, EYE, 8)
    assert job is not None
    assert set(rows.tolist()) <= set(lighting.finish(perform(job, workshop)).rows.tolist())


def test_working_memory_goes_back_after_a_second_without_work() -> None:
    world, rows = one_column()
    light = LightMap(world)
    lighting, workshop = Lighting(light), Workshop()
    lighting.fit(4)

    def held() -> int:
        return next(pool.committed for pool in light.stats().memory if pool.name == "light scratch")

    before = held()
    for _ in range(2):  # and again: it rests more than once
        lighting.mark(rows)
        step(lighting, world, workshop)
        working = held()
        assert working > before
        for _ in range(TURNS_TO_REST - 1):
            assert lighting.job(world, EYE, 8) is None
        assert held() == working
        assert lighting.job(world, EYE, 8) is None
        assert held() == before
