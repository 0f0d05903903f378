"""Verdicts on height maps are a plain twin's, and a surface kept step by step is the one found from scratch."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from hypothesis import example, given, settings
from hypothesis import strategies as st

from client.world.block_pools import BlockPools
from client.world.height_maps import UNKNOWN_TOP, HeightMaps, HeightVerdict
from client.world.lifecycle import SubChunkState
from client.world.places import PlaceTables
from net.space import ColumnPos
from net.subchunk.height_kernels import FULL
from net.subchunk.heights import HeightAnswer, joined_maps
from tests.support.reference import subchunk as twin
from tests.support.worlds import store as w
from tests.support.worlds.store import SEVEN, small_table

BLOCKS = (w.AIR, w.STONE, w.TORCH, w.LEAVES, w.WATER, w.GLASS)
FLOOR = SEVEN.floor_y_blocks

TABLE = small_table()
DENSE = {runtime_id: TABLE.dense_of_id(runtime_id) for runtime_id in BLOCKS}
DIMS = TABLE.opacity[3]


def ground(seed: int, density: float) -> npt.NDArray[np.uint16]:
    """A sub-chunk of mostly air, so that some columns are empty and some end in plants."""
    rng = np.random.default_rng(seed)
    ids = rng.choice(np.array([DENSE[block] for block in BLOCKS], np.uint16), 4096)
    ids[rng.random(4096) > density] = 0
    return ids


@dataclass
class World:
    """One column of a server, and what a client was told of it."""

    tables: PlaceTables = field(default_factory=lambda: PlaceTables(SEVEN, 4))
    pools: BlockPools = field(default_factory=lambda: BlockPools(TABLE, 64, 64))

    def __post_init__(self) -> None:
        self.row = self.tables.add(ColumnPos(0, 0))
        self.maps = HeightMaps(TABLE, self.pools, self.tables)
        self.maps.clear(self.row)
        self.blocks = np.zeros((7, 4096), np.uint16)
        self.second = np.zeros((7, 4096), np.uint16)

    @property
    def tops(self) -> list[int]:
        return self.tops_of("dimming")

    def tops_of(self, counted: str) -> list[int]:
        """The surface as servers see it that count what dims light, any block, or full ones of the first layer."""
        if counted == "full":
            return twin.true_tops(self.blocks, np.zeros_like(self.second), (DIMS == FULL).astype(np.uint8), FLOOR)
        counts = DIMS if counted == "dimming" else (np.arange(len(DIMS)) > 0).astype(np.uint8)
        return twin.true_tops(self.blocks, self.second, counts, FLOOR)

    def place(self, section: int) -> int:
        return self.row * 7 + section

    def shows(self, section: int) -> bool:
        return bool(self.tables.state[self.place(section)] == SubChunkState.DATA)

    def show(self, section: int) -> None:
        """The client's slots are as the server's blocks; slots by section, so that an edit needs no copy."""
        place, slot = self.place(section), 10 + section
        self.pools.blocks[slot] = self.blocks[section]
        self.pools.layer1[slot] = self.second[section]
        self.tables.slot[place] = self.tables.layer1_slot[place] = slot
        self.tables.state[place] = SubChunkState.DATA

    def answer(self, section: int, kind: HeightAnswer, heights: bytes | None) -> HeightVerdict:
        self.show(section)
        return self.take(section, kind, heights)

    def take(self, section: int, kind: HeightAnswer, heights: bytes | None) -> HeightVerdict:
        place = np.array([self.place(section)], np.int32)
        self.maps.take(place, *joined_maps(np.array([kind], np.uint8), [heights]))
        return HeightVerdict(int(self.maps.verdict[place[0]]))

    def edit(self, section: int, cell: int, block: int, layer: int) -> None:
        mine = self.second if layer else self.blocks
        mine[section, cell] = DENSE[block]
        if self.shows(section):
            self.follow(section, np.array([cell]))

    def follow(self, section: int, cells: npt.NDArray[np.int64]) -> None:
        """The client is told what the server's blocks are by now."""
        self.pools.blocks[10 + section, cells] = self.blocks[section, cells]
        self.pools.layer1[10 + section, cells] = self.second[section, cells]
        self.maps.edit(np.full(len(cells), self.place(section), np.int32), cells)


