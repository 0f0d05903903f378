"""Particles and rain: where the GPU says they are is where a plain walk through the blocks ends; pictures repeat.

Plain drift: Where particles are, one by one in plain Python: the twin of ``shaders/drift.frag``.

Floats are rounded to 32 bits after each step, as a shader's are; a driver may still fuse a product and a sum.
"""

from collections.abc import Callable, Iterator
from math import floor

import numpy as np
import pytest
from msgspec.structs import replace

from client.weather import Weather
from net.arrays import F32, I32
from net.space import BlockPos
from render.gpu import Gpu
from render.passes.particles import (
    GRIND_PARTICLES,
    HIT_PARTICLES,
    LONGEST_LIFE_S,
    MOST_BURSTS,
    PER_BURST,
    STOP_MASK,
    Burst,
    ParticlesPass,
    stop_values,
)
from render.passes.precipitation import NO_FALL, REACH_BLOCKS, SIDE, WeatherPass
from render.scene import FrameSettings
from render.scene.frame.particles import FACE_SHIFT, bursts_of
from tests.gpu.test_looks import CONFIG, Elsewhere, Stage, staged
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import painted_mesh_tables, painted_table


def places_of(particles: ParticlesPass) -> F32:
    """float32[bursts, PER_BURST, 4] the result of ``drift``: x, y, z from the burst's block, size."""
    particles._gpu.wait()
    raw = np.frombuffer(particles._places.read(), np.float32)
    return raw.reshape(MOST_BURSTS, PER_BURST, 4)[: particles._count].copy()


def falls_of(weather: WeatherPass) -> I32:
    """int32[SIDE, SIDE] by x, z, the result of ``fall``: sixteenths of a block, or NO_FALL."""
    weather._gpu.wait()
    return np.frombuffer(weather._falls.read(), np.int32).reshape(SIDE, SIDE).T.copy()


# ---------------------------------------------------------------- plain drift

Vector = np.ndarray
StopAt = Callable[[tuple[int, int, int]], float]
"""How high a block stops bodies, 0..1 from its floor."""

WAYS = np.array([(-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0)], np.float32)
F = np.float32
TICK_MS = 50
GRIND_PERIOD_MS = 800


def scramble(value: int) -> int:
    value &= 0xFFFFFFFF
    value ^= value >> 16
    value = value * 0x7FEB352D & 0xFFFFFFFF
    value ^= value >> 15
    value = value * 0x846CA68B & 0xFFFFFFFF
    return value ^ value >> 16


def chance(x: int, y: int, z: int) -> np.float32:
    return F(scramble(x + scramble(y + scramble(z))) >> 8) * F(1 / 16777216)


