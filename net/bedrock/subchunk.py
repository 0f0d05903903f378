"""SubChunk: answers to a request, in any order, unasked or never (wire.md 2.3, seed 000).

What stands in an entry is ``subchunk_entries``' matter.
"""

from net.bedrock.packet import Packet
from net.bedrock.subchunk_entries import SubChunkEntry, entries_in, form_of
from net.frozen import frozen
from net.space.positions import SubChunkPos
from net.wire.fields import (
    BOOL,
    FIXED_SUBCHUNK_POS,
    I32LE,
    SUBCHUNK_POS,
    U32LE,
    UV32,
    ZZ32,
    Field,
    Kind,
    Values,
    by_dialect,
)
from net.wire.profile import Dialect, Profile


@frozen
class SubChunk:
    """Answers around one centre.

    Attributes:
        cache_enabled: whether terrain comes as blobs.
        dimension: where they are.
        centre: what the entries' offsets count from; y is absolute.
        entries: may be empty.
    """

    cache_enabled: bool
    dimension: int
    centre: SubChunkPos
    entries: tuple[SubChunkEntry, ...]


def _cached(values: Values) -> bool:
    return bool(values["cache_enabled"])


def _plain(values: Values) -> bool:
    return not values["cache_enabled"]


def _count(dialect: Dialect) -> Kind[int]:
    if dialect.profile is Profile.DOCUMENTED:
        return I32LE
    return U32LE if dialect.protocol < FIXED_FIRST else UV32


FIXED_FIRST = 2168

PACKET = Packet(
    174,
    SubChunk,
    (
        Field("cache_enabled", BOOL),
        Field("dimension", ZZ32, profile=Profile.BEDROCK),
        Field("dimension", I32LE, profile=Profile.DOCUMENTED),
        Field("centre", SUBCHUNK_POS, profile=Profile.BEDROCK, until=FIXED_FIRST),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.BEDROCK, since=FIXED_FIRST),
        Field("centre", FIXED_SUBCHUNK_POS, profile=Profile.DOCUMENTED),
        Field("entries", by_dialect(lambda d: entries_in(form_of(d, cached=False), _count(d))), when=_plain),
        Field("entries", by_dialect(lambda d: entries_in(form_of(d, cached=True), _count(d))), when=_cached),
    ),
)
