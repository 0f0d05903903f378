"""Connectivity equals a flood cell by cell, for any density of opaque blocks.

Kept walks equal fresh ones: What is kept of the walks of player and look-outs is what walking anew would find, whatever
happened to the world.

Oracle rays equal plain ones: Rays end where plain ones do, in random worlds and from any eye: the oracle's, and those
that measure streaming.

Semantic comparison equals a plain one: The semantic layer counts what a plain loop over pixels and their neighbours
counts.
"""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from client.player import Eye, View
from client.session.request_visibility import RequestVisibility, VisibilityChanges
from client.streaming.anchors import Anchor, AnchorClaim
from client.visibility import Walk, derive_connectivity
from net.arrays import Places
from net.space import ColumnPos, Dimension
from net.visibility.connectivity_kernels import SEE_THROUGH
from render.bench import rays
from render.bench.rays import RayEnd
from render.capture.channels import Shot
from render.scene_tests.compare import compare
from render.scene_tests.verdict import SEMANTIC, LayerOutcome, Tolerance
from render.scene_tests.views import CapturedView, Renderer
from tests.oracle.cast import cast
from tests.support.reference.rays import ray_end
from tests.support.reference.visibility import flood_connectivity
from tests.support.worlds.blocks import FakePools, FakeTable, FakeWorld
from tests.support.worlds.store import AIR, SEVEN, STONE, StoreWorld

# ---------------------------------------------------------------- connectivity equals a flood

CAVE = Dimension(1, "cave", 0, 1, False)


@pytest.mark.parametrize("density", [0.0, 0.05, 0.3, 0.5, 0.6, 0.65, 0.7, 0.9, 1.0])
def test_connectivity_equals_a_flood(density: float) -> None:
    rng = np.random.default_rng(int(density * 100))
    pools = FakePools(FakeTable.plain(), 16)
    for slot in range(2, 10):
        pools.write(slot, np.where(rng.random(4096) < density, 17, 0).astype(np.uint16))
    derive_connectivity(pools, np.arange(2, 10, dtype=np.int32))
    for slot in range(2, 10):
        assert int(pools.connectivity[slot]) == flood_connectivity(pools.opaque[slot])


@pytest.mark.parametrize("axis", range(3))
def test_connectivity_of_shafts_and_layers_equals_a_flood(axis: int) -> None:
    """Open: a chessboard of shafts along an axis, layers across it, those with holes between, and what is not."""
    places = np.indices((16, 16, 16))
    shafts = places.sum(axis=0) - places[axis] & 1
    layers = places[axis] & 1
    holes = layers & (places[axis - 1] != 15 * (places[axis] >> 1 & 1))
    pools = FakePools(FakeTable.plain(), 8)
    for slot, solid in enumerate((shafts, layers, holes, 1 - holes), start=2):
        pools.write(slot, np.where(solid, 17, 0).astype(np.uint16).reshape(4096))
    derive_connectivity(pools, np.arange(2, 6, dtype=np.int32))
    for slot in range(2, 6):
        assert int(pools.connectivity[slot]) == flood_connectivity(pools.opaque[slot])


@pytest.mark.parametrize("axis", range(3))
def test_a_plane_cuts_its_two_sides_apart(axis: int) -> None:
    cells = np.zeros((16, 16, 16), np.uint16)
    index = [slice(None)] * 3
    index[axis] = slice(7, 8)
    cells[tuple(index)] = 17
    pools = FakePools(FakeTable.plain(), 4)
    pools.write(2, cells.reshape(4096))
    derive_connectivity(pools, np.array([2], np.int32))
    pair = {0: (0, 1), 1: (2, 3), 2: (4, 5)}[axis]
    cut = 1 << (pair[0] * 8 + pair[1]) | 1 << (pair[1] * 8 + pair[0])
    assert int(pools.connectivity[2]) == SEE_THROUGH & ~cut


# ---------------------------------------------------------------- kept walks equal fresh ones

REACH = 4
SECTIONS = range(SEVEN.floor_section, SEVEN.floor_section + SEVEN.sections)
SPOTS = [Eye(8.0, 40.0, 8.0), Eye(9.0, 40.0, 8.0), Eye(-20.0, 8.0, 24.0), Eye(8.0, 200.0, 8.0)]


