"""Targets: batches of packets, and packets of every release."""

import contextlib
from functools import cache
from typing import Final

from net.bedrock import BiomeDefinitionList, Unknown
from net.bedrock.batch import BatchReader, BatchWriter
from net.bedrock.codec import Codec
from net.bedrock.packets.login import Algorithm, NetworkSettings
from net.bedrock.packets.registries import NO_NUMBER, read_biome_definitions
from net.errors import ConnectionClosed, DecodeError, LimitExceeded, LocalProtocolError
from net.releases import RELEASES
from net.wire import cursor as wire_reader
from net.wire.cursor import Reader
from net.wire.fields import Profile
from tests.fuzz.checks import check

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
