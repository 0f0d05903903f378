"""Light made by compute shaders is the CPU kernels' light, bit for bit, whatever arrives, changes or goes."""

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.streaming.anchors import Anchor, Anchors
from net.space import BlockPos, ColumnPos, Dimension
from render.camera import Camera
from render.capture import Studio
from render.gpu import Gpu, Target, Unit
from render.gpu.brick_volume import PagedVolume
from render.gpu.light_compute import PASSES, LightCompute
from render.jobs.workers import SyncRunner
from render.scene import FrameSettings, Scene, SceneConfig
from render.scene.gpu_copy.gpu_lighting import GpuLighting
from render.scene.grid import Grid
from tests.golden import shots
from tests.support.reference.light import brute_force
from tests.support.worlds import painted as paint
from tests.support.worlds.blocks import FakeTable, FakeWorld, any_edit
from tests.support.worlds.painted import PaintedLooks, PaintedStore
from tests.support.worlds.scene import SceneWorld


def passes_of(light: LightCompute) -> npt.NDArray[np.uint32]:
    """uint32[PASSES + 1] bricks in each pass of the last step; the last one never ran."""
    light._gpu.wait()
    turns = np.frombuffer(light._buffers[5].read((PASSES + 1) * 12), np.uint32)
    return turns.reshape(-1, 3)[:, 0].copy()


pytestmark = pytest.mark.gpu

SECTIONS = 4
SKY = Dimension(0, "small", -32, SECTIONS, True)
CAVE = Dimension(1, "small cave", -32, SECTIONS, False)


