"""Changes of blocks (wire.md 2.4).

UpdateBlock: one block changes.
UpdateBlockSynced: one block changes together with an entity that represents it.
UpdateSubChunkBlocks: many blocks of one sub-chunk change at once. Positions are absolute, so ``base`` is redundant.
Sources differ on the sign of its y before protocol 944; both readings take the same bytes, and ours is the unsigned one
of three implementations.
BlockActorData: the block entity at one position.
"""

from typing import Annotated, NamedTuple

from net.bedrock.packets.packet import Blocks, Message, Sender, packet
from net.nbt import ROOT, Compound
from net.space import BlockPos, ColumnPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import BLOCK_POS, UV32, UV64, Dialect, Kind, by_dialect, listed

__all__ = ["BlockActorData", "BlockChange", "UpdateBlock", "UpdateBlockSynced", "UpdateSubChunkBlocks"]


@packet(21, Sender.SERVER, blocks=Blocks.CHANGED)
class UpdateBlock(Message, frozen=True):
    """One block of one layer."""

    position: Annotated[BlockPos, BLOCK_POS]  # absolute
    runtime_id: Annotated[int, UV32]  # also unsigned if ids are hashes
    flags: Annotated[int, UV32] = 3  # 1 neighbours, 2 network, 4 no graphics; a viewer ignores them
    layer: Annotated[int, UV32] = 0  # 0 the block, 1 the liquid it stands in

    def columns(self) -> tuple[ColumnPos, ...]:
        return (self.position.column,)


@packet(110, Sender.SERVER, blocks=Blocks.CHANGED)
class UpdateBlockSynced(Message, frozen=True):
    """One block of one layer, for example sand that starts to fall."""

    position: Annotated[BlockPos, BLOCK_POS]  # absolute
    runtime_id: Annotated[int, UV32]  # also unsigned if ids are hashes
    flags: Annotated[int, UV32] = 3  # as in UpdateBlock
    layer: Annotated[int, UV32] = 0  # as in UpdateBlock
    actor_id: Annotated[int, UV64] = 0  # as in BlockChange; sources differ on its sign, not on its length
    transition: Annotated[int, UV64] = 0  # 0 none, 1 entity created, 2 entity destroyed

    def columns(self) -> tuple[ColumnPos, ...]:
        return (self.position.column,)


class BlockChange(NamedTuple):
    """One block."""

    position: BlockPos  # absolute
    runtime_id: int  # also unsigned if ids are hashes
    flags: int = 3  # as in UpdateBlock
    actor_id: int = 0  # entity that represents the block, or that changed it; 0 for none
    transition: int = 0  # 0 none, 1 entity created, 2 entity destroyed


def _change(dialect: Dialect) -> Kind[BlockChange]:
    place = BLOCK_POS.of(dialect)

    def read(reader: Reader) -> BlockChange:
        return BlockChange(place.read(reader), reader.uv32(), reader.uv32(), reader.uv64(), reader.uv32())

    def write(writer: Writer, change: BlockChange) -> None:
        place.write(writer, change.position)
        writer.uv32(change.runtime_id)
        writer.uv32(change.flags)
        writer.uv64(change.actor_id)
        writer.uv32(change.transition)

    return Kind(read, write, 7)


CHANGES = listed(by_dialect(_change), UV32)


@packet(172, Sender.SERVER, blocks=Blocks.CHANGED)
class UpdateSubChunkBlocks(Message, frozen=True):
    """Blocks of one sub-chunk."""

    base: Annotated[BlockPos, BLOCK_POS]  # the sub-chunk's lowest corner, in blocks
    layer0: Annotated[tuple[BlockChange, ...], CHANGES]  # changes of blocks
    layer1: Annotated[tuple[BlockChange, ...], CHANGES] = ()  # changes of the liquids they stand in

    def columns(self) -> tuple[ColumnPos, ...]:
        return tuple(dict.fromkeys(change.position.column for change in (*self.layer0, *self.layer1)))


@packet(56, Sender.EITHER, blocks=Blocks.ENTITIES)
class BlockActorData(Message, frozen=True):
    """A block entity, such as a chest's content or a sign's text."""

    position: Annotated[BlockPos, BLOCK_POS]  # absolute
    nbt: Annotated[Compound, ROOT]  # the block entity

    def columns(self) -> tuple[ColumnPos, ...]:
        return (self.position.column,)
