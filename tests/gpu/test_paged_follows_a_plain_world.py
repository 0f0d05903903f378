"""A paged volume holds what a dictionary of arrays holds, whatever is done to it, and its books balance."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from render.gpu import Gpu, OutOfPages, Unit
from render.gpu.brick_atlas import BRICK_BYTES
from render.gpu.brick_volume import PagedVolume
from render.gpu.page_table import LEFT_OUT
from tests.support.data.failing_gl import without_memory

pytestmark = pytest.mark.gpu

Position = tuple[int, int, int]
LIMIT = 512

boxes = st.tuples(
    st.tuples(st.integers(-40, 40), st.integers(-4, 4), st.integers(-40, 40)),
    st.tuples(st.integers(1, 9), st.integers(1, 4), st.integers(1, 9)),
)
moves = st.tuples(st.sampled_from(["bricks", "uniform", "leave out", "remove", "clear", "no memory", "flush"]), boxes)


class Plain:
    """The twin: one array a sub-chunk, or None for what was left out."""

    def __init__(self) -> None:
        self.held: dict[Position, np.ndarray | None] = {}
        self.bricks: set[Position] = set()

    def put(self, places: list[Position], values: list[np.ndarray | None], bricks: bool) -> None:
        self.held.update(zip(places, values, strict=True))
        self.bricks = self.bricks | set(places) if bricks else self.bricks - set(places)

    def drop(self, places: list[Position]) -> None:
        for place in places:
            self.held.pop(place, None)
        self.bricks -= set(places)


def places_in(box: tuple[Position, Position]) -> list[Position]:
    (x, y, z), (a, b, c) = box
    return [(x + i, y + j, z + k) for i in range(a) for j in range(b) for k in range(c)]


def do(
    volume: PagedVolume, plain: Plain, gpu: Gpu, move: str, places: list[Position], rng: np.random.Generator
) -> None:
    at = np.array(places, np.int32)
    if move == "uniform":
        values = rng.integers(0, 65536, len(at)).astype(np.uint16)
        volume.set_uniform(at, values)
        plain.put(places, [np.full(4096, value, np.uint16) for value in values], bricks=False)
    elif move == "leave out":
        volume.leave_out(at)
        plain.put(places, [None] * len(places), bricks=False)
    elif move in ("remove", "clear"):
        gone = places if move == "remove" else list(plain.held)
        volume.clear() if move == "clear" else volume.remove(at)
        plain.drop(gone)
    elif move == "flush":
        volume.flush()
    elif len(plain.bricks | set(places)) <= (volume.stats().bricks if move == "no memory" else volume.limit):
        pool = rng.integers(0, 65536, (len(at), 4096)).astype(np.uint16)
        slots = rng.permutation(len(at)).astype(np.int32)
        volume.set_bricks(at, pool, slots)
        plain.put(places, [pool[slot] for slot in slots], bricks=True)
    elif move == "bricks":
        with pytest.raises(OutOfPages):
            volume.set_bricks(at, np.zeros((1, 4096), np.uint16), np.zeros(len(at), np.int32))
        volume.remove(at)
        plain.drop(places)


def check(volume: PagedVolume, plain: Plain) -> None:
    volume.shrink()
    volume.flush()
    table, stats = volume.entries(), volume.stats()
    places = np.array(sorted(plain.held), np.int32).reshape(-1, 3)
    entries, values = table[volume.index_of(places)], volume.values_of(places)
    for place, entry, mine in zip(map(tuple, places.tolist()), entries.tolist(), values, strict=True):
        expected = plain.held[place]
        assert (entry == LEFT_OUT) == (expected is None), place
        assert expected is None or np.array_equal(mine, expected), place
    assert stats.entries == len(plain.held)
    assert stats.left_out == sum(values is None for values in plain.held.values())
    assert stats.bricks_used == len(plain.bricks) == np.count_nonzero(table & 0x80000000)
    assert stats.bricks_used + stats.bricks_free == stats.bricks <= stats.limit_bricks <= LIMIT
    assert stats.gpu_bytes == stats.bricks * BRICK_BYTES + table.nbytes


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(moves, min_size=1, max_size=14), seed=st.integers(0, 2**31))
def test_whatever_is_done(gpu: Gpu, steps: list[tuple[str, tuple[Position, Position]]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    units = (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE)
    volume = PagedVolume(gpu, "test", units, table_size=(8, 8, 8), first_bricks=256, limit_bricks=LIMIT)
    plain = Plain()
    try:
        for move, box in steps:
            places = places_in(box)
            if move == "no memory" and len(plain.bricks | set(places)) <= volume.stats().bricks:
                volume.set_uniform(np.array(places, np.int32), np.zeros(len(places), np.uint32))  # the table may grow
                with without_memory(gpu):
                    do(volume, plain, gpu, move, places, rng)
            elif move != "no memory":
                do(volume, plain, gpu, move, places, rng)
            check(volume, plain)
    finally:
        volume.release()
