"""SubChunkRequest: which sub-chunks the client wants, as signed-byte offsets from a centre (wire.md 2.2, seed 000).

Protocol 1001 turned it round: offsets first, then the centre as fixed integers.
"""

import numpy as np

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.space.layout import Offsets
from net.space.positions import SubChunkPos
from net.wire.fields import FIXED_SUBCHUNK_POS, I32LE, SUBCHUNK_POS, U32LE, UV32, ZZ32, Field, Kind
from net.wire.profile import Profile
from net.wire.reader import Reader
from net.wire.writer import Writer


@frozen(eq=False)
class SubChunkRequest:
    """Some sub-chunks around a centre.

    Attributes:
        dimension: where they are.
        centre: what the offsets count from, mostly the player's sub-chunk; y is absolute.
        offsets: int8[n, 3] of dx, dy, dz, each -127..127.
    """

    dimension: int
    centre: SubChunkPos
    offsets: Offsets

    def __eq__(self, other: object) -> bool:
        """Equal when all three are: an array has no truth value of its own."""
        if not isinstance(other, SubChunkRequest):
            return NotImplemented
        same_place = (self.dimension, self.centre) == (other.dimension, other.centre)
        return same_place and np.array_equal(self.offsets, other.offsets)

    def __hash__(self) -> int:
        return hash((self.dimension, self.centre, self.offsets.tobytes()))


def _offsets(count: Kind[int]) -> Kind[Offsets]:
    def read(reader: Reader) -> Offsets:
        length = reader.count(count.read, 3)
        return np.frombuffer(reader.take(3 * length), np.int8).reshape(length, 3)

    def write(writer: Writer, offsets: Offsets) -> None:
        if offsets.dtype != np.int8 or offsets.ndim != 2 or offsets.shape[1] != 3:
            raise writer.fault(f"is {offsets.dtype}{offsets.shape}, not int8[n, 3]")
        count.write(writer, len(offsets))
        writer.raw(offsets.tobytes())

    return Kind(read, write, count.least_bytes)


PACKET = Packet(
    175,
    SubChunkRequest,
    (
        Field("dimension", ZZ32, profile=Profile.BEDROCK),
        Field("dimension", I32LE, profile=Profile.DOCUMENTED),
        Field("centre", SUBCHUNK_POS, profile=Profile.BEDROCK, until=1001),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.DOCUMENTED),
        Field("offsets", _offsets(U32LE), profile=Profile.BEDROCK, until=1001),
        Field("offsets", _offsets(UV32), profile=Profile.BEDROCK, since=1001),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.BEDROCK, since=1001),
        Field("offsets", _offsets(I32LE), profile=Profile.DOCUMENTED),
    ),
)