@given(
    seed=st.integers(0, 1 << 32),
    density=st.sampled_from([0.0, 0.02, 0.3, 1.0]),
    wet=st.sampled_from([0.0, 0.01]),
    spoilt=st.integers(0, 3),
    as_y=st.booleans(),
    roof=st.booleans(),
    counted=st.sampled_from(["dimming", "any", "full"]),
)
@settings(max_examples=150, deadline=None)
def test_verdicts_are_those_of_a_plain_twin(
    seed: int, density: float, wet: float, spoilt: int, as_y: bool, roof: bool, counted: str
) -> None:
    world = World()
    rng = np.random.default_rng(seed)
    world.blocks[3] = ground(seed, density)
    world.second[3, rng.random(4096) < wet] = DENSE[w.WATER]
    tops = world.tops_of(counted) if density < 1 else list(rng.integers(FLOOR, FLOOR + 112, 256))
    kind, heights = twin.honest_map(tops, FLOOR + 48, as_y=as_y)
    values = np.full(256, 16 if kind == HeightAnswer.ALL_TOO_HIGH else -1, np.int8)
    if heights is not None:
        values = np.frombuffer(bytearray(heights), np.int8)
        at = rng.integers(0, 256, spoilt)
        values[at] = rng.integers(-3, 19, spoilt)
        heights = values.tobytes()
    if roof:
        world.tables.state[world.place(4) : world.place(7)] = SubChunkState.KNOWN_AIR
    told = world.answer(3, kind, heights)
    assert told == twin.verdict(world.blocks[3], world.second[3], DIMS, values, roof)
    if not spoilt and density < 1:
        assert told != HeightVerdict.CONTRADICTS


steps = st.one_of(
    st.tuples(st.just("answer"), st.integers(0, 6), st.just(0), st.just(0), st.just(0)),
    st.tuples(st.just("dig"), st.just(0), st.integers(0, 2), st.just(0), st.just(0)),
    st.tuples(st.just("edit"), st.integers(0, 6), st.integers(0, 47), st.sampled_from(BLOCKS), st.integers(0, 1)),
)
"""Name, section, cell (of three block columns, so that edits meet), block, layer."""


def dig(world: World, column: int) -> None:
    """Takes the top block of a block column at x 0 away, where it is shown."""
    section, y = divmod(world.tops[column << 4] - 1 - FLOOR, 16)
    if section >= 0 and world.shows(section):
        for layer in range(2):
            world.edit(section, column << 4 | y, w.AIR, layer)


@given(seed=st.integers(0, 1 << 32), as_y=st.booleans(), script=st.lists(steps, max_size=25))
@settings(max_examples=60, deadline=None)
def test_a_surface_kept_step_by_step_is_the_one_found_from_scratch(
    seed: int, as_y: bool, script: list[tuple[str, int, int, int, int]]
) -> None:
    world = World()
    for section in range(4):
        world.blocks[section] = ground(seed + section, 0.05)
    for name, section, cell, block, layer in script:
        if name == "answer":
            kind, heights = twin.honest_map(world.tops, FLOOR + 16 * section, as_y=as_y)
            assert world.answer(section, kind, heights) != HeightVerdict.CONTRADICTS
        elif name == "dig":
            dig(world, cell)
        elif world.shows(section):
            world.edit(section, cell, block, layer)
        true = np.array(world.tops)
        kept = world.maps.tops[world.row]
        known = kept != UNKNOWN_TOP
        np.testing.assert_array_equal(kept[known], true[known])
    for section in range(7):
        world.show(section)
    np.testing.assert_array_equal(world.maps.column(world.row), world.tops)
    world.maps.whole(world.row)
    np.testing.assert_array_equal(world.maps.tops[world.row], world.tops)


