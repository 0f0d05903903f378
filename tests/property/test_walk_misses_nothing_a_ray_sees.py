"""Culling never hides what a brute-force ray sees."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.visibility.walk import Walk, derive_connectivity
from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from net.visibility.walk_kernels import PRESUMED_OPEN, PRESUMED_SURFACE
from tests.support.reference.visibility import places_on_ray
from tests.support.worlds.blocks import FakeTable, FakeWorld

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
    reached = set(Walk().run(world, eye).places.tolist())
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
    first = walk.run(world, (8.5, 20.5, 8.5)).places
    assert len(set(first.tolist())) == len(first)
    steps = [
        abs(int(x)) + abs(int(z)) + abs(place % SMALL.sections - 1 - 1)
        for place in first.tolist()
        for x, z in [world.columns[place // SMALL.sections]]
    ]
    assert steps == sorted(steps)
    assert (walk.run(world, (8.5, 20.5, 8.5)).places == first).all()


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
        reached = walk.run(world, (float(eye[0]), float(eye[1]), float(eye[2]))).places
        assert world.place(ColumnPos(last[0], last[2]), last[1]) in reached, f"eye {eye} along {direction}"


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32), height=st.sampled_from(["inside", "above", "below"]))
def test_presuming_is_as_if_places_were_air_or_open_but_for_their_bottom(seed: int, height: str) -> None:
    rng = np.random.default_rng(seed)
    world = build(rng)
    y = {"inside": rng.uniform(-16, 48), "above": rng.uniform(48, 90), "below": rng.uniform(-60, -16)}[height]
    eye = (float(rng.uniform(-32, 48)), float(y), float(rng.uniform(-32, 48)))
    presumed = rng.choice([0, 0, 0, PRESUMED_OPEN, PRESUMED_SURFACE], len(world.slot)).astype(np.uint8)
    presumed[: SMALL.sections] = 0
    plain, open_ = Walk().run(world, eye).places, Walk().run(world, eye, presumed_open=presumed).places
    assert np.isin(plain, open_).all(), "presuming something open hid something"
    world.slot[presumed == PRESUMED_OPEN] = 0
    surfaces = np.flatnonzero(presumed == PRESUMED_SURFACE)
    copies = len(world.pools.connectivity) - 1 - np.arange(len(surfaces))
    assert copies.min() > world.slot.max(), "slots that nothing uses"
    ways = [8 * entered + left for entered, left in product(range(6), range(6)) if BOTTOM not in (entered, left)]
    beside = np.uint64(sum(1 << way for way in ways))
    world.pools.connectivity[copies] = world.pools.connectivity[world.slot[surfaces]] | beside
    world.pools.kinds[copies] = 0
    world.slot[surfaces] = copies
    assert np.array_equal(np.sort(open_), np.sort(Walk().run(world, eye).places))
