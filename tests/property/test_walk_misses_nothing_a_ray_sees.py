"""Culling never hides what a brute-force ray sees.

Eyes of one sector walk alike: A sector's own eye answers all that a walk asks of an eye as any eye of that sector does,
in exact numbers.

Nothing in sight is left unasked: At rest no ray ends where nothing is known, and nothing that a ray hits is left out of
what is drawn.

Maze world: A world to look through: walls with a few holes, air, rock, at random; sight lines in it are long and
crooked.
"""

from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from client.player import Eye, View
from client.session.config import SessionConfig
from client.streaming.anchors import Anchor
from client.streaming.limits import RequestLimits
from client.visibility import Walk, derive_connectivity, sector_of
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.server.worlds.world import GeneratedColumn, Spawn, subchunks_of, table_of
from net.space import OVERWORLD, ColumnPos, Dimension
from net.visibility.walk_kernels import EXPECTED_OPEN, EXPECTED_SURFACE
from render.bench.rays import cast, sphere_rays
from tests.support.reference.visibility import places_on_ray
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds.blocks import FakeTable, FakeWorld

# ---------------------------------------------------------------- walk misses nothing a ray sees

SMALL = Dimension(0, "small", -1, 4, True)
STONE = 17
BOTTOM = 4


def wall(rng: np.random.Generator) -> np.ndarray:
    """Slabs with a few holes: what makes sight lines long and crooked."""
    cells = np.zeros((16, 16, 16), np.uint16)
    for _ in range(int(rng.integers(0, 4))):
        at = int(rng.integers(16))
        index = [slice(None)] * 3
        index[int(rng.integers(3))] = slice(at, at + 1)
        part = cells[tuple(index)]
        part[rng.random(part.shape) < 0.97] = STONE
    if rng.random() < 0.2:
        cells[rng.random(cells.shape) < 0.3] = STONE
    return cells.reshape(4096)


def build(rng: np.random.Generator) -> FakeWorld:
    world = FakeWorld(SMALL, FakeTable.plain())
    for x in range(-2, 3):
        for z in range(-2, 3):
            if rng.random() < 0.07:
                continue
            world.add_column(ColumnPos(x, z))
            for section in range(SMALL.sections):
                kind = rng.random()
                blocks = None if kind < 0.1 else np.zeros(4096, np.uint16) if kind < 0.4 else wall(rng)
                world.show(world.place(ColumnPos(x, z), section), blocks)
    derive_connectivity(world.pools, np.arange(2048, dtype=np.int32))
    return world


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32), height=st.sampled_from(["inside", "above", "below"]))
def test_every_place_a_ray_enters_is_walked(seed: int, height: str) -> None:
    rng = np.random.default_rng(seed)
    world = build(rng)
    y = {"inside": rng.uniform(-16, 48), "above": rng.uniform(48, 90), "below": rng.uniform(-60, -16)}[height]
    eye = (float(rng.uniform(-32, 48)), float(y), float(rng.uniform(-32, 48)))
    reached = set(Walk().run(world, eye).tolist())
    for _ in range(150):
        direction = rng.normal(size=3)
        if rng.random() < 0.3:
            direction[rng.integers(3)] *= 0.02
        for place in places_on_ray(world, eye, direction.tolist(), 300):
            assert place in reached, f"eye {eye} sees place {place} along {direction}"