late_steps = st.one_of(
    st.tuples(st.just("write"), st.just(0), st.just(0), st.just(0), st.just(0)),
    st.tuples(st.just("answer"), st.integers(0, 6), st.just(0), st.just(0), st.just(0)),
    st.tuples(st.just("edit"), st.integers(0, 6), st.integers(0, 47), st.sampled_from(BLOCKS), st.integers(0, 1)),
    st.tuples(st.just("edit"), st.integers(0, 6), st.sampled_from([0, 15]), st.sampled_from(BLOCKS), st.just(0)),
)


class LateWorld(World):
    """Its server writes all answers at a time; changes may come to the client before the answers do."""

    def write(self, counted: str, as_y: bool) -> None:
        """What of the world is not shown, as it is now."""
        tops = self.tops_of(counted)
        self.written = {
            section: (self.blocks[section].copy(), self.second[section].copy(), honest)
            for section in range(7)
            if not self.shows(section)
            for honest in [twin.honest_map(tops, FLOOR + 16 * section, as_y=as_y)]
        }

    def arrive(self, section: int) -> None:
        """The answer that was written comes, and behind it the changes that waited for it."""
        blocks, second, told = self.written.pop(section)
        now = self.blocks[section].copy(), self.second[section].copy()
        self.blocks[section], self.second[section] = blocks, second
        assert self.answer(section, *told) != HeightVerdict.CONTRADICTS
        self.blocks[section], self.second[section] = now
        self.follow(section, np.flatnonzero((blocks != now[0]) | (second != now[1])))

    def check_shown(self) -> None:
        """No block that is shown refutes the surface that is kept."""
        shown = [section for section in range(7) if self.shows(section)]
        dims = np.zeros((7, 4096), bool)
        dims[shown] = (DIMS[self.blocks[shown]] | DIMS[self.second[shown]]).astype(bool)
        upright = dims.reshape(7, 16, 16, 16).transpose(2, 1, 0, 3).reshape(256, 112)
        for column, top in enumerate(self.maps.tops[self.row].tolist()):
            if top != UNKNOWN_TOP:
                y = top - FLOOR
                assert not upright[column, y:].any(), f"a block above {top} at {column}"
                assert y == 0 or (y - 1) >> 4 not in shown or upright[column, y - 1], (
                    f"no block below {top} at {column}"
                )


@given(
    seed=st.integers(0, 1 << 32),
    as_y=st.booleans(),
    counted=st.sampled_from(["dimming", "any", "full"]),
    script=st.lists(late_steps, max_size=25),
)
@example(
    seed=0,
    as_y=False,
    counted="dimming",
    script=[
        ("edit", 3, 15, w.STONE, 0),
        ("write", 0, 0, 0, 0),
        ("edit", 3, 15, w.AIR, 0),
        ("answer", 3, 0, 0, 0),
        ("answer", 4, 0, 0, 0),
    ],
)  # the top below the border is gone
@example(
    seed=0,
    as_y=False,
    counted="dimming",
    script=[("write", 0, 0, 0, 0), ("edit", 5, 15, w.STONE, 0), ("answer", 5, 0, 0, 0), ("answer", 3, 0, 0, 0)],
)  # a block above came before the map below
@example(
    seed=0,
    as_y=False,
    counted="any",
    script=[("edit", 3, 15, w.TORCH, 0), ("answer", 4, 0, 0, 0), ("answer", 3, 0, 0, 0)],
)  # a plant below the border
@settings(max_examples=60, deadline=None)
def test_known_blocks_beat_maps_that_are_older_than_changes(
    seed: int, as_y: bool, counted: str, script: list[tuple[str, int, int, int, int]]
) -> None:
    world = LateWorld()
    for section in range(4):
        world.blocks[section] = ground(seed + section, 0.05)
    world.write(counted, as_y)
    for name, section, cell, block, layer in [*script, *[("answer", section, 0, 0, 0) for section in range(7)]]:
        if name == "write":
            world.write(counted, as_y)
        elif name == "edit":
            world.edit(section, cell, block, layer)
        elif section in world.written:
            world.arrive(section)
        world.check_shown()
    np.testing.assert_array_equal(world.maps.column(world.row), world.tops)