class Watched(StoreWorld):
    """A world, and those who look at it."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(SEVEN)
        self.rng = rng
        self.watch = VisibilityChanges(self.store)
        self.vistas = RequestVisibility(self.store, Walk())
        self.eye, self.radius = SPOTS[0], 2
        self.pins: dict[str, AnchorClaim] = {}

    def happen(self) -> bool:
        """Something of all that changes a world or who looks at it; whether it is no edit."""
        x, z = (int(v) for v in self.rng.integers(-REACH, REACH + 1, 2))
        position = (x, int(self.rng.choice(SECTIONS)), z)
        known = ColumnPos(x, z) in self.store.row_of
        match int(self.rng.integers(10)):
            case 0:
                self.store.forget(ColumnPos(x, z))
            case 1 | 2:
                self.announce(x, z, None if self.rng.random() < 0.5 else int(self.rng.integers(SEVEN.sections)))
            case 3 | 4 | 5 if known:
                self.answer((position, 6, b"") if self.rng.random() < 0.4 else (position, 1, self.payload(self.rock())))
            case 6 | 7 if known:
                self.dig(position)
                return False
            case 8:
                self.eye, self.radius = SPOTS[int(self.rng.integers(len(SPOTS)))], int(self.rng.integers(1, 4))
            case 9:
                self.pin(x, z)
        return True

    def rock(self) -> np.ndarray:
        """Walls with holes, or all of stone."""
        cells = np.full((16, 16, 16), AIR, np.uint16)
        if self.rng.random() < 0.3:
            cells[:] = STONE
        index = [slice(None)] * 3
        index[int(self.rng.integers(3))] = slice(7, 8)
        cells[tuple(index)] = STONE
        if self.rng.random() < 0.5:
            cells[7, 7, :] = AIR
        return cells.reshape(4096)

    def dig(self, position: tuple[int, int, int]) -> None:
        """A tunnel, or a pillar, of one to sixteen blocks."""
        low = np.array(position) * 16
        cells = low + np.array([[int(self.rng.integers(16))] * 3]) * [1, 0, 1] + np.arange(16)[:, None] * [0, 1, 0]
        cells = cells[: int(self.rng.integers(1, 17))].astype(np.int32)
        layers = np.zeros(len(cells), np.int64)
        packets = np.zeros(len(cells), np.int32)
        block = AIR if self.rng.random() < 0.5 else STONE
        self.store.update_blocks(cells, layers, np.full(len(cells), block, np.int64), packets)

    def pin(self, x: int, z: int) -> None:
        name = "ab"[int(self.rng.integers(2))]
        if self.rng.random() < 0.3:
            self.pins.pop(name, None)
        else:
            eye = Eye(x * 16 + 8.0, float(self.rng.integers(-40, 120)), z * 16 + 8.0)
            self.pins[name] = AnchorClaim(Anchor.square(ColumnPos(x, z), int(self.rng.integers(3))), eye)

    def drain(self) -> bool:
        """Ends a drain; whether somebody looks at what it changed."""
        derive_connectivity(self.store.pools, self.store.finish_drain())
        turn = self.watch.look()
        return self.vistas.record(turn.columns) or turn.ground


def places(vistas: RequestVisibility, world: Watched) -> Places:
    return np.unique(vistas.look(world.eye, world.radius, world.pins))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_what_is_kept_is_what_is_there(seed: int) -> None:
    world = Watched(np.random.default_rng(seed))
    for x in range(-2, 3):
        for z in range(-2, 3):
            world.announce(x, z)
    world.drain()
    before = places(world.vistas, world)
    for _ in range(40):
        told = sum(world.happen() for _ in range(int(world.rng.integers(1, 3))))
        concerned = world.drain()
        fresh = places(RequestVisibility(world.store, Walk()), world)
        if not (concerned or told):  # of all but edits the session hears by itself
            assert before.tolist() == fresh.tolist()
        before = places(world.vistas, world)
        assert before.tolist() == fresh.tolist()


# ---------------------------------------------------------------- oracle rays equal plain ones

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


# ---------------------------------------------------------------- semantic comparison equals a plain one

ONE, OTHER = Renderer("one", 1, ""), Renderer("other", 2, "")


def shot(rng: np.random.Generator, size_px: tuple[int, int], like: Shot | None) -> Shot:
    """Large patches of two blocks and two faces; or another shot with some pixels changed."""
    width, height = size_px
    if like is None:
        halves = rng.integers(0, 2, (2, height // 4 + 1, width // 4 + 1)).repeat(4, axis=1).repeat(4, axis=2)
        block, face = halves[:, :height, :width]
        cell = np.zeros((height, width, 3), np.int32)
        cell[..., 0] = np.arange(width) // 5
        light = np.zeros((height, width), np.uint16)
    else:
        assert like.block is not None
        assert like.face is not None
        assert like.cell is not None
        assert like.light is not None
        block, face, cell, light = like.block.copy(), like.face.copy(), like.cell.copy(), like.light.copy()
        for array in (block, face, cell[..., 0], light):
            for _ in range(int(rng.integers(0, 4))):
                y, x = int(rng.integers(0, height)), int(rng.integers(0, width))
                array[y : y + int(rng.integers(1, 6)), x : x + int(rng.integers(1, 6))] += 1
    return Shot(
        View(Eye(0.0, 0.0, 0.0)),
        size_px,
        block=block.astype(np.uint32),
        face=face.astype(np.uint8),
        cell=cell,
        light=light,
    )


def plain(one: Shot, other: Shot) -> tuple[int, int]:
    """Pixels off edges that differ, and pixels at edges that do."""
    width, height = one.size_px
    wrong = edges = 0
    for y in range(height):
        for x in range(width):
            around = [
                (b, a)
                for b in range(max(y - 1, 0), min(y + 2, height))
                for a in range(max(x - 1, 0), min(x + 2, width))
            ]

            def alike(name: str, at: tuple[int, int], around: list[tuple[int, int]] = around) -> bool:
                arrays = [getattr(each, name) for each in (one, other)]
                return all(np.array_equal(array[at], array[near]) for array in arrays for near in around)

            inner = alike("block", (y, x)) and alike("face", (y, x))
            inner_cell = inner and alike("cell", (y, x))
            differs = [
                name
                for name in ("block", "face", "light", "cell")
                if not np.array_equal(getattr(one, name)[y, x], getattr(other, name)[y, x])
            ]
            if any(inner if name in ("block", "face") else inner_cell for name in differs):
                wrong += 1
            elif differs:
                edges += 1
    return wrong, edges


@given(st.integers(0, 1 << 32), st.integers(1, 18), st.integers(1, 14))
def test_counts_are_those_of_a_plain_loop(seed: int, width: int, height: int) -> None:
    rng = np.random.default_rng(seed)
    one = shot(rng, (width, height), None)
    other = shot(rng, (width, height), one)
    layer = compare(CapturedView(one, None, ONE), CapturedView(other, None, OTHER), Tolerance(edge_share=1.0)).layer(
        SEMANTIC
    )
    wrong, edges = plain(one, other)
    assert (layer.numbers["inner_differing"], layer.numbers["edges_differing"]) == (wrong, edges)
    assert (layer.outcome is LayerOutcome.FAILED) == (wrong > 0)
