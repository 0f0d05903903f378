"""What is fuzzed: one function of bytes a reader, which raises for a finding alone."""

import contextlib
import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from net.bedrock import Unknown
from net.bedrock.batch import BatchReader
from net.bedrock.codec import Codec
from net.bedrock.network_settings import Algorithm, NetworkSettings
from net.bedrock.releases import RELEASES
from net.errors import ConnectionClosed, DecodeError, LimitExceeded, LocalProtocolError
from net.nbt import DISK, NETWORK, read_roots
from net.raknet import ClientConnection, Limits, Listener
from net.raknet.session import Session
from net.subchunk.biomes import read_biomes
from net.subchunk.decode import Scanned, fault_of, legacy_values, scan, unpack
from net.subchunk.entities import read_entities
from net.subchunk.named import read_named
from net.subchunk.storage import Fault
from net.transport.recording.reader import Recording
from net.wire.profile import Profile

MB: Final = 1 << 20
BATCH_LIMIT: Final = MB
SMALL: Final = replace(
    Limits(), order_bytes=MB // 4, partial_bytes=MB // 4, inbox_bytes=MB // 4, fragments=256, partial_payloads=8
)
ADDRESS: Final = ("127.0.0.1", 19132)


def pieces(data: bytes) -> list[bytes]:
    """Fuzzed bytes as several: u16le length and the bytes, the last one as long as it is."""
    out = []
    while len(data) >= 2 and len(out) < 64:
        size = int.from_bytes(data[:2], "little")
        out.append(data[2 : 2 + size])
        data = data[2 + size :]
    return out


def joined(parts: list[bytes]) -> bytes:
    """Mirror of ``pieces``."""
    return b"".join(len(part).to_bytes(2, "little") + part for part in parts)


def datagrams(data: bytes) -> None:
    """Some datagrams for a session, for a client that is connecting, or for a listener."""
    session = Session(SMALL, 1492, 0.0)
    session.send(b"\xfe" + bytes(3000))
    client = ClientConnection(ADDRESS, 1, 0.0, limits=SMALL)
    listener = Listener(7, "MCPE;x;486;1.18.11;0;1;", bytes, limits=SMALL)
    kind = data[0] % 3 if data else 0
    for index, datagram in enumerate(pieces(data[1:])):
        now = index * 0.01
        if kind == 2:
            listener.receive(ADDRESS, datagram, now)
            listener.datagrams(now)
            listener.next_timer()
            continue
        end = (session, client)[kind]
        end.receive(datagram, now)
        end.datagrams(now)
        end.next_timer()
        check(session.held_bytes <= 3 * MB // 4 + 4096, "a session holds more than its limits")
        check(session.sender.in_flight_bytes >= 0 and session.sender.waiting_bytes >= 0, "bytes are miscounted")


def batches(data: bytes) -> None:
    """One batch, for a reader of one of the three eras."""
    protocol, algorithm = ((486, 0), (554, 0), (554, 1), (649, 0), (649, 1), (649, 0xFFFF))[data[0] % 6 if data else 0]
    reader = BatchReader(inflated_bytes=BATCH_LIMIT, packets=1000, protocol=protocol)
    reader.compress_with(NetworkSettings(1, Algorithm(algorithm)))
    with contextlib.suppress(DecodeError, LimitExceeded, ConnectionClosed):
        found = reader.unpack(b"\xfe" + data[1:])
        check(sum(map(len, found)) <= BATCH_LIMIT + len(data), "a batch is larger than allowed")


@cache
def codec(at: int) -> Codec:
    """Each release in the profile of the wire, and the oldest in the documented one."""
    return Codec(486, Profile.DOCUMENTED) if at == len(RELEASES) else Codec(RELEASES[at].protocol)


def packets(data: bytes) -> None:
    """One packet of one release; what decodes can be said again, and then means the same."""
    ends = codec(data[0] % (len(RELEASES) + 1) if data else 0)
    try:
        message = ends.decode(data[1:])
    except DecodeError:
        return
    if isinstance(message, Unknown):
        return
    with contextlib.suppress(LocalProtocolError):
        ends.decode(ends.encode(message))


def nbt(data: bytes) -> None:
    """Roots of either flavour."""
    with contextlib.suppress(DecodeError, LimitExceeded):
        read_roots(data[1:], DISK if data[:1] == b"\1" else NETWORK)


def subchunks(data: bytes) -> None:
    """A sub-chunk with what follows it, and the same bytes as biomes."""
    scanned = scan([data])
    status = int(scanned.status[0])
    with contextlib.suppress(DecodeError, LimitExceeded):
        if status != Fault.NONE:
            if status == Fault.NAMED_PALETTE:
                read_named(data, "SubChunk")
            raise fault_of(scanned, 0, ("SubChunk", "payload"))
        if scanned.legacy()[0]:
            legacy_values(scanned, 0)
        else:
            unpack_all(scanned)
        read_entities(scanned.rest(0, int(scanned.ends[0])))
    with contextlib.suppress(DecodeError, LimitExceeded):
        read_biomes(data, 24)


def unpack_all(scanned: Scanned) -> None:
    """Unpacks the layers of a sound sub-chunk as the store does."""
    mapped = (scanned.palette & 0xFFFF).astype(np.uint16)
    blocks, flags = np.zeros((1, 4096), np.uint16), np.zeros(1, np.uint32)
    entry = np.zeros(1, np.int64)
    if scanned.with_layer(0)[0] and not scanned.is_single(0)[0]:
        unpack(scanned, entry, 0, np.zeros(1, np.int32), mapped, np.zeros(65536, np.uint32), blocks, flags)
    if scanned.with_layer(1)[0]:
        unpack(scanned, entry, 1, np.zeros(1, np.int32), mapped, np.zeros(65536, np.uint32), blocks, flags)


def recordings(data: bytes) -> None:
    """A file; what is damaged in it is told, the rest is read."""
    with contextlib.suppress(DecodeError), Recording(io.BytesIO(data)) as recording:
        check(len(recording.blocks) <= len(data), "more blocks than bytes")
        for index in range(min(len(recording.blocks), 16)):
            recording.read(index)


def check(holds: bool, what: str) -> None:
    """A limit or a promise; raises what no reader raises."""
    if not holds:
        raise AssertionError(what)


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    target.__name__: target for target in (datagrams, batches, packets, nbt, subchunks, recordings)
}
