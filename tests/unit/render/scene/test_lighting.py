"""Light steps of a scene: their working memory goes back when nothing is to be lit any more.

Seams: Sides through which light may still come: towards what is missing, and towards columns that are not lit.

Scene end: The end of a scene's jobs, waited for by whoever gives its store to another.
"""

from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from client.light.light_map import LightMap
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from net.palette import BlockState, Palette
from net.space import DIRECTIONS, OVERWORLD, ColumnPos
from render.gpu import RenderError
from render.jobs.workers import WorkerResources, perform
from render.scene.grid import Facing, Grid
from render.scene.lighting import JOBS_TO_REST, Lighting, Seams, find_seams
from render.scene.scene import FINISH_S, POLL_S, Scene
from tests.support.worlds import painted as paint
from tests.support.worlds.blocks import FakeWorld
from tests.support.worlds.painted import DIMENSION, PaintedStore

# ---------------------------------------------------------------- lighting

# ---------------------------------------------------------------- lighting

EYE = (0.0, 70.0, 0.0)


def one_column() -> tuple[FakeWorld, npt.NDArray[np.int64]]:
    """A world of air with one column, and its row."""
    table = BlockTable.build(Palette([BlockState("minecraft:air", ())]))
    world = FakeWorld(OVERWORLD, table, rows=4, pools=BlockPools(table, 64))
    rows = np.array(world.add_columns([ColumnPos(0, 0)]))
    return world, rows


def step(lighting: Lighting, world: FakeWorld, workshop: WorkerResources) -> None:
    """One light step, from the ready list to its end."""
    job = lighting.job(world, EYE, 8)
    assert job is not None
    lighting.finish(perform(job, workshop))


def test_a_step_without_time_begins_to_light_for_edits_alone() -> None:
    world, rows = one_column()
    lighting, workshop = Lighting(LightMap(world)), WorkerResources()
    lighting.resize(4)
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
    lighting, workshop = Lighting(LightMap(world)), WorkerResources()
    lighting.resize(4)
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
    lighting, workshop = Lighting(light), WorkerResources()
    lighting.resize(4)

    def held() -> int:
        return next(pool.committed for pool in light.stats().memory if pool.name == "light scratch")

    before = held()
    for _ in range(2):  # and again: it rests more than once
        lighting.mark(rows)
        step(lighting, world, workshop)
        working = held()
        assert working > before
        for _ in range(JOBS_TO_REST - 1):
            assert lighting.job(world, EYE, 8) is None
        assert held() == working
        assert lighting.job(world, EYE, 8) is None
        assert held() == before


# ---------------------------------------------------------------- seams

MIDDLE = ColumnPos(1, 1)
COLUMNS = [ColumnPos(x, z) for x in range(3) for z in range(3)]
SECTIONS = DIMENSION.sections
AIR = np.zeros(4096, np.uint16)
ROCK = np.full(4096, paint.STONE, np.uint16)


def store_of(blocks: np.ndarray | None = AIR) -> PaintedStore:
    """Nine columns of the same sub-chunk."""
    store = PaintedStore()
    for column in COLUMNS:
        store.add_column(column)
        for section in range(SECTIONS):
            store.show(store.place(column, section), blocks)
    return store


def seams_of(store: PaintedStore, columns: list[ColumnPos] = COLUMNS, unlit: tuple[ColumnPos, ...] = ()) -> Seams:
    grid, facing = Grid.of(DIMENSION), Facing()
    facing.resize(len(store.slot))
    rows = np.array(sorted(store.row_of.values()), np.int64)
    facing.update(store, store.places_of_rows(rows))
    dark = np.zeros(len(store.columns), np.bool_)
    dark[[store.row_of[column] for column in unlit]] = True
    chosen = np.array([store.row_of[column] for column in columns], np.int64)
    return find_seams(store, grid, facing.sides, dark, chosen)


def sides(store: PaintedStore, seams: Seams, waiting: bool = False) -> set[tuple[int, int, int, int]]:
    """x, section, z and side of each."""
    found = set()
    for place, bits in zip(seams.places.tolist(), (seams.waiting if waiting else seams.hanging).tolist(), strict=True):
        row, section = divmod(place, SECTIONS)
        x, z = store.columns[row].tolist()
        found |= {(x, section, z, side) for side in range(6) if bits >> side & 1}
    return found


