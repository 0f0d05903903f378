"""A paged volume reads in a shader as the plain world does in numpy, wherever one walks.

Paged follows a plain world: A paged volume holds what a dictionary of arrays holds, whatever is done to it, and its
books balance.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shaders
from render.gpu import Gpu, OutOfPages, Unit
from render.gpu.brick_volume import BRICK_BYTES, BrickAtlas, PagedVolume
from render.gpu.page_table import LEFT_OUT
from tests.support.data.failing_gl import without_copies, without_memory

# ---------------------------------------------------------------- paged

pytestmark = pytest.mark.gpu

UNITS = (Unit.LIGHT_ATLAS, Unit.LIGHT_TABLE)
VERTEX = """#version 330
void main() { gl_Position = vec4(vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1), 0.0, 1.0); }"""
FRAGMENT = """#version 330
uniform usampler3D light_table; uniform usampler3D light_atlas; uniform isampler2D asked; uniform ivec3 mask;
out uint value;
void main() { value = value_at(light_table, light_atlas, mask, texelFetch(asked, ivec2(gl_FragCoord.xy), 0).xyz); }"""

Position = tuple[int, int, int]


def looked_up(gpu: Gpu, volume: PagedVolume, blocks: np.ndarray) -> np.ndarray:
    """Values of blocks [n, 3] through the shaders' own look-up; n is a multiple of 100."""
    bricks = shaders.read("include/bricks.glsl")
    fragment = FRAGMENT.replace("out uint value;", "out uint value;\n" + bricks)
    program = gpu.ctx.program(vertex_shader=VERTEX, fragment_shader=fragment)
    program["light_atlas"], program["light_table"] = int(UNITS[0]), int(UNITS[1])
    program["asked"], program["mask"] = 9, volume.table_mask
    size = (100, len(blocks) // 100)
    wide = np.column_stack([blocks, np.zeros(len(blocks))]).astype(np.int32)
    asked = gpu.ctx.texture(size, 4, wide.tobytes(), dtype="i4")
    answer = gpu.ctx.texture(size, 1, dtype="u4")
    framebuffer = gpu.ctx.framebuffer([answer])
    array = gpu.ctx.vertex_array(program, [])
    framebuffer.use()
    gpu.ctx.enable_only(gpu.ctx.NOTHING)
    volume.bind()
    asked.use(9)
    array.render(vertices=3)
    gpu.wait()
    values = np.frombuffer(framebuffer.read(components=1, dtype="u4"), np.uint32)
    gpu.park()
    for thing in (array, framebuffer, answer, asked, program):
        thing.release()
    return values


class Walk:
    """A volume and the plain world beside it."""

    def __init__(self, gpu: Gpu, volume: PagedVolume, seed: int) -> None:
        self.gpu, self.volume = gpu, volume
        self.rng = np.random.default_rng(seed)
        self.world: dict[Position, np.ndarray] = {}

    def load(self, positions: list[Position]) -> None:
        """A third uniform, a third bricks, a third left out."""
        kinds = self.rng.integers(0, 3, len(positions))
        uniform = [p for p, kind in zip(positions, kinds, strict=True) if kind == 0]
        bricks = [p for p, kind in zip(positions, kinds, strict=True) if kind == 1]
        values = self.rng.integers(0, 65536, len(uniform)).astype(np.uint16)
        pool = self.rng.integers(0, 65536, (len(bricks), 4096)).astype(np.uint16)
        self.volume.set_uniform(np.array(uniform, np.int32).reshape(-1, 3), values)
        self.volume.set_bricks(np.array(bricks, np.int32).reshape(-1, 3), pool, np.arange(len(bricks), dtype=np.int32))
        self.world.update(
            {p: np.full((16, 16, 16), value, np.uint16) for p, value in zip(uniform, values, strict=True)}
        )
        self.world.update({p: part.reshape(16, 16, 16) for p, part in zip(bricks, pool, strict=True)})

    def unload(self, positions: list[Position]) -> None:
        """Removes them, there or not."""
        self.volume.remove(np.array(positions, np.int32))
        for position in positions:
            self.world.pop(position, None)

    def check(self, low: Position, high: Position) -> None:
        """Twenty thousand random blocks of a box of sub-chunks."""
        self.volume.shrink()
        self.volume.flush()
        span = np.array(high) * 16 - np.array(low) * 16
        blocks = np.array(low) * 16 + (self.rng.random((20000, 3)) * span).astype(np.int64)
        expected = [
            self.world[key][x & 15, z & 15, y & 15] if (key := (x >> 4, y >> 4, z >> 4)) in self.world else 0
            for x, y, z in blocks.tolist()
        ]
        assert np.array_equal(looked_up(self.gpu, self.volume, blocks), expected)


def test_a_walk_of_forty_subchunks_wraps_around_the_table(gpu: Gpu) -> None:
    volume = PagedVolume(gpu, "test", UNITS, table_size=(16, 8, 16), first_bricks=256)
    walk = Walk(gpu, volume, 5)
    walk.load([(x, y, z) for x in range(-27, -17) for y in range(-3, 3) for z in range(-5, 5)])
    for x in range(-27, 13):
        walk.unload([(x, y, z) for y in range(-3, 3) for z in range(-5, 5)])
        walk.load([(x + 10, y, z) for y in range(-3, 3) for z in range(-5, 5)])
    assert volume.stats().growths == 0
    walk.check((12, -4, -6), (24, 4, 6))
    assert volume.stats().entries == len(walk.world)
    volume.release()


def test_the_table_grows_before_two_places_share_an_entry(gpu: Gpu) -> None:
    volume = PagedVolume(gpu, "test", UNITS, table_size=(8, 8, 8), first_bricks=256)
    walk = Walk(gpu, volume, 6)
    for x in range(-9, 9):
        walk.load([(x, y, z) for y in range(5) for z in range(x & 3, 6)])
    assert volume.stats().growths > 0
    walk.check((-10, -1, -1), (10, 6, 7))
    volume.release()


def test_bricks_are_used_again_and_read_back(gpu: Gpu) -> None:
    volume = PagedVolume(gpu, "test", UNITS, first_bricks=256)
    here = np.array([(3, -2, 7)], np.int32)
    pool = np.random.default_rng(3).integers(0, 65536, (2, 4096)).astype(np.uint16)
    volume.set_bricks(here, pool, np.array([0], np.int32))
    volume.set_bricks(here, pool, np.array([1], np.int32))
    volume.flush()
    assert volume.stats().bricks_used == 1
    assert np.array_equal(volume.values_of(here)[0], pool[1])
    volume.set_uniform(here, np.array([0xF000]))
    volume.flush()
    assert volume.stats().bricks_used == 0
    assert (volume.values_of(here) == 0xF000).all()
    volume.clear()
    volume.flush()
    assert (volume.values_of(here) == 0).all()
    assert volume.stats().entries == 0
    volume.release()


def test_the_atlas_grows_with_its_content(gpu: Gpu) -> None:
    volume = PagedVolume(gpu, "test", UNITS, first_bricks=256)
    walk = Walk(gpu, volume, 8)
    walk.load([(x, y, z) for x in range(12) for y in range(8) for z in range(12)])
    assert volume.stats().bricks > 256
    walk.check((-1, -1, -1), (13, 9, 13))
    volume.release()


@pytest.mark.parametrize("copies", [True, False])
def test_atlas_and_table_shrink_by_halves_when_their_content_goes(
    gpu: Gpu, copies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not copies:
        without_copies(gpu, monkeypatch)
    volume = PagedVolume(gpu, "test", UNITS, table_size=(8, 8, 8), first_bricks=256)
    walk = Walk(gpu, volume, 9)
    everything = [(x, y, z) for x in range(30) for y in range(6) for z in range(14)]
    walk.load(everything)
    large = volume.stats()
    walk.rng.shuffle(everything)
    sizes = []
    while everything:
        walk.unload(everything[:120])
        everything = everything[120:]
        walk.check((-1, -1, -1), (31, 7, 15))
        sizes.append(volume.stats().bricks)
    assert large.bricks > 512
    assert sizes == sorted(sizes, reverse=True)
    assert volume.stats().bricks == 256
    for _ in range(8):  # one halving a flush
        volume.remove(np.zeros((1, 3), np.int32))
        volume.set_uniform(np.zeros((1, 3), np.int32), np.zeros(1, np.uint32))
        volume.remove(np.zeros((1, 3), np.int32))
        volume.shrink()
    assert volume.table_mask == (7, 7, 7)
    assert volume.stats().gpu_bytes == 256 * BRICK_BYTES + 8 * 8 * 8 * 4
    volume.release()


def test_bricks_that_come_together_are_joined(gpu: Gpu) -> None:
    volume = PagedVolume(gpu, "test", UNITS, first_bricks=4096)
    walk = Walk(gpu, volume, 10)
    places = np.array([(x, y, z) for x in range(20) for y in range(5) for z in range(10)], np.int32)
    pool = walk.rng.integers(0, 65536, (1000, 4096)).astype(np.uint16)
    volume.set_bricks(places, pool, np.arange(1000, dtype=np.int32))
    walk.world = {tuple(p): part.reshape(16, 16, 16) for p, part in zip(places.tolist(), pool, strict=True)}
    walk.check((-1, -1, -1), (21, 6, 11))
    assert volume.stats().writes <= 1000 // 16 + 1
    assert volume.stats().brick_bytes == 1000 * BRICK_BYTES
    volume.release()


def test_what_is_left_out_takes_no_brick_and_reads_as_no_value(gpu: Gpu) -> None:
    volume = PagedVolume(gpu, "test", UNITS, first_bricks=256)
    here = np.array([(1, 1, 1)], np.int32)
    volume.set_bricks(here, np.ones((1, 4096), np.uint16), np.zeros(1, np.int32))
    volume.leave_out(here)
    volume.flush()
    assert (volume.stats().left_out, volume.stats().bricks_used, volume.stats().entries) == (1, 0, 1)
    assert (looked_up(gpu, volume, np.full((100, 3), 20)) == LEFT_OUT).all()
    volume.release()


def test_a_driver_without_memory_keeps_what_there_is(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    volume = PagedVolume(gpu, "test", UNITS, first_bricks=256)
    walk = Walk(gpu, volume, 11)
    places = np.array([(x, y, z) for x in range(10) for y in range(3) for z in range(10)], np.int32)
    pool = walk.rng.integers(0, 65536, (300, 4096)).astype(np.uint16)
    volume.set_bricks(places[:200], pool, np.arange(200, dtype=np.int32))
    with without_memory(gpu), pytest.raises(OutOfPages, match="test atlas: 100 more do not fit into 256"):
        volume.set_bricks(places[200:], pool, np.arange(200, 300, dtype=np.int32))
    assert volume.limit == 256
    volume.set_bricks(places[200:250], pool, np.arange(200, 250, dtype=np.int32))
    walk.world = {tuple(p): part.reshape(16, 16, 16) for p, part in zip(places[:250].tolist(), pool, strict=False)}
    walk.check((-1, -1, -1), (11, 4, 11))
    volume.release()


def test_a_full_atlas_takes_nothing(gpu: Gpu) -> None:
    atlas = BrickAtlas(gpu, "little", Unit.LIGHT_ATLAS, first_bricks=256, limit_bricks=256)
    atlas.take(250)
    with pytest.raises(OutOfPages, match="little: 7 more do not fit into 256"):
        atlas.take(7)
    assert len(atlas.take(6)) == 6
    atlas.release()


def test_a_table_without_memory_to_grow_keeps_what_it_has(gpu: Gpu, caplog: pytest.LogCaptureFixture) -> None:
    volume = PagedVolume(gpu, "light", UNITS, table_size=(8, 4, 8), first_bricks=256)
    here = np.array([(x, 0, z) for x in range(4) for z in range(4)], np.int32)
    volume.set_uniform(here, np.arange(16) + 1)
    far = np.array([(5, 0, 0), (40, 0, 0), (4, 0, 1), (8, 0, 0), (5, 1, 3)], np.int32)  # 8 would be 0's entry
    with without_memory(gpu):
        for _ in range(2):
            assert volume.place(far).tolist() == [True, False, True, False, True]
            with pytest.raises(OutOfPages, match="light table"):
                volume.set_uniform(far, np.arange(5) + 100)
    assert caplog.text.count("no GPU memory for a page table") == 1
    kept = far[[0, 2, 4]]
    volume.set_uniform(kept, np.arange(3) + 100)
    volume.flush()
    entries = volume.entries()
    assert entries.shape == (8, 8, 4)
    assert entries[volume.index_of(here)].tolist() == list(range(1, 17))
    assert entries[volume.index_of(kept)].tolist() == [100, 101, 102]
    volume.remove(here)
    volume.remove(kept)
    assert volume.place(far[[1]]).all(), "there is room elsewhere when all else went"
    volume.release()


# ---------------------------------------------------------------- paged follows a plain world

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
    assert stats.bricks_used <= stats.bricks <= stats.limit_bricks <= LIMIT
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
