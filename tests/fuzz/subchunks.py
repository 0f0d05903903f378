"""Targets: sub-chunks with what follows them in a payload, and NBT."""

import contextlib
from typing import Final

import numpy as np

from net import nbt as tags
from net.errors import DecodeError, LimitExceeded, LocalProtocolError
from net.subchunk.biomes import read_biomes
from net.subchunk.decode import Scanned, fault_of, legacy_values, scan, scan_sequence, unpack
from net.subchunk.legacy import read_named
from net.subchunk.storage import SubChunkFault
from net.wire.cursor import NBT_DEPTH
from tests.fuzz.checks import check
from tests.support.reference.wire import read_roots


def nbt(data: bytes) -> None:
    """Roots of either flavour; what was read can be written, and reads the same."""
    flavour = tags.DISK if data[:1] == b"\1" else tags.NETWORK
    with contextlib.suppress(DecodeError, LimitExceeded):
        for root in read_roots(data[1:], flavour):
            check(depth(root) <= NBT_DEPTH, "NBT is deeper than allowed")
            check(values(root) <= tags.NBT_TAGS, "NBT holds more than allowed")
            with contextlib.suppress(LocalProtocolError):  # a list of values of several types is readable alone
                said = tags.encode_root(root, flavour)
                check(tags.encode_root(*read_roots(said, flavour), flavour) == said, "NBT changes when said again")


def inside(tag: object) -> tuple[object, ...]:
    """What a compound or a list holds."""
    if isinstance(tag, dict):
        return tuple(tag.values())
    return tuple(tag) if isinstance(tag, list) else ()


def depth(tag: object) -> int:
    """Compounds and lists inside each other."""
    return (isinstance(tag, dict | list)) + max(map(depth, inside(tag)), default=0)


def values(tag: object) -> int:
    """Everything inside a compound or list, however deep."""
    return sum(1 + values(each) for each in inside(tag))


def subchunks(data: bytes) -> None:
    """A sub-chunk with what follows it; the same bytes as several of a column, and as biomes."""
    scanned = scan([data])
    with contextlib.suppress(DecodeError, LimitExceeded):
        if scanned.status[0] == SubChunkFault.NAMED_PALETTE:
            named(data)
        if scanned.status[0] != SubChunkFault.NONE:
            raise fault_of(scanned, 0, ("SubChunk", "payload"))
        if scanned.legacy()[0]:
            legacy_values(scanned, 0)
        unpack_all(scanned)
        read_roots(scanned.bytes_of(0, int(scanned.ends[0])), tags.NETWORK)
    unpack_all(scan_sequence(data, 3))
    for inline_count in (None, 2):
        with contextlib.suppress(DecodeError, LimitExceeded):
            found = read_biomes(data, 24, inline_count=inline_count)
            check(found.end <= len(data), "biomes end behind their bytes")
            found.section(len(found) - 1)


def named(data: bytes) -> None:
    """A palette of names, of a blob and of a world folder."""
    for flavour in (tags.NETWORK, tags.DISK):
        with contextlib.suppress(DecodeError, LimitExceeded):
            found = read_named(data, "SubChunk", flavour=flavour)
            check(found.end <= len(data), "a sub-chunk ends behind its bytes")


def unpack_all(scanned: Scanned) -> None:
    """Unpacks the layers of all sound sub-chunks as the store does."""
    mapped = (scanned.palette & 0xFFFF).astype(np.uint16)
    by = scanned.sort()
    for layer, entries in enumerate((by.indexed, by.second)):
        if len(entries):
            blocks, flags = np.zeros((len(entries), 4096), np.uint16), np.zeros(len(entries), np.uint32)
            slots = np.arange(len(entries), dtype=np.int32)
            unpack(scanned, entries, layer, slots, mapped, FLAGS, blocks, flags)


FLAGS: Final = np.zeros(65536, np.uint32)