@pytest.mark.parametrize("seed", range(4))
def test_walk_is_ordered_and_leaves_its_scratch_clean(seed: int) -> None:
    world = build(np.random.default_rng(seed))
    walk = Walk()
    first = walk.run(world, (8.5, 20.5, 8.5))
    assert len(set(first.tolist())) == len(first)
    steps = [
        abs(int(x)) + abs(int(z)) + abs(place % SMALL.sections - 1 - 1)
        for place in first.tolist()
        for x, z in [world.columns[place // SMALL.sections]]
    ]
    assert steps == sorted(steps)
    assert (walk.run(world, (8.5, 20.5, 8.5)) == first).all()


def crossings(eye: np.ndarray, direction: np.ndarray, most: int) -> list[tuple[tuple[int, int, int], int]]:
    """Sub-chunks on a ray with the face each is left by."""
    at = [int(v) for v in eye // 16]
    edges = [(at[a] + (direction[a] > 0)) * 16 for a in range(3)]
    found = []
    for _ in range(most):
        times = [(edges[a] - eye[a]) / direction[a] for a in range(3)]
        axis = int(np.argmin(times))
        step = 1 if direction[axis] > 0 else -1
        face = {0: 0, 1: 4, 2: 2}[axis] + (step > 0)
        found.append(((at[0], at[1], at[2]), face))
        at[axis] += step
        edges[axis] += 16 * step
    return found


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_a_ray_gets_through_where_nothing_but_its_own_faces_is_connected(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tall = Dimension(0, "tall", 0, 9, True)
    world = FakeWorld(tall, FakeTable.plain(), rows=90, slots=1000)
    world.add_columns([ColumnPos(x, z) for x in range(9) for z in range(9)])
    places = np.array([world.place(c, s) for c in world.row_of for s in range(9)], np.int32)
    world.slot[places] = 2 + np.arange(len(places))
    walk = Walk()
    for _ in range(80):
        eye = rng.uniform(64, 80, 3)
        direction = rng.choice([-1.0, 1.0], 3) * (1 + rng.normal(size=3) * rng.choice([0.03, 0.3]))
        direction[rng.integers(3)] *= rng.choice([1e-3, 0.5, 1.0])
        path = crossings(eye, direction, 6)
        inside = [(where, face) for where, face in path if all(0 <= v < 9 for v in where)]
        world.pools.connectivity[:] = 0
        for (_, entered), (where, left) in pairwise(inside):
            came = entered ^ 1
            slot = world.slot[world.place(ColumnPos(where[0], where[2]), where[1])]
            world.pools.connectivity[slot] = np.uint64(1 << (came * 8 + left) | 1 << (left * 8 + came))
        last = inside[-1][0]
        reached = walk.run(world, (float(eye[0]), float(eye[1]), float(eye[2])))
        assert world.place(ColumnPos(last[0], last[2]), last[1]) in reached, f"eye {eye} along {direction}"


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32), height=st.sampled_from(["inside", "above", "below"]))
def test_presuming_is_as_if_places_were_air_or_open_but_for_their_bottom(seed: int, height: str) -> None:
    rng = np.random.default_rng(seed)
    world = build(rng)
    y = {"inside": rng.uniform(-16, 48), "above": rng.uniform(48, 90), "below": rng.uniform(-60, -16)}[height]
    eye = (float(rng.uniform(-32, 48)), float(y), float(rng.uniform(-32, 48)))
    presumed = rng.choice([0, 0, 0, EXPECTED_OPEN, EXPECTED_SURFACE], len(world.slot)).astype(np.uint8)
    presumed[: SMALL.sections] = 0
    plain, open_ = Walk().run(world, eye), Walk().run(world, eye, expected_open=presumed)
    assert np.isin(plain, open_).all(), "presuming something open hid something"
    world.slot[presumed == EXPECTED_OPEN] = 0
    surfaces = np.flatnonzero(presumed == EXPECTED_SURFACE)
    copies = len(world.pools.connectivity) - 1 - np.arange(len(surfaces))
    assert copies.min() > world.slot.max(), "slots that nothing uses"
    ways = [8 * entered + left for entered, left in product(range(6), range(6)) if BOTTOM not in (entered, left)]
    beside = np.uint64(sum(1 << way for way in ways))
    world.pools.connectivity[copies] = world.pools.connectivity[world.slot[surfaces]] | beside
    world.pools.kinds[copies] = 0
    world.slot[surfaces] = copies
    assert np.array_equal(np.sort(open_), np.sort(Walk().run(world, eye)))


# ---------------------------------------------------------------- eyes of one sector walk alike

AWAY = range(-3, 4)
EXACT = st.integers(0, 16 * 32 - 1).map(lambda part: part / 32)
WITHIN = st.one_of(EXACT, st.floats(0.0, 15.9999))
CORNERS = st.tuples(*[st.integers(-9, 9)] * 3)
STEPS = st.floats(-1.0, 1.0)


def farther(way: Fraction, other: Fraction) -> list[int]:
    """-1, 0 or 1 for each pair of numbers of sub-chunks: on which of two axes the middle is farther from the eye."""
    lengths = [[abs(16 * away + along) for away in AWAY] for along in (way, other)]
    return [(a > b) - (a < b) for a, b in product(*lengths)]


def asked(eye: tuple[Fraction, ...]) -> list[int]:
    """All that a walk can ask of an eye, which is counted from the lowest corner of its sub-chunk."""
    ways = [8 - e for e in eye]
    return [answer for a, b in product(ways, ways) for answer in farther(a, b)]


def answers(corner: tuple[int, int, int], within: tuple[float, ...]) -> tuple[list[int], list[int]]:
    """Those of an eye, and those of its sector."""
    low = corner[0] * 16, (corner[1] % OVERWORLD.sections + OVERWORLD.floor_section) * 16, corner[2] * 16
    x, y, z = (at + e for at, e in zip(low, within, strict=True))
    column, section, own = sector_of((x, y, z), OVERWORLD)
    exact = zip((x, y, z), (column.x, section, column.z), strict=True)
    return asked(tuple(Fraction(e) - 16 * at for e, at in exact)), asked(tuple(map(Fraction, own)))


@given(CORNERS, st.tuples(EXACT, EXACT, EXACT))
def test_the_eye_of_a_sector_answers_as_every_eye_of_it(
    corner: tuple[int, int, int], within: tuple[float, ...]
) -> None:
    of_eye, of_sector = answers(corner, within)
    assert of_eye == of_sector


@given(CORNERS, st.tuples(WITHIN, WITHIN, WITHIN))
def test_what_is_rounded_on_the_way_to_a_sector_hides_nothing(
    corner: tuple[int, int, int], within: tuple[float, ...]
) -> None:
    """As far on both axes drops no pair of faces, so it may stand for either."""
    assert all(told in (0, true) for true, told in zip(*answers(corner, within), strict=True))


@given(st.tuples(STEPS, STEPS, STEPS))
@example((0.0, -1.0, 1.0))
def test_an_eye_that_goes_straight_on_crosses_few_sectors(way: tuple[float, float, float]) -> None:
    """In 15 blocks at most three borders of sub-chunks and, in each of four of them, nine planes, each a sector.

    The start is as far from the middle on no two axes: within a plane rounding alone would say on which side an eye is.
    """
    eyes = np.linspace(0.0, 15.0, 500)[:, None] * np.array(way) + np.array([5.1, 70.7, 9.9])
    sectors = [sector_of((x, y, z), OVERWORLD) for x, y, z in eyes.tolist()]
    assert sum(before != after for before, after in pairwise(sectors)) <= 2 * (3 + 4 * 9)


def test_over_and_under_the_world_every_eye_walks_by_itself() -> None:
    above = sector_of((5.0, 400.0, -3.5), OVERWORLD)
    assert (above.column, above.section, above.within) == ((0, -1), OVERWORLD.roof_section, (5.0, 80.0, 12.5))
    assert sector_of((5.0, 400.25, -3.5), OVERWORLD) != above
    assert sector_of((5.0, -900.0, -3.5), OVERWORLD).section == OVERWORLD.floor_section - 1


# ---------------------------------------------------------------- nothing in sight is left unasked

# ---------------------------------------------------------------- maze world

BLOCKS = table_of("air bedrock")
ROCK = 1
TOP_SECTIONS = 7
"""Sub-chunks over the floor that may hold blocks."""


class MazeWorld:
    """Each column of its own chance; endless."""

    dimension = OVERWORLD
    states = tuple(BLOCKS.values())

    def __init__(self, seed: int) -> None:
        self.name = f"maze:{seed}"
        self._seed = seed
        self._column = cache(self._make)

    @property
    def spawn(self) -> Spawn:
        """At the origin, in whatever is there."""
        return Spawn((8.5, 8.0, 8.5), 0.0, 0.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """The column of a position."""
        return self._column(position)

    def _make(self, position: ColumnPos) -> GeneratedColumn:
        rng = np.random.default_rng([self._seed, position.x & 0xFFFF, position.z & 0xFFFF])
        blocks = np.zeros((16, 16, OVERWORLD.sections * 16), np.uint16)
        for section in range(int(rng.integers(0, TOP_SECTIONS + 1))):
            _fill(blocks[:, :, section * 16 : section * 16 + 16], rng)
        return GeneratedColumn(subchunks_of(blocks), None, np.ones(256, np.uint16))


def _fill(cells: np.ndarray, rng: np.random.Generator) -> None:
    kind = rng.random()
    if kind < 0.3:
        return
    if kind < 0.4:
        cells[:] = ROCK
        return
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(16))
        index: list[slice] = [slice(None)] * 3
        index[int(rng.integers(3))] = slice(at, at + 1)
        part = cells[tuple(index)]
        part[rng.random(part.shape) < 0.97] = ROCK


# ---------------------------------------------------------------- nothing in sight is left unasked

RADIUS = 2
POSES = 16
RAYS = sphere_rays(3000)


def poses(rng: np.random.Generator) -> list[Eye]:
    """In the maze, in the open above it, over the roof of the world and under its floor; some a step apart."""
    found = []
    for _ in range(POSES):
        y = rng.choice([rng.uniform(-64, 48), rng.uniform(-64, 48), rng.uniform(48, 310), rng.uniform(320, 400), -70.0])
        found.append(Eye(float(rng.uniform(-20, 36)), float(y), float(rng.uniform(-20, 36))))
    for at in range(1, POSES, 3):
        before = found[at - 1]
        found[at] = Eye(*(float(v + rng.uniform(-3, 3)) for v in (before.x, before.y, before.z)))
    return found


@pytest.mark.parametrize("mode", [ColumnMode.LIMITED, ColumnMode.LIMITLESS])
@pytest.mark.parametrize("seed", [1, 2])
def test_rays_from_anywhere_meet_no_placeholder(mode: ColumnMode, seed: int) -> None:
    config = SessionConfig(radius=RADIUS, player=SWIFT, limits=RequestLimits(ticking_radius=0))
    options = HostOptions(mode=mode, faults=ServerFaults(refusals=(RefusalFault(2, 0.2),)))
    virtual = VirtualSession(MazeWorld(seed), options, config)
    assert virtual.settle()
    walk, seen_rock = Walk(), 0
    for eye in poses(np.random.default_rng(seed)):
        virtual.session.set_view(View(eye))
        assert virtual.settle(), virtual.session.unsettled(virtual.now)
        store, player = virtual.session.dimension.store, virtual.session.movement.eye
        assert player == eye
        hits = cast(store, player, RAYS)
        within = Anchor.square(player.column, RADIUS).holds(store.columns[hits.places // store.dimension.sections])
        assert not (hits.in_holes & within).any(), f"holes seen from {player}"
        drawn = walk.run(store, player, RADIUS)
        hit = np.unique(hits.places[hits.on_terrain & within])
        assert np.isin(hit, drawn).all(), f"what is hit from {player} is not drawn"
        seen_rock += len(hit)
    assert seen_rock > 10 * POSES
