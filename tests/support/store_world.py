"""A small store to be told things, with a palette of a dozen blocks."""

import numpy as np

from client.world.block_pools import BlockPools
from client.world.block_table import BlockTable
from client.world.reports import AnswerReport
from client.world.store import Store
from net.palette import BlockState, Palette
from net.space.dimensions import OVERWORLD, Dimension
from net.space.layout import BlockIds
from net.space.positions import ColumnPos, SubChunkPos
from net.subchunk.encode import SubChunkEncoder

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
"""Runtime ids, which are local ids too."""

SEVEN = Dimension(7, "seven", -2, 7, True)
"""Sections -2..4."""


def small_palette() -> Palette:
    return Palette([BlockState(f"minecraft:{name}", ()) for name in NAMES])


def small_table() -> BlockTable:
    return BlockTable.build(small_palette())


class StoreWorld:
    """A store, and short words for telling it things. ``now`` goes up by one with each."""

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
        """Entries of (position, result, payload) without height maps."""
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
        """Names of the blocks that a sub-chunk shows, without name space."""
        shown = np.unique(self.store.blocks_of(SubChunkPos(*position)))
        return {self.table.states[int(dense)].name.removeprefix("minecraft:") for dense in shown}

    def state(self, position: tuple[int, int, int]) -> int:
        return int(self.store.state[self.store.place_of(SubChunkPos(*position))])


def mixed(*runtime_ids: int, seed: int = 0) -> BlockIds:
    """A sub-chunk of these blocks in no order, every one of them present."""
    rng = np.random.default_rng(seed)
    ids = rng.choice(np.array(runtime_ids, np.uint16), 4096)
    ids[: len(runtime_ids)] = runtime_ids
    return ids


OVERWORLD_SECTIONS = OVERWORLD.sections
