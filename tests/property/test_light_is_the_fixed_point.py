"""Light equals the brute-force fixed point whatever arrives, in whatever order and grouping.

Light follows the store: Light kept up from a real store's change log equals the fixed point, whatever is announced,
answered, edited.
"""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from client.light.light_map import LightMap
from net.palette import Palette
from net.space import ColumnPos, Dimension
from tests.support.reference.light import brute_force
from tests.support.worlds.blocks import FakeTable, FakeWorld, any_edit
from tests.support.worlds.store import ToldStore

# ---------------------------------------------------------------- light is the fixed point

SECTIONS = 3
SKY = Dimension(0, "small", 0, SECTIONS, True)
CAVE = Dimension(1, "small cave", 0, SECTIONS, False)
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
KINDS = ("air", "clear", "sparse", "half", "buried", "flat")


def random_blocks(rng: np.random.Generator) -> npt.NDArray[np.uint16]:
    kind = KINDS[rng.integers(len(KINDS))]
    ids = np.zeros(4096, np.uint16)
    if kind == "clear":
        ids = np.where(rng.random(4096) < 0.7, rng.integers(0, 15, 4096), 0)
    elif kind == "sparse":
        ids = np.where(rng.random(4096) < 0.04, rng.integers(1, 24, 4096), 0)
    elif kind == "half":
        ids = np.where(rng.random(4096) < 0.5, rng.integers(1, 24, 4096), 0)
    elif kind == "buried":
        ids = np.full(4096, 17)
        ids[rng.integers(0, 4096, 3)] = 23
    elif kind == "flat":
        ids.reshape(16, 16, 16)[:, :, : rng.integers(1, 16)] = rng.integers(1, 24)
    ids[ids == 15] = 16
    return ids.astype(np.uint16)


def check(world: FakeWorld, light: LightMap) -> None:
    for place, expected in brute_force(world).items():
        got = light.values[light.table[place]]
        wrong = np.flatnonzero(got != expected)
        assert not len(wrong), f"place {place} cell {wrong[0]}: {got[wrong[0]]:04x}, expected {expected[wrong[0]]:04x}"
    shown = light.table[light.table >= 2]
    assert len(set(shown.tolist())) == len(shown) == light.stats().slots, "a slot is shared or lost"


class Scene:
    """A growing world whose light is kept up with random batches."""

    def __init__(self, rng: np.random.Generator, dimension: Dimension, capacity: int = 4096) -> None:
        self.rng = rng
        self.world = FakeWorld(dimension, FakeTable.random(rng))
        self.light = LightMap(self.world, capacity)
        self.dirty: set[int] = set()

    def some_column(self) -> ColumnPos:
        return ColumnPos(int(self.rng.integers(0, 3)), int(self.rng.integers(0, 3)))

    def arrive(self) -> None:
        column = self.some_column()
        if column not in self.world.row_of:
            self.dirty.add(self.world.add_column(column))
        for section in self.rng.permutation(SECTIONS)[: self.rng.integers(1, SECTIONS + 1)]:
            place = self.world.place(column, int(section))
            blocks = None if self.rng.random() < 0.1 else random_blocks(self.rng)
            self.world.sky_top[place] = self.rng.integers(0, 1 << 16, 16) | (0xFFFF if self.rng.random() < 0.4 else 0)
            self.world.show(place, blocks)
        self.dirty.add(self.world.row_of[column])

    def leave(self) -> None:
        column = self.some_column()
        if column in self.world.row_of:
            self.dirty.add(self.world.remove_column(column))

    def relight(self, most: int) -> None:
        rows = self.rng.permutation(sorted(self.dirty))[:most]
        self.light.step(self.world, rows.astype(np.int32))
        self.dirty -= {int(row) for row in rows}

    def relight_late(self, most: int) -> None:
        """A step during which something comes or goes."""
        rows = self.rng.permutation(sorted(self.dirty))[:most]
        result = self.light.run(self.light.prepare(self.world, rows.astype(np.int32)))
        self.dirty -= {int(row) for row in rows}
        self.arrive()
        self.light.publish(result)

    def move(self, dimension: Dimension) -> None:
        """Into another dimension, with nothing in it; sometimes with a step under way."""
        late = (
            self.light.run(self.light.prepare(self.world, np.zeros(0, np.int32))) if self.rng.random() < 0.5 else None
        )
        self.world = FakeWorld(dimension, self.world.table)
        self.light.reset(self.world)
        self.dirty.clear()
        if late is not None:
            assert len(self.light.publish(late).places) == 0

    def edit(self) -> None:
        columns = [c for c, row in self.world.row_of.items() if row not in self.dirty]
        places, cells = [], []
        for _ in range(int(self.rng.integers(1, 40))):
            if not columns:
                return
            column = columns[self.rng.integers(len(columns))]
            place = self.world.place(column, int(self.rng.integers(SECTIONS)))
            if self.world.slot[place] == 1:
                continue
            cell, block = any_edit(self.rng)
            self.world.set_cell(place, cell, block)
            places.append(place)
            cells.append(cell)
        batch = self.light.prepare_edits(self.world, np.array(places, np.int32), np.array(cells, np.int64))
        self.light.publish(self.light.run(batch))


@FEW
@given(seed=st.integers(0, 1 << 32), dimension=st.sampled_from([SKY, CAVE]))
def test_whole_world_at_once_is_exact(seed: int, dimension: Dimension) -> None:
    scene = Scene(np.random.default_rng(seed), dimension)
    for _ in range(12):
        scene.arrive()
    scene.relight(99)
    check(scene.world, scene.light)


