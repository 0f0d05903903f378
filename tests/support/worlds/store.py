"""Small stores for tests.

- ``StoreWorld``: a store with a palette of a dozen blocks that tests fill.
- ``ToldStore``: a store with light that receives random messages; two of one table can receive the same messages.
- ``World``: a store's arrays as the request planner reads them.
"""

from dataclasses import dataclass, field

import numpy as np

from client.light.light_map import LightMap
from client.visibility import derive_connectivity
from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.changes import ChangeKind
from client.world.places import NO_LIMIT
from client.world.reports import AnswerReport
from client.world.store import Store
from net.arrays import BlockIds
from net.palette import BlockState, Palette
from net.space import NETHER, OVERWORLD, BlockPos, ColumnPos, Dimension, SubChunkPos
from net.subchunk.encode import SubChunkEncoder, subchunk
from net.subchunk.heights import HeightAnswer
from tests.support.reference.light import light_of_clusters

# ---------------------------------------------------------------- store world

NAMES = (
    "air",
    "stone",
    "dirt",
    "water",
    "lava",
    "torch",
    "leaves",
    "glass",
    "client_request_placeholder_block",
    "glowstone",
    "seagrass",
)
AIR, STONE, DIRT, WATER, LAVA, TORCH, LEAVES, GLASS, PLACEHOLDER, GLOWSTONE, SEAGRASS = range(len(NAMES))
"""Runtime ids, which are also local ids."""

SEVEN = Dimension(7, "seven", -2, 7, True)
"""Sections -2..4."""


def small_palette() -> Palette:
    return Palette([BlockState(f"minecraft:{name}", ()) for name in NAMES])


def small_table() -> BlockTable:
    return BlockTable.build(small_palette())


class StoreWorld:
    """A store with short methods that send it messages; each advances ``now`` by one second."""

    def __init__(self, dimension: Dimension = SEVEN, capacity: int = 4096, palette: Palette | None = None) -> None:
        self.table = BlockTable.build(palette or small_palette())
        self.pools = BlockPools(self.table, capacity, 256)
        self.store = Store(self.table, self.pools, dimension)
        self.reader = self.store.changes.subscribe()
        self.encoder = SubChunkEncoder(np.arange(len(NAMES), dtype=np.int64))
        self.now = 0.0

    def tick(self) -> float:
        self.now += 1.0
        return self.now

    def payload(self, layer0: BlockIds, layer1: BlockIds | None = None, section: int = 0) -> bytes:
        second = None if layer1 is None else layer1.reshape(1, 4096)
        return self.encoder.encode(layer0.reshape(1, 4096), second, section)[0] or b"\x09\x00\x00"

    def announce(self, x: int = 0, z: int = 0, limit: int | None = None) -> None:
        assert self.store.announce(ColumnPos(x, z), limit, b"\x01\x04\x00", self.tick()) == ()

    def answer(self, *entries: tuple[tuple[int, int, int], int, bytes]) -> AnswerReport:
        """Answers with entries of (position, result, payload), without height maps."""
        count = len(entries)
        return self.store.answer(
            np.array([entry[0] for entry in entries], np.int32).reshape(-1, 3),
            np.array([entry[1] for entry in entries], np.uint8),
            [entry[2] for entry in entries],
            np.zeros(count, np.uint8),
            [None] * count,
            self.tick(),
        )

    def names(self, position: tuple[int, int, int]) -> set[str]:
        """Names of the blocks in a sub-chunk, without namespace."""
        shown = np.unique(self.store.blocks_of(SubChunkPos(*position)))
        return {self.table.states[int(dense)].name.removeprefix("minecraft:") for dense in shown}

    def state(self, position: tuple[int, int, int]) -> int:
        return int(self.store.state[self.store.place_of(SubChunkPos(*position))])


def mixed(*runtime_ids: int, seed: int = 0) -> BlockIds:
    """A sub-chunk of these blocks in random order; each occurs at least once."""
    rng = np.random.default_rng(seed)
    ids = rng.choice(np.array(runtime_ids, np.uint16), 4096)
    ids[: len(runtime_ids)] = runtime_ids
    return ids


OVERWORLD_SECTIONS = OVERWORLD.sections


# ---------------------------------------------------------------- told store

DIMENSION = Dimension(0, "small", -1, 3, True)
TOLD_STORE_NAMES = (
    "air",
    "stone",
    "water",
    "glass",
    "torch",
    "glowstone",
    "leaves",
    "lava",
    "stained_glass",
    "sapling",
)


