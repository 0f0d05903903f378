"""Where each target starts: what the product's own writers make."""

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import msgspec
import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from net import nbt
from net.bedrock import BiomeDefinitionList
from net.raknet import ServerConnection
from net.raknet.datagram import ACK, NACK, Fragment, Frame, Reliability, write_acks, write_frame
from net.raknet.handshake import MAGIC, write_ping
from net.recording.file import RecordingWriter
from net.recording.header import Header
from net.recording.records import (
    AnchorRecord,
    EndedRecord,
    FaultRecord,
    FinishedRecord,
    JoinedRecord,
    LoginRecord,
    PinnedAnchorRecord,
    PlanRecord,
    ReceivedRecord,
    ReleasedRecord,
    SentRecord,
    TickRecord,
    TimedRecord,
    TurnRecord,
    ViewRecord,
    write_entry,
)
from net.subchunk.encode import subchunk
from tests.fuzz import databases, entities, nethernet, packs
from tests.fuzz import settings as settings_of
from tests.fuzz.datagrams import ADDRESS, ENDS, LISTENERS, new_client, new_listener, story
from tests.fuzz.packets import DIALECTS, codec
from tests.support.reference import leveldb as twin
from tests.support.reference.wire import written
from tests.support.session.messages import messages_of
from tests.support.worlds import saved

PAYLOAD: Final = b"\xfe" + bytes(900)
"""Two fragments at the sizes used there."""


def conversation(kind: int) -> tuple[list[bytes], list[bytes]]:
    """Datagrams (up, down) of a client that connects to a listener and both say something."""
    client, listener = new_client(), new_listener(kind)
    up: list[bytes] = []
    down: list[bytes] = []
    connection: ServerConnection | None = None
    for step in range(12):
        now = step * 0.01
        for datagram in client.datagrams(now):
            up.append(datagram)
            listener.receive(ADDRESS, datagram, now)
        accepted = listener.accept()
        if accepted is not None:
            connection = accepted
            connection.send(PAYLOAD)
            client.send(PAYLOAD)
        for _, datagram in listener.datagrams(now):
            down.append(datagram)
            client.receive(datagram, now)
    assert connection is not None
    assert connection.next_payload() == client.next_payload() == PAYLOAD
    return up, down


def _datagrams() -> list[bytes]:
    frames = [Frame(b"\xfeab", kind, 0, 0, 0, 1) for kind in Reliability]
    frames.append(Frame(b"ab", Reliability.RELIABLE, 1, 0, 0, 0, Fragment(3, 1, 2)))
    strange = b"\x84\0\0\0" + b"".join(map(write_frame, frames))
    acks = write_acks(ACK, [(0, 3), (7, 7)], 1400) + write_acks(NACK, [(1, 1), (4, 9)], 1400)
    ping = b"\x84\1\0\0" + write_frame(Frame(write_ping(5), Reliability.UNRELIABLE))
    offline = [bytes((kind,)) + MAGIC + bytes(40) for kind in (1, 5, 6, 7, 8, 0x19)]
    seeds = [story(kind, said) for kind in range(ENDS) for said in ([strange, *acks, ping], offline)]
    for kind in LISTENERS:
        up, down = conversation(kind)
        seeds += [story(kind, up), story(1, down)]
    return seeds


def _batches() -> list[bytes]:
    text = b"\x03\x0a\x00\x01\x02\x02\x01"
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = deflate.compress(text * 12) + deflate.flush()
    snappy = bytes((len(text), len(text) - 1 << 2)) + text
    return [
        b"\0" + body,
        b"\1" + body,
        b"\2" + snappy,
        b"\3\0" + body,
        b"\4\1" + snappy,
        b"\5\xff" + text,
        b"\6" + text * 2,
        b"\7" + text,
    ]


def _packets() -> list[bytes]:
    """Every packet of every sixth release, of the newest, and of the oldest in the documented profile too."""
    seeds: list[bytes] = []
    for at in sorted({*range(0, len(DIALECTS), 12), 1, len(DIALECTS) - 2}):
        strategies = messages_of(codec(at).protocol).values()
        seeds += [bytes((at,)) + max(map(codec(at).encode, examples(each)), key=len) for each in strategies]
    biomes = [(f"biome_{number}", number or None) for number in range(3)]
    for at in range(0, len(DIALECTS), 8):
        ends = codec(at)
        seeds.append(bytes((at,)) + ends.encode(BiomeDefinitionList(written(biomes, ends.protocol))))
    return list(dict.fromkeys(seeds))


def examples(strategy: st.SearchStrategy[Any]) -> list[Any]:
    """A few values, the same each time."""
    drawn: list[Any] = []

    large = [HealthCheck.large_base_example]  # a player of the list has a skin of twenty fields

    @settings(
        max_examples=4,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=large,
    )
    @given(strategy)
    def draw(value: Any) -> None:
        drawn.append(value)

    draw()
    return drawn