class Stage:
    """A world, its light on both sides, and the block ids on the GPU."""

    def __init__(self, gpu: Gpu, dimension: Dimension, seed: int, most_columns: int = 99) -> None:
        self.rng = np.random.default_rng(seed)
        self.world = FakeWorld(dimension, FakeTable.random(self.rng), rows=64, slots=8192)
        self.grid = Grid.of(dimension)
        small = {"table_size": (8, 8, 8), "first_bricks": 256}
        self.blocks = PagedVolume(gpu, "ids", (Unit.BLOCK_ATLAS, Unit.BLOCK_TABLE), **small)
        self.light = PagedVolume(gpu, "light", (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE), **small)
        self.twin = GpuLighting(gpu, self.blocks, self.light, most_columns)
        self.twin.restart(self.world)
        self.cpu = LightMap(self.world, 4096)
        self.dirty: set[int] = set()
        self.gpu = gpu

    def upload(self, places: list[int]) -> None:
        """Block ids of sub-chunks go up as they are."""
        at = np.array(sorted(set(places)), np.int32)
        slots = self.world.slot[at]
        positions = self.world.positions_of(at)
        one = slots < 2
        self.blocks.set_uniform(positions[one], self.world.pools.blocks[slots[one], 0])
        self.blocks.set_bricks(positions[~one], self.world.pools.blocks, slots[~one])
        self.blocks.flush()

    def random_blocks(self) -> np.ndarray | None:
        kind = self.rng.integers(0, 8)
        ids = np.zeros(4096, np.uint16)
        if kind == 0:
            return None
        if kind == 1:
            ids = self.rng.integers(0, 24, 4096)
        elif kind in (2, 3):
            ids = np.where(self.rng.random(4096) < 0.03, self.rng.integers(1, 24, 4096), 0)
        elif kind == 4:
            ids[:] = 17
            ids[self.rng.integers(0, 4096, 40)] = self.rng.integers(0, 24)
        elif kind == 5:
            ids.reshape(16, 16, 16)[:, :, : self.rng.integers(1, 16)] = self.rng.integers(1, 24)
        ids = ids.astype(np.uint16)
        ids[ids == 15] = 16
        return ids

    def arrive(self) -> None:
        """Some sub-chunks of some column, which may be new."""
        column = ColumnPos(int(self.rng.integers(-2, 2)), int(self.rng.integers(-1, 3)))
        fresh = column not in self.world.row_of
        if fresh:
            row = self.world.add_column(column)
            for section in range(SECTIONS):
                self.world.show(self.world.place(column, section), None)
        row = self.world.row_of[column]
        places = [self.world.place(column, int(s)) for s in self.rng.permutation(SECTIONS)[: self.rng.integers(1, 5)]]
        for place in places:
            self.world.sky_top[place] = self.rng.integers(0, 1 << 16, 16) | (0xFFFF if self.rng.random() < 0.4 else 0)
            self.world.show(place, self.random_blocks())
        self.dirty.add(row)
        places = [row * SECTIONS + s for s in range(SECTIONS)] if fresh else places
        self.upload(places)
        self.twin.written(np.array(places, np.int32))

    def leave(self) -> None:
        """A column goes."""
        columns = list(self.world.row_of)
        if not columns:
            return
        column = columns[self.rng.integers(len(columns))]
        heights = self.grid.floor + np.arange(SECTIONS)
        positions = np.array([(column.x, y, column.z) for y in heights], np.int32)
        row = self.world.remove_column(column)
        self.blocks.remove(positions)
        self.light.remove(positions)
        self.blocks.flush()
        self.twin.gone(self.world, np.array([row]), np.array([column], np.int32))
        self.dirty.add(row)

    def edit(self, count: int) -> None:
        """Single blocks, many of them at borders."""
        changes = []
        rows = sorted(self.world.row_of.values())
        for _ in range(count):
            place = rows[self.rng.integers(len(rows))] * SECTIONS + int(self.rng.integers(SECTIONS))
            if self.world.slot[place] == 1:
                continue
            cell, block = any_edit(self.rng)
            changes.append((place, cell, block))
        if changes:
            self.put(changes)

    def put(self, changes: list[tuple[int, int, int]]) -> None:
        """Single blocks by place and cell, on both sides."""
        for change in changes:
            self.world.set_cell(*change)
        places, cells = [change[0] for change in changes], [change[1] for change in changes]
        self.upload(places)
        self.twin.edited(np.array(places, np.int32), np.array(cells, np.uint16))
        batch = self.cpu.prepare_edits(self.world, np.array(places, np.int32), np.array(cells, np.int64))
        self.cpu.publish(self.cpu.run(batch))

    def step(self) -> None:
        held = np.zeros(len(self.world.slot), np.bool_)
        if len(self.twin.step(self.world, (0.0, 0.0, 0.0), held)):
            assert passes_of(self.twin._twin)[-1] == 0, "one pass more would have found something to do"

    def settle(self) -> None:
        """Both sides."""
        self.cpu.step(self.world, np.array(sorted(self.dirty), np.int32))
        self.dirty.clear()
        while not self.twin.idle:
            self.step()

    def held(self) -> dict[int, np.ndarray]:
        """Light of each place as the GPU holds it."""
        self.light.flush()
        assert np.array_equal(self.light.entries(), self.light._table.entries)
        found = {}
        for row in self.world.row_of.values():
            places = np.arange(row * SECTIONS, (row + 1) * SECTIONS)
            positions = self.world.positions_of(places)
            found.update(zip(places.tolist(), self.light.values_of(positions), strict=True))
        return found

    def check(self, also_plain: bool = False) -> None:
        """GPU = CPU (= brute force)."""
        held = self.held()
        for place, got in held.items():
            expected = self.cpu.values[self.cpu.table[place]]
            wrong = np.flatnonzero(got != expected)
            assert not len(wrong), (
                f"place {place} ({len(wrong)} cells), cell {wrong[0]:03x}: "
                f"{got[wrong[0]]:04x}, expected {expected[wrong[0]]:04x}"
            )
        if also_plain:
            assert all(np.array_equal(held[place], light) for place, light in brute_force(self.world).items())

    def release(self) -> None:
        for part in (self.twin, self.blocks, self.light):
            part.release()


@pytest.fixture
def gpu(gpu: Gpu) -> Gpu:
    if not gpu.capabilities.computes:
        pytest.skip(f"{gpu.capabilities.renderer} has no compute shaders")
    return gpu


