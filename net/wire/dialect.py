"""Which wire is spoken: a protocol number and one of two profiles.

``BEDROCK`` is what real servers of that protocol send. ``DOCUMENTED`` is the literal layout of the vendor's text on the
SubChunk Request System (seed 000): little-endian fixed integers where real servers send varints, unsigned varints in
palettes, a payload only where it is needed, and height values that are the y of the top block. Only LevelChunk,
SubChunk and SubChunkRequest differ, and messages are the same in both: a profile ends at the codec.
"""

from enum import Enum

import msgspec


class Profile(Enum):
    """The value is the word users type after ``--profile``."""

    BEDROCK = "bedrock"  # what servers really send
    DOCUMENTED = "documented"  # what the vendor's text says they send


class Dialect(msgspec.Struct, frozen=True):
    """One way of writing packets."""

    protocol: int  # the protocol number, 486 for 1.18.10
    profile: Profile = Profile.BEDROCK  # see the module