def _nbt() -> list[bytes]:
    value = {
        "id": "Chest",
        "Items": [{"Slot": nbt.Byte(1)}],
        "x": nbt.Int(-5),
        "f": nbt.Float(1.5),
        "l": nbt.Long(1 << 40),
    }
    flavours = (nbt.NETWORK, nbt.DISK)
    return [bytes((disk,)) + nbt.encode_root(value, flavours[disk]) * 2 for disk in (0, 1)]


def _subchunks() -> list[bytes]:
    ids = np.arange(4096, dtype=np.uint16)
    runtime_ids = np.arange(4096, dtype=np.int64)
    layers = [ids % count for count in (1, 2, 5, 17, 300)]
    seeds = [subchunk([layer], runtime_ids, 3) for layer in layers]
    seeds.append(subchunk([layers[1], layers[2]], runtime_ids, -4))
    seeds.append(subchunk([layers[2]], runtime_ids, 0, version=8))
    seeds.append(subchunk([layers[1]], runtime_ids, 0) * 3)
    seeds.append(bytes((0,)) + bytes(4096 + 2048))
    seeds += [_named(flavour) for flavour in (nbt.NETWORK, nbt.DISK)]
    return [*seeds, bytes((1, 1)) * 24 + b"\0"]


def _named(flavour: nbt.Flavour) -> bytes:
    """A sub-chunk of two states by name."""
    states = [{"name": name, "states": {}, "version": nbt.Int(1)} for name in ("minecraft:air", "minecraft:stone")]
    palette = b"".join(nbt.encode_root(state, flavour) for state in states)
    length = b"\2\0\0\0" if flavour is nbt.DISK else b"\4"
    return b"\x08\1\2" + bytes(512) + length + palette


def _recordings() -> list[bytes]:
    header = Header(486, "bedrock", "embedded:flat:1", session={"radius": 2})
    writer = RecordingWriter(header)
    start = writer.front + writer.flush()
    place = np.zeros((1, 3), np.int32)
    records = (
        *(
            ReceivedRecord(b"\x0a\x02"),
            SentRecord(b"\x0a\x04"),
            LoginRecord(b"\x02"),
            JoinedRecord(),
            TickRecord(0.5),
            TurnRecord(1.0),
        ),
        *(
            ViewRecord((1.0, 2.0, 3.0), 4.0, 5.0, 70.0),
            AnchorRecord("a", (0, 0, 1, 1)),
            PinnedAnchorRecord("b", (0, 0, 1, 1), (8.0, 70.0, 8.0)),
            ReleasedRecord("a"),
            PlanRecord(place, place),
        ),
        *(FaultRecord("SubChunk", "payload", 3, "is short"), FinishedRecord(2.0), EndedRecord("the server left")),
    )
    entries = [TimedRecord(time, record) for time, record in enumerate(records)]
    for entry in entries:
        writer.add(entry)
    middle = writer.flush()
    whole = [start, start + middle, start + middle + writer.finish(1.0, 1_000_000)]
    header_only = b"\1" + json.dumps(msgspec.to_builtins(header)).encode()
    return [
        *(b"\0" + file for file in whole),
        header_only,
        b"\2" + b"".join(map(write_entry, entries)),
        b"\3" + bytes(60),
    ]


def _folders() -> list[bytes]:
    entries = [(bytes((97 + at,)), at + 1, bytes(at)) for at in range(20)]
    states = [saved.named("air"), saved.named("stone", stone_type="stone")]
    sound = saved.storage(states, np.arange(4096) % 2)
    content = twin.block([(twin.internal(*entry), entry[2]) for entry in entries])
    parts = [
        *(bytes((kind,)) + twin.compressed(content, kind) for kind in (0, 1, 2, 4)),
        twin.table(entries),
        twin.log([twin.batch([(b"a", b"b"), (b"c", None)], 9)]),
        twin.batch([(b"a", b"b"), (b"c", None)], 9),
        twin.manifest({5: entries}, 90)[7:],
        saved.level(),
        saved.subchunk(9, [sound, sound], 3),
        bytes(512) + b"\1\7\0\0\0\xff",
        nbt.encode_root({"id": "Chest", "x": nbt.Int(1), "y": nbt.Int(2), "z": nbt.Int(3)}, nbt.DISK) * 2,
        struct.pack("<IIHIH", 2, 5, 31, 4095, 31 | 1 << 8),
    ]
    forms = (0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8)
    old = b"\6" + saved.old_subchunk(2, np.arange(4096) % 256, np.arange(4096) % 16)
    return [*(bytes((form,)) + part for form, part in zip(forms, parts, strict=True)), old]


SEEDS: Final[Mapping[str, Callable[[], list[bytes]]]] = {
    "datagrams": cache(_datagrams),
    "batches": cache(_batches),
    "packets": cache(_packets),
    "entities": cache(entities.seeds),
    "nbt": cache(_nbt),
    "subchunks": cache(_subchunks),
    "recordings": cache(_recordings),
    "folders": cache(_folders),
    "packs": cache(packs.seeds),
    "databases": cache(databases.seeds),
    "settings": cache(settings_of.seeds),
    "nethernet": cache(nethernet.seeds),
    "dtls": cache(nethernet.dtls_seeds),
}
