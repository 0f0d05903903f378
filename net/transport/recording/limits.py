"""How much a recording may make its reader hold."""

from typing import Final

from net.wire.limits import INFLATED_BATCH_BYTES

HEADER_BYTES: Final = 64 << 10
"""Real headers have some 600 bytes."""
BODY_BYTES: Final = INFLATED_BATCH_BYTES
"""One record's body: a packet, and no packet is larger than a batch may inflate to."""
BLOCK_BYTES: Final = BODY_BYTES + (4 << 20)
"""A block before compression: the largest record, behind what was gathered when it came."""
CUT_BYTES: Final = 1 << 20
"""A writer closes a block at this size, so that real blocks stay far under the limit."""
FARTHEST_BLOCKS: Final = float(1 << 31)
"""Of an eye, along each axis; blocks further out have no 32-bit coordinates."""
LONGEST_S: Final = 1e12
"""Of a session's clock, and of a round trip."""