@FEW
@given(seed=st.integers(0, 1 << 32), dimension=st.sampled_from([SKY, CAVE]))
def test_any_order_and_any_batch_gives_the_same_light(seed: int, dimension: Dimension) -> None:
    rng = np.random.default_rng(seed)
    scene = Scene(rng, dimension)
    for _ in range(25):
        scene.arrive()
        if rng.random() < 0.15:
            scene.leave()
        if rng.random() < 0.6 and scene.dirty:
            scene.relight(int(rng.integers(1, 4)))
        if rng.random() < 0.2 and not scene.dirty:
            check(scene.world, scene.light)
    while scene.dirty:
        scene.relight(int(rng.integers(1, 4)))
    check(scene.world, scene.light)


@FEW
@given(seed=st.integers(0, 1 << 32), dimension=st.sampled_from([SKY, CAVE]))
def test_edits_mend_exactly_what_a_relight_would_give(seed: int, dimension: Dimension) -> None:
    rng = np.random.default_rng(seed)
    scene = Scene(rng, dimension)
    for _ in range(14):
        scene.arrive()
    scene.relight(99)
    for _ in range(6):
        scene.edit()
    check(scene.world, scene.light)


@FEW
@given(seed=st.integers(0, 1 << 32))
def test_edits_and_arrivals_mixed_are_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scene = Scene(rng, SKY)
    for _ in range(20):
        scene.arrive()
        if rng.random() < 0.5:
            scene.edit()
        if rng.random() < 0.5 and scene.dirty:
            scene.relight(int(rng.integers(1, 3)))
    while scene.dirty:
        scene.relight(2)
    check(scene.world, scene.light)


@pytest.mark.parametrize("seed", range(3))
def test_published_slots_stay_as_they_were_while_a_step_runs(seed: int) -> None:
    scene = Scene(np.random.default_rng(seed), SKY)
    for _ in range(14):
        scene.arrive()
    scene.relight(99)
    for _ in range(5):
        scene.arrive()
    shown = scene.light.table.copy()
    before = scene.light.values[shown].copy()
    batch = scene.light.prepare(scene.world, np.array(sorted(scene.dirty), np.int32))
    result = scene.light.run(batch)
    assert (scene.light.table == shown).all()
    assert (scene.light.values[shown] == before).all()
    log = scene.light.publish(result)
    untouched = np.setdiff1d(np.arange(len(shown)), log.places)
    assert (scene.light.table[untouched] == shown[untouched]).all()
    assert (scene.light.table[log.places] == log.new_slots).all()
    assert (shown[log.places] == log.old_slots).all()


TALL = Dimension(0, "tall", 0, 6, True)


@FEW
@given(seed=st.integers(0, 1 << 32), has_sky=st.booleans())
def test_light_that_is_final_stays_whatever_comes(seed: int, has_sky: bool) -> None:
    """Some sub-chunks and whole columns are missing; then they come, with anything in them."""
    rng = np.random.default_rng(seed)
    world = FakeWorld(replace(TALL, has_sky=has_sky), FakeTable.random(rng), rows=64)
    columns = [ColumnPos(x, z) for x in range(4) for z in range(4)]
    world.add_columns(columns[1:])
    for column in columns[1:]:
        for section in range(TALL.sections):
            world.sky_top[world.place(column, section)] = rng.integers(0, 1 << 16, 16)
            world.show(world.place(column, section), None if rng.random() < 0.04 else random_blocks(rng))
    light = LightMap(world, 4096)
    rows = np.array(sorted(world.row_of.values()), np.int32)
    light.step(world, rows)
    final = light.final(world, rows)
    places = (rows[:, None] * TALL.sections + np.arange(TALL.sections))[final]
    before = light.values[light.table[places]].copy()
    world.add_columns([columns[0], *(ColumnPos(x, 4) for x in range(5)), *(ColumnPos(4, z) for z in range(4))])
    for row in world.row_of.values():
        for section in range(TALL.sections):
            place = row * TALL.sections + section
            if world.slot[place] == 1:
                world.show(place, random_blocks(rng))
    light.step(world, np.array(sorted(world.row_of.values()), np.int32))
    check(world, light)
    assert (light.values[light.table[places]] == before).all()


@FEW
@given(seed=st.integers(0, 1 << 32))
def test_no_seam_is_left_by_columns_that_come_go_and_come_back_in_any_order(seed: int) -> None:
    """Other dimensions between; steps under way when things change; at rest the light is that of the whole."""
    rng = np.random.default_rng(seed)
    scene = Scene(rng, SKY)
    for _ in range(3):
        for _ in range(12):
            scene.arrive()
            if rng.random() < 0.3:
                scene.leave()
            if scene.dirty and rng.random() < 0.5:
                scene.relight_late(int(rng.integers(1, 4)))
        while scene.dirty:
            scene.relight(2)
        check(scene.world, scene.light)
        scene.move(CAVE if scene.world.dimension is SKY else SKY)


# ---------------------------------------------------------------- light follows the store


@pytest.fixture(scope="module")
def palette() -> Palette:
    return Palette.for_protocol(486)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_light_follows_the_store(palette: Palette, seed: int) -> None:
    told = ToldStore(palette, np.random.default_rng(seed))
    told.live(40)
    told.finish_light()
    told.check_light()
