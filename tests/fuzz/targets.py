"""What is fuzzed: one function of bytes a reader, which raises for a finding alone."""

import contextlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import numpy as np

from net import nbt as tags
from net.bedrock import BiomeDefinitionList, Unknown
from net.bedrock.batch import BatchReader, BatchWriter
from net.bedrock.codec import Codec
from net.bedrock.packets.login import Algorithm, NetworkSettings
from net.bedrock.packets.registries import NO_NUMBER, read_biome_definitions
from net.bedrock.releases import RELEASES
from net.errors import ConnectionClosed, DecodeError, LimitExceeded, LocalProtocolError
from net.subchunk.biomes import read_biomes
from net.subchunk.block_entities import read_entities
from net.subchunk.decode import Scanned, fault_of, legacy_values, scan, scan_sequence, unpack
from net.subchunk.legacy import read_named
from net.subchunk.storage import SubChunkFault
from net.wire import cursor as wire_reader
from net.wire.cursor import NBT_DEPTH, Reader
from net.wire.fields import Profile
from tests.fuzz.checks import check
from tests.fuzz.databases import databases
from tests.fuzz.datagrams import datagrams
from tests.fuzz.entities import entities
from tests.fuzz.folders import folders
from tests.fuzz.nethernet import dtls, nethernet
from tests.fuzz.packs import packs
from tests.fuzz.recordings import recordings
from tests.fuzz.settings import settings

BATCH_LIMIT: Final = 1 << 16
BATCH_PACKETS: Final = 100
ERAS: Final = ((486, 0), (554, 0), (554, 1), (649, 0), (649, 1), (649, 0xFFFF))
"""(protocol, algorithm of NetworkSettings): who names the compression, and which it is."""
SEALED: Final = len(ERAS)
"""The first byte of a batch that is forged, and one more for a batch that its own writer sealed."""
KEY: Final = bytes(range(32))


def batches(data: bytes) -> None:
    """One batch, for a reader of one of the eras, or of an encrypted session."""
    kind = data[0] % (SEALED + 2) if data else 0
    protocol, algorithm = ERAS[kind % SEALED]
    settings = NetworkSettings(1, Algorithm(algorithm))
    reader = BatchReader(inflated_bytes=BATCH_LIMIT, packets=BATCH_PACKETS, protocol=protocol)
    reader.compress_with(settings)
    payload = b"\xfe" + data[1:]
    if kind >= SEALED:
        reader.encrypt_with(KEY)
    if kind > SEALED:
        writer = BatchWriter(protocol=protocol)
        writer.compress_with(settings)
        writer.encrypt_with(KEY)
        payload = writer.pack([data[1:]])
    with contextlib.suppress(DecodeError, LimitExceeded, ConnectionClosed):
        found = reader.unpack(payload)
        check(kind <= SEALED or found == [data[1:]], "a sealed batch is not what was packed")
        check(sum(map(len, found)) <= BATCH_LIMIT + len(data), "a batch is larger than allowed")
        check(len(found) <= BATCH_PACKETS, "a batch holds more packets than allowed")


DIALECTS: Final = tuple((release.protocol, profile) for release in RELEASES for profile in Profile)


@cache
def codec(at: int) -> Codec:
    """Each release in both profiles; ``at`` is an index of ``DIALECTS``."""
    return Codec(*DIALECTS[at])


def packets(data: bytes) -> None:
    """One packet of one release; what decodes can be said again, and is then said the same way each time."""
    ends = codec(data[0] % len(DIALECTS) if data else 0)
    reader = Reader(data[1:], "packet")
    try:
        message = ends.read(reader)
    except DecodeError:
        return
    check(reader.objects_bytes <= wire_reader.OBJECTS_BYTES, "a packet's lists cost more than allowed")
    if isinstance(message, Unknown):
        return
    if isinstance(message, BiomeDefinitionList):  # read by the session
        with contextlib.suppress(DecodeError, LimitExceeded):
            numbers = [biome.number for biome in read_biome_definitions(message.content or b"", ends.protocol)]
            check(all(number is None or 0 <= number < NO_NUMBER for number in numbers), "a biome has no such number")
    with contextlib.suppress(LocalProtocolError):
        said = ends.encode(message)
        check(ends.encode(ends.decode(said)) == said, "a message changes when it is said again")


def nbt(data: bytes) -> None:
    """Roots of either flavour; what was read can be written, and reads the same."""
    flavour = tags.DISK if data[:1] == b"\1" else tags.NETWORK
    with contextlib.suppress(DecodeError, LimitExceeded):
        for root in tags.read_roots(data[1:], flavour):
            check(depth(root) <= NBT_DEPTH, "NBT is deeper than allowed")
            check(values(root) <= tags.NBT_TAGS, "NBT holds more than allowed")
            with contextlib.suppress(LocalProtocolError):  # a list of values of several types is readable alone
                said = tags.encode_root(root, flavour)
                check(tags.encode_root(*tags.read_roots(said, flavour), flavour) == said, "NBT changes when said again")


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
        read_entities(scanned.rest(0, int(scanned.ends[0])))
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

TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    target.__name__: target
    for target in (
        *(datagrams, batches, packets, entities, nbt, subchunks, recordings),
        *(folders, databases, packs, settings, nethernet, dtls),
    )
}
