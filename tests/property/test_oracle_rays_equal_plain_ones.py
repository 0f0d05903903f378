"""Rays end where plain ones do, in random worlds and from any eye: the oracle's, and those that measure streaming."""

import numpy as np
import numpy.typing as npt
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from net.space.dimensions import Dimension
from net.space.positions import ColumnPos
from render.bench import rays
from render.bench.rays import RayEnd
from tests.oracle.cast import cast
from tests.support.reference.rays import ray_end
from tests.support.worlds.blocks import FakeTable, FakeWorld

SMALL = Dimension(0, "small", -1, 4, True)


def build(rng: np.random.Generator) -> FakeWorld:
    """Thin stuff mostly, so that rays come far; a few placeholders and missing columns."""
    world = FakeWorld(SMALL, FakeTable.plain())
    for x in range(-2, 3):
        for z in range(-2, 3):
            if rng.random() < 0.1:
                continue
            world.add_column(ColumnPos(x, z))
            for section in range(SMALL.sections):
                blocks = None
                if rng.random() > 0.05:
                    blocks = (rng.random(4096) < rng.choice([0.0, 0.002, 0.03])) * rng.integers(1, 24, 4096)
                world.show(world.place(ColumnPos(x, z), section), None if blocks is None else blocks.astype(np.uint16))
    world.since = rng.random(len(world.slot))
    return world


def somewhere(rng: np.random.Generator) -> tuple[tuple[float, float, float], npt.NDArray[np.float64]]:
    """An eye, and 60 directions, some of them along no or one axis."""
    eye = (float(rng.uniform(-40, 56)), float(rng.uniform(-40, 72)), float(rng.uniform(-40, 56)))
    directions = rng.normal(size=(60, 3))
    directions[rng.random(60) < 0.2, rng.integers(3)] = 0.0
    return eye, directions


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
@example(seed=593592)  # a ray through a block of placeholder into an opaque one
def test_every_ray_ends_as_the_plain_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = build(rng)
    stops = np.zeros(1 << 16, np.uint8)
    stops[rng.choice([5, 12, 16]) :] = 1
    eye, directions = somewhere(rng)
    hits = cast(world, eye, directions, stops, 150.0)
    for ray, direction in enumerate(directions.tolist()):
        plain = ray_end(world, eye, direction, stops, 150.0)
        got = (RayEnd(hits.ended[ray]), hits.places[ray], hits.cells[ray], hits.faces[ray])
        assert got == plain[:4], f"from {eye} along {direction}"


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
def test_every_ray_that_measures_streaming_ends_in_the_cube_of_the_plain_one(seed: int) -> None:
    """It is as new as the newest place on the plain one's way."""
    rng = np.random.default_rng(seed)
    world = build(rng)
    stops = np.zeros(1 << 16, np.uint8)
    stops[world.table.first.opaque :] = 1
    eye, directions = somewhere(rng)
    hits = rays.cast(world, eye, directions, 150.0)
    for ray, direction in enumerate(directions.tolist()):
        plain = ray_end(world, eye, direction, stops, 150.0)
        got = RayEnd(hits.ended[ray]), hits.places[ray], hits.latest[ray]
        assert got == (plain.ended, plain.place, plain.latest), f"from {eye} along {direction}"