@pytest.fixture(params=[SKY, CAVE], ids=lambda dimension: dimension.name)
def stage(gpu: Gpu, request: pytest.FixtureRequest) -> Iterator[Stage]:
    stage = Stage(gpu, request.param, 1)
    yield stage
    stage.release()


def column_of(stage: Stage, column: ColumnPos, sections: dict[int, np.ndarray]) -> None:
    """A column of air but for some sections."""
    row = stage.world.add_column(column)
    places = list(range(row * SECTIONS, (row + 1) * SECTIONS))
    for section, place in enumerate(places):
        stage.world.show(place, sections.get(section, np.zeros(4096, np.uint16)))
    stage.dirty.add(row)
    stage.upload(places)
    stage.twin.written(np.array(places, np.int32))


def test_a_lamp_of_level_15_in_open_air_lights_4089_cells(gpu: Gpu) -> None:
    stage = Stage(gpu, CAVE, 5)
    stage.world.table = stage.world.pools.table = FakeTable.plain()  # id 23 is a lamp of 15, 14, 10
    lamp = np.zeros(4096, np.uint16)
    lamp[8 << 8 | 8 << 4 | 15] = 23
    for x in (-1, 0, 1):
        for z in (-1, 0, 1):
            column_of(stage, ColumnPos(x, z), {1: lamp} if x == z == 0 else {})
    stage.settle()
    assert sum(int((light & 15 > 0).sum()) for light in stage.held().values()) == 4089
    stage.check()
    stage.release()


def test_a_roof_that_closes_takes_the_daylight_away_to_the_floor_and_gives_it_back(gpu: Gpu) -> None:
    stage = Stage(gpu, SKY, 6)
    stage.world.table = stage.world.pools.table = FakeTable.plain()
    stone = np.full(4096, 17, np.uint16)
    shaft = stone.copy()
    shaft[4 << 8 | 9 << 4 : (4 << 8 | 9 << 4) + 16] = 0
    sections = {0: stone.copy(), 1: shaft, 2: shaft.copy(), 3: shaft.copy()}
    sections[0][4 << 8 | 9 << 4 | 15] = 0
    for x in (-1, 0, 1):
        for z in (-1, 0, 1):
            column_of(stage, ColumnPos(x, z), sections)
    stage.settle()
    bottom, roof = stage.world.place(ColumnPos(0, 0), 0), stage.world.place(ColumnPos(0, 0), 3)
    well, lid = 4 << 8 | 9 << 4 | 15, 4 << 8 | 9 << 4 | 12
    for block, expected in ((17, 0), (0, 0xF000)):
        stage.put([(roof, lid, block)])
        stage.settle()
        assert stage.held()[bottom][well] == expected
        stage.check(also_plain=True)
    stage.release()


def test_light_that_winds_around_the_edge_of_four_columns_takes_many_passes(gpu: Gpu) -> None:
    """Around three of four corners and up, then back: every other step leads into another column.

    A brick runs once a pass and reads its neighbours once. So a pass carries light over two of the seven borders at
    most, over one at least; which it is hangs on the order in which the driver starts the bricks.
    """
    stage = Stage(gpu, CAVE, 7)
    stage.world.table = stage.world.pools.table = FakeTable.plain()
    way = ((15, 15), (16, 15), (16, 16))
    carved = {ColumnPos(x, z): np.full(4096, 17, np.uint16) for x in (0, 1) for z in (0, 1)}
    for turn in range(5):
        for x, z in way:
            carved[ColumnPos(x >> 4, z >> 4)][(x & 15) << 8 | (z & 15) << 4 | turn * 2] = 0
        x, z = way[0 if turn & 1 else 2]
        carved[ColumnPos(x >> 4, z >> 4)][(x & 15) << 8 | (z & 15) << 4 | turn * 2 + 1] = 0
    carved[ColumnPos(0, 0)][15 << 8 | 15 << 4] = 23
    for column, blocks in carved.items():
        column_of(stage, column, {1: blocks})
    stage.settle()
    stage.check(also_plain=True)
    assert (passes_of(stage.twin._twin) > 0).sum() >= 4, "14 steps over 7 borders"
    stage.release()