class ToldStore:
    """A store with its light, and a random sender of messages."""

    def __init__(
        self,
        palette: Palette,
        rng: np.random.Generator,
        table: BlockTable | None = None,
        dimension: Dimension = DIMENSION,
    ) -> None:
        self.rng = rng
        table = table or BlockTable.build(palette)
        self.store = Store(table, BlockPools(table, 4096), dimension)
        self.light = LightMap(self.store, 4096)
        self.changes = self.store.changes.subscribe()
        first = {state.name: index for index, state in reversed(list(enumerate(palette.states)))}
        self.ids = np.array([first[f"minecraft:{name}"] for name in TOLD_STORE_NAMES], np.int64)
        self.rows: set[int] = set()
        self.edits: list[tuple[int, int]] = []

    def column(self) -> ColumnPos:
        return ColumnPos(*(int(v) for v in self.rng.integers(0, 3, 2)))

    def act(self) -> None:
        column = self.column()
        kind = self.rng.random()
        if column not in self.store.row_of or kind < 0.1:
            limit = None if self.rng.random() < 0.5 else int(self.rng.integers(0, 3))
            self.store.announce(column, limit, b"", 0.0)
        elif kind < 0.15:
            self.store.forget(column)
        elif kind < 0.7:
            self.answer(column)
        else:
            self.edit(column)

    def answer(self, column: ColumnPos) -> None:
        sections = self.rng.permutation(3)[: self.rng.integers(1, 4)]
        ys = (sections + DIMENSION.floor_section).tolist()
        positions = np.array([(column.x, y, column.z) for y in ys], np.int32)
        results = self.rng.choice([1, 1, 1, 6], len(ys)).astype(np.uint8)
        payloads = [self.blocks(y) if result == 1 else b"" for y, result in zip(ys, results.tolist(), strict=True)]
        kinds = self.rng.choice([int(kind) for kind in HeightAnswer], len(ys)).astype(np.uint8)
        heights = [self.rng.integers(-1, 17, 256).astype(np.int8).tobytes() for _ in sections]
        self.store.answer(positions, results, payloads, kinds, list(heights), 0.0)

    def blocks(self, section: int) -> bytes:
        density = self.rng.choice([0.02, 0.3, 0.8])
        ids = np.where(self.rng.random(4096) < density, self.rng.integers(1, len(TOLD_STORE_NAMES), 4096), 0)
        layers = [ids.astype(np.uint16)]
        if self.rng.random() < 0.2:
            layers.append(np.where(self.rng.random(4096) < density, 2, 0).astype(np.uint16))
        return subchunk(layers, self.ids, section)

    def edit(self, column: ColumnPos) -> None:
        for _ in range(int(self.rng.integers(1, 90))):
            x, y, z = self.rng.integers(0, 16), self.rng.integers(-16, 32), self.rng.integers(0, 16)
            position = BlockPos(column.x * 16 + int(x), int(y), column.z * 16 + int(z))
            self.store.update_block(position, 0, int(self.rng.choice(self.ids)))

    def drain(self) -> None:
        """Ends a drain, and records which light is outdated."""
        derive_connectivity(self.store.pools, self.store.finish_drain())
        self.store.pools.reclaim(self.store.pools.epoch)
        batch = self.changes.drain()
        for index, (place, kind) in enumerate(zip(batch.places.tolist(), batch.kinds.tolist(), strict=True)):
            cells = batch.edits[batch.edit_starts[index] : batch.edit_starts[index + 1]]
            if kind == ChangeKind.EDIT and len(cells):
                self.edits += [(place, int(cell)) for cell in cells]
            elif kind != ChangeKind.STATE:
                self.rows.add(place // self.store.dimension.sections)

    def relight(self, most: int) -> None:
        """One light step, of edits or of some rows, at random."""
        sections = self.store.dimension.sections
        self.edits = [(place, cell) for place, cell in self.edits if place // sections not in self.rows]
        if self.edits and self.rng.random() < 0.6:
            places, cells = np.array(self.edits, np.int32).T
            self.edits = []
            self.light.publish(self.light.run(self.light.prepare_edits(self.store, places, cells)))
        elif self.rows:
            rows = self.rng.permutation(sorted(self.rows))[:most]
            self.light.step(self.store, rows)
            self.rows -= set(rows.tolist())

    def live(self, acts: int, relit: float = 0.7) -> None:
        """Runs so many random actions, with a drain after most of them and light after some drains."""
        for _ in range(acts):
            self.act()
            if self.rng.random() < 0.6:
                self.drain()
                if self.rng.random() < relit:
                    self.relight(int(self.rng.integers(1, 4)))
        self.drain()

    def finish_light(self) -> None:
        """Relights until no light is outdated."""
        while self.rows or self.edits:
            self.relight(3)

    def check_light(self) -> None:
        """Asserts that the light equals the reference."""
        for place, expected in light_of_clusters(self.store):
            got = self.light.values[self.light.table[place]]
            wrong = np.flatnonzero(got != expected)
            assert not len(wrong), f"place {place} cell {wrong[0]}: {got[wrong[0]]:04x}, not {expected[wrong[0]]:04x}"


# ---------------------------------------------------------------- planned world


@dataclass
class World:
    """A store's arrays: columns -4..4 along x with the Nether's height; nothing is known."""

    dimension: Dimension = NETHER
    columns: np.ndarray = field(default_factory=lambda: np.array([[0, 0]] + [[x, 0] for x in range(-4, 5)], np.int32))
    announced_rows: np.ndarray = field(default_factory=lambda: np.arange(1, 10, dtype=np.int32))
    limit: np.ndarray = field(default_factory=lambda: np.full(10, NO_LIMIT, np.int32))
    state: np.ndarray = field(default_factory=lambda: np.zeros(80, np.uint8))

    def place(self, x: int, y: int) -> int:
        return (x + 5) * 8 + y

    def positions_of(self, places: np.ndarray) -> np.ndarray:
        """As ``PlaceTables.positions_of``."""
        columns, sections = self.columns[places // self.dimension.sections], self.dimension.sections
        return np.stack([columns[:, 0], places % sections + self.dimension.floor_section, columns[:, 1]], axis=1)
