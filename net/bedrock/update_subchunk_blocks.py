"""UpdateSubChunkBlocks: many blocks of one sub-chunk change at once (wire.md 2.4).

Positions are absolute, so ``base`` says nothing new. Sources differ on the sign of its y before protocol 944; both
readings take the same bytes, and ours is the unsigned one of three implementations.
"""

from typing import NamedTuple

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.space.positions import BlockPos
from net.wire.fields import BLOCK_POS, UV32, Field, Kind, by_dialect, listed
from net.wire.profile import Dialect
from net.wire.reader import Reader
from net.wire.writer import Writer


class BlockChange(NamedTuple):
    """One block.

    Attributes:
        position: absolute.
        runtime_id: unsigned also where ids are hashes.
        flags: as in UpdateBlock.
        actor_id: of an entity that stands for the block, 0 for none.
        transition: 0 none, 1 entity created, 2 entity destroyed.
    """

    position: BlockPos
    runtime_id: int
    flags: int = 3
    actor_id: int = 0
    transition: int = 0


@frozen
class UpdateSubChunkBlocks:
    """Blocks of one sub-chunk.

    Attributes:
        base: the sub-chunk's lowest corner, in blocks.
        layer0: changes of blocks.
        layer1: changes of the liquids they stand in.
    """

    base: BlockPos
    layer0: tuple[BlockChange, ...]
    layer1: tuple[BlockChange, ...] = ()


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

PACKET = Packet(
    172, UpdateSubChunkBlocks, (Field("base", BLOCK_POS), Field("layer0", CHANGES), Field("layer1", CHANGES))
)