def test_a_world_at_once_is_the_fixed_point(stage: Stage) -> None:
    for _ in range(30):
        stage.arrive()
    stage.settle()
    stage.check(also_plain=True)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_comes_and_goes_in_any_order_gives_the_same_light(gpu: Gpu, seed: int) -> None:
    stage = Stage(gpu, SKY, 10 + seed, 1 + seed % 4)
    for turn in range(60):
        stage.arrive()
        if stage.rng.random() < 0.15:
            stage.leave()
        if stage.rng.random() < 0.5:
            stage.step()
        if turn % 15 == 14:
            stage.settle()
            stage.check(also_plain=turn == 59)
    stage.release()


def test_thousands_of_edits_over_every_border_give_the_light_of_the_mended_and_of_the_new_world(stage: Stage) -> None:
    for _ in range(40):
        stage.arrive()
    stage.settle()
    edits = 0
    for turn in range(120):
        count = int(stage.rng.choice([1, 3, 60]))
        stage.edit(count)
        edits += count
        if stage.rng.random() < 0.7:
            stage.step()
        if turn % 20 == 19:
            stage.settle()
            stage.check()
    assert edits > 2000
    anew = LightMap(stage.world, 4096)
    anew.step(stage.world, np.array(sorted(stage.world.row_of.values()), np.int32))
    rows = np.array(sorted(stage.world.row_of.values()))
    places = (rows[:, None] * SECTIONS + np.arange(SECTIONS)).reshape(-1)
    assert np.array_equal(anew.values[anew.table[places]], stage.cpu.values[stage.cpu.table[places]])
    stage.check(also_plain=True)


CONFIG = SceneConfig(upload_bytes=None, radius_columns=6, gpu_light=True, light_columns=3, first_bricks=256)
EYE = (30.5, 44.0, 6.5)
HILLS = paint.hills(4)


class Picture:
    """A scene on a painted store."""

    def __init__(self, gpu: Gpu, config: SceneConfig, anchors: Anchors | None = None) -> None:
        self.store = PaintedStore(rows=256)
        self.light = LightMap(self.store, 2048)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, self.light, anchors)
        self.target = Target(gpu, (96, 64))

    def pixels(self, yaw_deg: float = -10.0) -> np.ndarray:
        assert self.scene.settle(EYE)
        self.scene.draw(
            Camera(EYE, yaw_deg, 25.0, 70.0, self.target.aspect), self.target, FrameSettings(time_ticks=14000)
        )
        return self.target.pixels()

    def release(self) -> None:
        self.scene.release()
        self.target.release()


@pytest.fixture
def pair(gpu: Gpu) -> Iterator[tuple[Picture, Picture]]:
    pair = Picture(gpu, CONFIG), Picture(gpu, replace(CONFIG, gpu_light=False))
    yield pair
    for picture in pair:
        picture.release()


def test_the_picture_is_the_same_whoever_made_the_light(pair: tuple[Picture, Picture]) -> None:
    for column in np.random.default_rng(2).permutation(16).tolist():
        for picture in pair:
            picture.store.load(HILLS, [ColumnPos(column & 3, column >> 2)])
            picture.scene.step(EYE)
    first, second = (picture.pixels() for picture in pair)
    assert np.array_equal(first, second)
    assert [picture.scene.stats().gpu_light for picture in pair] == [True, False]
    assert pair[0].light.stats().steps == 0, "the CPU made no light"


