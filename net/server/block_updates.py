"""Changes of blocks on their way to one client (seed 003).

Rules:
1. A change waits as a place, not as a block: what is sent is what stands there when it goes, once.
2. Only who has a sub-chunk is told of it; a client that was sent a newer version of it meanwhile is not told again.
3. Sub-chunks of the highest priority go first, each within one packet; they cost the budget of chunk data.

Who built a block is told by ``actor_id`` of UpdateBlockSynced or of UpdateSubChunkBlocks, with transition 0: no entity
stands for the block.

Limits: places wait for sub-chunks of the client's area alone, 8,192 a sub-chunk.
"""

import math
from typing import Final

from net.bedrock import BlockChange, Message, UpdateBlock, UpdateBlockSynced, UpdateSubChunkBlocks
from net.server.block_ids import BlockIdForm
from net.server.column_provider import ColumnProvider
from net.server.player_priority import Priorities
from net.server.sent_chunks import SentChunks
from net.space import BlockPos, ColumnPos, Dimension

UPDATE_FLAGS: Final = 3
"""Neighbours and network: how a real server marks an ordinary change."""
UPDATE_BYTES: Final = 12
"""Of one block on the wire, as they are on average."""

Cell = tuple[BlockPos, int]
"""A place and its layer."""


class BlockUpdates:
    """One client's; see the module. ``provider``: of the columns. ``dimension``: where it plays."""

    def __init__(self, provider: ColumnProvider, dimension: Dimension) -> None:
        self._provider = provider
        self._floor = dimension.floor_section
        self._waiting: dict[tuple[ColumnPos, int], dict[Cell, int]] = {}  # the last builders

    @property
    def owed(self) -> bool:
        """Whether the client is to be told of something."""
        return bool(self._waiting)

    def record(self, position: BlockPos, layer: int, builder: int, tracking: SentChunks) -> None:
        """A block changed. ``builder``: the entity that did it, 0 for none. ``tracking``: what the client has."""
        column, index = position.column, (position.y >> 4) - self._floor
        if tracking.version_of(column, index) is not None:
            self._waiting.setdefault((column, index), {})[position, layer] = builder

    def next_message(self, tracking: SentChunks, form: BlockIdForm, needs: Priorities) -> tuple[Message, int] | None:
        """What the client is told next, and its size in bytes; None for nothing.

        ``form``: how it reads blocks. ``needs``: its priorities.
        """
        centre = tracking.position.column
        while self._waiting:
            place = min(
                self._waiting,
                key=lambda key: needs.get(key[0], math.hypot(key[0].x - centre.x, key[0].z - centre.z)),
            )
            cells = self._waiting.pop(place)
            column, index = place
            snapshot = self._provider.snapshot(column)
            version, held = snapshot.version(index).number, tracking.version_of(column, index)
            if held is None or held >= version or not tracking.send(column, index, version):
                continue
            layers: tuple[list[BlockChange], list[BlockChange]] = ([], [])
            ids = form.runtime_ids
            for (position, layer), builder in cells.items():
                local_id = snapshot.local_id(index, position.in_subchunk, layer)
                layers[layer].append(BlockChange(position, int(ids[local_id]), UPDATE_FLAGS, builder))
            return _message(column, self._floor + index, *layers), UPDATE_BYTES * len(cells)
        return None


def _message(column: ColumnPos, section: int, layer0: list[BlockChange], layer1: list[BlockChange]) -> Message:
    if len(layer0) + len(layer1) == 1:
        change = (layer0 or layer1)[0]
        layer = 0 if layer0 else 1
        if change.actor_id:
            return UpdateBlockSynced(change.position, change.runtime_id, UPDATE_FLAGS, layer, change.actor_id)
        return UpdateBlock(change.position, change.runtime_id, UPDATE_FLAGS, layer)
    base = BlockPos(column.x << 4, section << 4, column.z << 4)
    return UpdateSubChunkBlocks(base, tuple(layer0), tuple(layer1))