def test_where_all_neighbours_are_there_nothing_hangs() -> None:
    store = store_of()
    inside = seams_of(store, [MIDDLE])
    assert (len(inside.places), inside.hangs, inside.waits) == (0, 0, 0), "neither over the roof nor below the floor"
    every = seams_of(store)
    assert every.hangs == 4 * 3 * SECTIONS, "the rim hangs on columns that nobody announced"
    assert (0, 2, 1, 0) in sides(store, every)
    assert every.waits == 0


def test_a_missing_sub_chunk_is_what_the_sides_around_it_hang_on() -> None:
    store = store_of()
    store.show(store.place(MIDDLE, 2), None)
    around = {(1 - dx, 2 - dy, 1 - dz, side) for side, (dx, dy, dz) in enumerate(DIRECTIONS)}
    inner = {seam for seam in sides(store, seams_of(store)) if seam in around or (seam[0], seam[2]) == MIDDLE}
    assert inner == around


@pytest.mark.parametrize("opened", [False, True])
def test_nothing_comes_through_a_wall(opened: bool) -> None:
    store = store_of()
    store.show(store.place(MIDDLE, 2), None)
    wall = ROCK.copy()
    if opened:
        wall[wall.reshape(16, 16, 16).size - 16 * 16 + 5] = paint.GLASS  # x = 15, towards the hole
    store.show(store.place(ColumnPos(0, 1), 2), wall)
    assert ((0, 2, 1, 1) in sides(store, seams_of(store))) == opened


def test_columns_that_are_not_lit_wait_where_light_can_pass_between_them() -> None:
    store = store_of()
    other = ColumnPos(2, 1)
    store.show(store.place(MIDDLE, 0), ROCK)
    store.show(store.place(other, 1), ROCK)
    seams = seams_of(store, unlit=(other,))
    between = {seam for seam in sides(store, seams, waiting=True) if (seam[0], seam[2]) in (MIDDLE, other)}
    assert {seam for seam in between if {seam[0], seam[3]} in ({1}, {2, 0})} == {
        (1, 2, 1, 1), (1, 3, 1, 1), (2, 2, 1, 0), (2, 3, 1, 0),
    }  # fmt: skip
    assert not any(side > 3 for *_, side in between), "a column is lit as a whole"
    assert seams_of(store).waits == 0


@pytest.mark.parametrize("seed", range(8))
def test_seams_are_those_that_a_plain_loop_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    store = store_of()
    for column in COLUMNS:
        for section in range(SECTIONS):
            blocks = [None, AIR, ROCK, np.where(rng.random(4096) < 0.9, paint.STONE, 0).astype(np.uint16)][
                rng.integers(4)
            ]
            store.show(store.place(column, section), blocks)
    unlit = tuple(column for column in COLUMNS if rng.random() < 0.4)

    def open_side(column: ColumnPos, section: int, side: int) -> bool:
        cube = store.pools.blocks[store.slot[store.place(column, section)]].reshape(16, 16, 16)
        layer = [cube[0], cube[15], cube[:, 0], cube[:, 15], cube[:, :, 0], cube[:, :, 15]][side]
        return bool((layer < store.table.first.placeholder).any())

    def missing(column: ColumnPos, section: int) -> bool:
        return column not in store.row_of or store.slot[store.place(column, section)] == 1

    hanging, waiting = set(), set()
    for x, z in COLUMNS:
        for section in range(SECTIONS):
            for side, (dx, dy, dz) in enumerate(DIRECTIONS):
                here, there, up = ColumnPos(x, z), ColumnPos(x + dx, z + dz), section + dy
                if missing(here, section) or not 0 <= up < SECTIONS or not open_side(here, section, side):
                    continue
                if missing(there, up):
                    hanging.add((x, section, z, side))
                elif side < 4 and (here in unlit or there in unlit) and open_side(there, up, side ^ 1):
                    waiting.add((x, section, z, side))
    seams = seams_of(store, unlit=unlit)
    assert sides(store, seams) == hanging
    assert sides(store, seams, waiting=True) == waiting
    assert (seams.hangs, seams.waits) == (len(hanging), len(waiting))


# ---------------------------------------------------------------- scene end


def test_jobs_that_never_end_are_not_waited_for_for_ever() -> None:
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        assert len(waits) < 10 * FINISH_S / POLL_S, "it waits for ever"
        return False

    attached = SimpleNamespace(collect=lambda _finished: None)
    runner = SimpleNamespace(busy=3, wait=wait, collect=list)
    with pytest.raises(RenderError, match="3 jobs of light and meshes did not end within 60 s"):
        Scene.finish(SimpleNamespace(_attached=attached, _runner=runner))  # type: ignore[arg-type] # a fake