def test_edits_and_columns_that_go_show_the_same_picture(pair: tuple[Picture, Picture]) -> None:
    rng = np.random.default_rng(4)
    for picture in pair:
        picture.store.load(HILLS)
        picture.pixels()
    for turn in range(24):
        block = BlockPos(*(int(n) for n in (rng.integers(16, 48), rng.integers(20, 40), rng.integers(8, 40))))
        dense = int(rng.choice([paint.AIR, paint.LAMP, paint.RED_LAMP, paint.STONE, paint.WATER]))
        for picture in pair:
            picture.store.edit(block, dense)
        if turn % 3 == 0:
            pair[0].scene.step(EYE)
        if turn % 8 == 7:
            for picture in pair:
                picture.store.unload(ColumnPos(turn // 8, 3))
        if turn % 4 == 3:
            first, second = (picture.pixels() for picture in pair)
            assert np.array_equal(first, second)


def test_light_follows_the_anchors(gpu: Gpu) -> None:
    pair = []
    for on_gpu in (True, False):
        anchors = Anchors()
        picture = Picture(gpu, replace(CONFIG, gpu_light=on_gpu, radius_columns=2), anchors)
        picture.store.load(paint.hills(14))
        pair.append((picture, anchors))
    for x in (3, 5, 8, 4, 3):
        shown = []
        for picture, anchors in pair:
            anchors.pin("player", Anchor.square(ColumnPos(x, 3), 3))
            picture.scene.step(EYE)
            picture.store.edit(BlockPos(40 + x, 30, 50), paint.LAMP if x & 1 else paint.AIR)
            shown.append(picture.pixels(-60.0))
        assert np.array_equal(*shown)
    for picture, _ in pair:
        picture.release()


def test_bricks_of_one_value_are_freed_a_frame_later(gpu: Gpu) -> None:
    picture = Picture(gpu, replace(CONFIG, light_columns=64))
    picture.store.load(HILLS)
    picture.scene.step(EYE)
    picture.scene.step(EYE)
    held = picture.scene.stats().mirror.light.bricks_used
    assert picture.scene.settle(EYE)
    for _ in range(3):
        picture.scene.step(EYE)
    freed = picture.scene.stats().mirror.light.bricks_used
    plain = Picture(gpu, replace(CONFIG, gpu_light=False))
    plain.store.load(HILLS)
    plain.pixels()
    assert picture.scene.pools.mirror.twin is not None
    assert picture.scene.pools.mirror.twin.freed > 0
    assert freed == plain.scene.stats().mirror.light.bricks_used
    assert held >= freed
    for each in (picture, plain):
        each.release()


@pytest.mark.parametrize("name", ["CAVE", "GLASS", "WATER", "LOADING"])
def test_goldens_are_drawn_the_same_with_light_of_the_gpu(gpu: Gpu, name: str) -> None:
    shot = getattr(shots, name)
    half = (shots.LOADING_REFUSED, shots.LOADING_ANSWERS) if name == "LOADING" else ()  # height maps seed what is known
    world = SceneWorld(shot, *half).load()
    world.session.set_view(shot.view)
    pictures = []
    for on_gpu in (True, False):
        studio = Studio(gpu, world.session.dimension.table, SyncRunner(), shot.radius, gpu_light=on_gpu)
        light = LightMap(world.session.dimension.store, 1 << 14)
        pictures.append(studio.shoot(world.session, shot.view, ("colour", "light", "mirror"), light=light))
        assert (light.stats().steps == 0) == on_gpu
        studio.release()
    first, second = pictures
    for channel in ("colour", "light", "mirror"):
        assert np.array_equal(getattr(first, channel), getattr(second, channel)), channel


OLD_GL = """
import logging
import numpy as np
from client.light.light_map import LightMap
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from tests.golden import shots
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore
gpu = Gpu.standalone()
store = PaintedStore()
light = LightMap(store, 2048)
scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), SceneConfig(gpu_light=True, first_bricks=256))
scene.attach(store, light)
store.load(paint.hills(2))
assert scene.settle((8.0, 40.0, 8.0))
assert not scene.stats().gpu_light
assert light.stats().columns == 4
"""


def test_without_compute_shaders_the_cpu_makes_the_light_and_one_sentence_says_so() -> None:
    old = {"MESA_GL_VERSION_OVERRIDE": "4.1", "MESA_GLSL_VERSION_OVERRIDE": "410"}
    done = subprocess.run(
        [sys.executable, "-c", OLD_GL], env=os.environ | old, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    if "OpenGL 4.3" not in done.stderr:
        pytest.skip("this driver does not let its version be overridden")
    assert done.stderr.count("light is computed on the CPU") == 1
    assert "has OpenGL 4.1" in done.stderr