def drifted(burst: list[int], number: int, stop_at: StopAt) -> Vector | None:
    """Where a particle is, from its burst's block, and its size; None where there is none.

    Args:
        burst: a row of ``BURST_FIELDS``.
        number: of the particle in it.
        stop_at: of the world's blocks.
    """
    x, y, z, what, age, seed, _, _ = burst
    kind, face = what & 255, what >> 8
    breaks = kind == Burst.BREAK
    if not breaks and number >= (HIT_PARTICLES if kind == Burst.HIT else GRIND_PARTICLES):
        return None
    if kind == Burst.GRIND:
        since = age + int(chance(seed, number, 9) * F(GRIND_PERIOD_MS))
        age = since % GRIND_PERIOD_MS
        seed = scramble(seed + since // GRIND_PERIOD_MS * 0x9E3779B9) & 0x7FFFFFFF
        face = min(int(chance(seed, number, 8) * F(6)), 5)
    life = (F(12) if breaks else F(7)) + (F(16) if breaks else F(8)) * chance(seed, number, 4)
    if F(age) >= life * F(TICK_MS):
        return None

    def stopping(at: Vector) -> np.float32:
        cell = tuple(floor(axis) for axis in at)
        if breaks and cell == (0, 0, 0):
            return F(0)
        top = F(stop_at((x + cell[0], y + cell[1], z + cell[2])))
        return top if at[1] - F(cell[1]) < top else F(0)

    at, speed = _broken(seed, number) if breaks else _dust(seed, number, face)
    if stopping(at) > 0:
        return None
    before = at
    for _ in range(age // TICK_MS + 1):
        before, (at, speed) = at, _step(at, speed, stopping)
    part = F(age % TICK_MS) / F(TICK_MS)
    where = before * (F(1) - part) + at * part
    size = (F(0.05) if breaks else F(0.03)) * (F(1) + chance(seed, number, 5))
    return np.append(where, size * min((life - F(age) / F(TICK_MS)) * F(0.25), F(1))).astype(np.float32)


def _broken(seed: int, number: int) -> tuple[Vector, Vector]:
    part = (np.array([number & 3, number >> 2 & 3, number >> 4], np.float32) + F(0.5)) * F(0.25)
    loose = np.array([chance(seed, number, which) for which in range(3)], np.float32) - F(0.5)
    way = part - F(0.5) + loose * F(0.8)
    return part, way * (F(0.10) + F(0.12) * chance(seed, number, 3)) + np.array([0, 0.10, 0], np.float32)


def _dust(seed: int, number: int, face: int) -> tuple[Vector, Vector]:
    inside = np.array([chance(seed, number, which) for which in range(3)], np.float32)
    across = F(1) - np.abs(WAYS[face])
    at = F(0.5) + WAYS[face] * F(0.56) + (inside - F(0.5)) * F(0.9) * across
    speed = WAYS[face] * (F(0.02) + F(0.04) * chance(seed, number, 3))
    speed = speed + (inside[[2, 0, 1]] - F(0.5)) * F(0.05) * across
    return at, speed + np.array([0, 0.03, 0], np.float32)


def _step(at: Vector, speed: Vector, stopping: Callable[[Vector], np.float32]) -> tuple[Vector, Vector]:
    at, speed = at.copy(), speed.copy()
    speed[1] -= F(0.04)
    to = at + np.array([0, speed[1], 0], np.float32)
    top = stopping(to)
    grounded = top > 0 and speed[1] < 0
    if grounded:
        at[1] = min(F(floor(to[1])) + top, at[1])
    if top > 0:
        speed[1] = 0
    else:
        at[1] = to[1]
    for axis in (0, 2):
        to = at.copy()
        to[axis] += speed[axis]
        if stopping(to) > 0:
            speed[axis] = 0
        else:
            at = to
    speed *= F(0.98)
    if grounded:
        speed[[0, 2]] *= F(0.7)
    return at, speed


# ---------------------------------------------------------------- particles

pytestmark = pytest.mark.gpu

STOPS = stop_values(painted_mesh_tables(), painted_table().obstructs) & STOP_MASK
AHEAD = BlockPos(30, 43, 9)
LEVEL = {"yaw_deg": 0.0, "pitch_deg": 10.0}


@pytest.fixture
def stage(gpu: Gpu) -> Iterator[Stage]:
    made = staged(gpu)
    yield made
    made.close()


def block_at(store: Elsewhere, block: BlockPos) -> int:
    """Its id; air beyond the world's columns and bounds."""
    if block.column not in store.row_of or not 0 <= block.y < 64:
        return 0
    return int(store.pools.blocks[store.slot[store.place(block.column, block.y >> 4)], block.in_subchunk])


def struck(*rows: tuple[BlockPos, int, int, int, int]) -> np.ndarray:
    """Rows of a look: place, kind and face, age in ms, seed, block."""
    return np.array([(*place, *rest) for place, *rest in rows], np.int32)


def broken(age_ms: int, block: BlockPos = AHEAD, seed: int = 5) -> FrameSettings:
    """A look at a block of dirt that broke so long ago."""
    return FrameSettings(struck=struck((block, int(Burst.BREAK), age_ms, seed, paint.DIRT)))


def random_bursts(store: Elsewhere, seed: int) -> np.ndarray:
    """Anywhere near the surface, of any kind, as old as can be."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(24):
        x, z = rng.integers(2, 62, 2).tolist()
        top = max(y for y in range(64) if block_at(store, BlockPos(x, y, z)) != 0)
        kind = int(rng.integers(0, 3))
        what = kind | int(rng.integers(0, 6)) << FACE_SHIFT
        age = int(rng.integers(0, 100_000 if kind == Burst.GRIND else int(LONGEST_LIFE_S * 1000)))
        rows.append((BlockPos(x, top + int(rng.integers(-2, 3)), z), what, age, int(rng.integers(0, 1 << 31)), 6))
    return struck(*rows)


@pytest.mark.parametrize("seed", range(4))
def test_every_particle_is_where_a_plain_walk_ends(stage: Stage, seed: int) -> None:
    """But for the few that a last bit sends another way round a corner."""
    rows = random_bursts(stage.store, seed)
    look = FrameSettings(struck=rows)
    stage.picture(look)
    eye = (30.5, 44.0, 6.5)
    bursts = bursts_of(stage.store, painted_mesh_tables(), look, eye)
    assert len(bursts) > 12
    found = places_of(stage.scene.frames.falling.particles)
    there = beside = resting = 0
    for row, burst in enumerate(bursts.tolist()):
        for number in range(found.shape[1]):
            plain = drifted(burst, number, lambda block: STOPS[block_at(stage.store, BlockPos(*block))] / 16)
            mine = found[row, number]
            assert (plain is None) == (mine[3] == 0)
            if plain is None:
                continue
            there += 1
            resting += plain[1] == np.floor(plain[1])
            beside += bool(np.abs(mine - plain).max() > 1e-4)
    assert there > 200
    assert resting > 20
    assert beside <= there // 100


def test_bits_of_a_block_that_broke_come_to_rest_on_the_floor_and_inside_walls(stage: Stage) -> None:
    """A cell of stone, a block and a half wide: nothing leaves it, and in the end all of it lies on its floor."""
    for x in range(28, 33):
        for z in range(7, 12):
            for y in (41, 42, 43, 44, 45, 46):
                wall = x in (28, 32) or z in (7, 11) or y in (41, 46)
                stage.store.edit(BlockPos(x, y, z), paint.STONE if wall else 0)
    stage.picture(broken(1100, BlockPos(30, 44, 9)))
    (places,) = places_of(stage.scene.frames.falling.particles)
    there = places[places[:, 3] > 0, :3] + np.array([30, 44, 9])
    assert len(there) > 10
    assert (there >= (29, 42, 8)).all()
    assert (there <= (32, 46, 11)).all()
    assert (there[:, 1] == 42).mean() > 0.9


def test_a_pictures_particles_follow_from_its_moment_alone(stage: Stage) -> None:
    quiet, first = stage.picture(FrameSettings(), **LEVEL), stage.picture(broken(300), **LEVEL)
    assert (first != quiet).any(axis=2).mean() > 0.01
    later = stage.picture(broken(450), **LEVEL)
    assert not np.array_equal(later, first)
    assert np.array_equal(stage.picture(broken(300), **LEVEL), first)
    assert np.array_equal(stage.picture(broken(1400), **LEVEL), quiet), "all have gone"
    other = stage.picture(broken(300, seed=6), **LEVEL)
    assert not np.array_equal(other, first)


def test_both_ways_to_draw_show_the_same_particles(gpu: Gpu) -> None:
    pictures = []
    for indirect in (True, False):
        stage = staged(gpu, replace(CONFIG, indirect=indirect))
        dig = FrameSettings(cracks=np.array([(30, 38, 12, 5)], np.int32), seconds=3.0)
        pictures += [stage.picture(look, **LEVEL) for look in (broken(250), dig)]
        stage.close()
    assert all(np.array_equal(pictures[number], pictures[number + 2]) for number in range(2))


def test_a_block_that_is_dug_gives_dust_at_its_open_faces_alone(stage: Stage) -> None:
    stage.store.edit(AHEAD, paint.SAND)
    buried = BlockPos(30, 20, 9)
    cracks = np.array([(*AHEAD, 4), (*buried, 4)], np.int32)
    stage.picture(FrameSettings(cracks=cracks, seconds=12.0))
    open_air, closed = places_of(stage.scene.frames.falling.particles)
    assert (open_air[:, 3] > 0).sum() > 5
    outside = open_air[open_air[:, 3] > 0, :3]
    assert ((outside <= 0) | (outside >= 1)).any(axis=1).all(), "none is inside the block"
    assert not closed[:, 3].any()


def test_there_are_never_more_bursts_than_the_limit_and_far_ones_are_left_out(stage: Stage) -> None:
    many = struck(*((BlockPos(4 + k % 50, 43, 4 + k // 50), 0, 100, k, paint.DIRT) for k in range(300)))
    bursts = bursts_of(stage.store, painted_mesh_tables(), FrameSettings(struck=many), (30.5, 44.0, 6.5))
    assert len(bursts) == MOST_BURSTS
    away = ((bursts[:, :3] + 0.5 - (30.5, 44.0, 6.5)) ** 2).sum(axis=1)
    assert (np.diff(away) >= 0).all()
    stage.picture(FrameSettings(struck=many))
    far = struck((BlockPos(30, 43, 60), 0, 100, 1, paint.DIRT))
    assert len(bursts_of(stage.store, painted_mesh_tables(), FrameSettings(struck=far), (30.5, 44.0, 6.5))) == 0


def test_without_bursts_nothing_is_compiled_or_drawn(stage: Stage) -> None:
    none = struck()
    stage.picture(FrameSettings(struck=none.reshape(0, 7), cracks=np.zeros((0, 4), np.int32)))
    assert stage.scene.frames.falling.particles is None


def test_a_million_blocks_away_particles_are_the_same(gpu: Gpu) -> None:
    pictures = []
    for away in (0, (1 << 20) >> 4):
        stage = staged(gpu, away=away)
        place = BlockPos(AHEAD.x + away * 16, AHEAD.y, AHEAD.z + away * 16)
        pictures.append(stage.picture(broken(350, place), **LEVEL))
        stage.close()
    assert np.array_equal(*pictures)


def plain_falls(store: Elsewhere, eye: tuple[int, int]) -> np.ndarray:
    """How deep rain falls around an eye, block by block from the roof."""
    found = np.full((SIDE, SIDE), NO_FALL, np.int32)
    for dx, dz in np.ndindex(SIDE, SIDE):
        for y in range(63, -1, -1):
            block = block_at(store, BlockPos(eye[0] + dx - REACH_BLOCKS, y, eye[1] + dz - REACH_BLOCKS))
            top = 14 if block == paint.WATER else int(STOPS[block])
            if top:
                found[dx, dz] = y * 16 + top
                break
    return found


def test_rain_ends_at_the_first_block_from_above_that_stops_it(stage: Stage) -> None:
    rain = FrameSettings(weather=Weather(1.0), seconds=3.0)
    stage.picture(rain)
    falls = falls_of(stage.scene.frames.falling.weather)
    assert np.array_equal(falls, plain_falls(stage.store, (30, 6)))
    assert (falls == NO_FALL).any(), "beyond the world's edge nothing stops it"
    assert len(np.unique(falls)) > 8


def test_a_roof_of_glass_keeps_a_room_dry(stage: Stage) -> None:
    """Height maps leave out what takes no daylight; the block-ID map does not. Seen downwards, not through the roof."""
    stage.store.height_map = lambda column: np.zeros(256, np.int16)
    for x in range(27, 35):
        for z in range(3, 11):
            for y in (42, 43, 44, 45, 46):
                if x in (27, 34) or z in (3, 10) or y in (42, 46):
                    stage.store.edit(BlockPos(x, y, z), paint.GLASS if y == 46 else paint.STONE)
    rain = FrameSettings(weather=Weather(1.0), seconds=3.0)
    dry = stage.picture(rain, pitch_deg=45.0)
    assert np.array_equal(dry, stage.picture(replace(rain, seconds=3.05), pitch_deg=45.0))
    stage.store.edit(BlockPos(30, 46, 8), 0)
    wet = stage.picture(rain, pitch_deg=45.0)
    assert not np.array_equal(wet, dry), "through the hole"
    assert not np.array_equal(wet, stage.picture(replace(rain, seconds=3.05), pitch_deg=45.0))


def test_rain_splashes_on_what_stops_it_and_snow_does_not(stage: Stage) -> None:
    """Seen from just above a stone floor, below which nothing moves."""
    for x in range(20, 41):
        for z in range(0, 21):
            stage.store.edit(BlockPos(x, 42, z), paint.STONE)
    rain = FrameSettings(weather=Weather(1.0), seconds=2.0)
    weather = stage.scene.frames.falling.weather
    pictures = [stage.picture(rain, yaw_deg=0.0, pitch_deg=40.0)]
    weather._near = 0
    pictures.append(stage.picture(rain, yaw_deg=0.0, pitch_deg=40.0))
    splashed = (pictures[0] != pictures[1]).any(axis=2)
    assert 0.002 < splashed.mean() < 0.2
