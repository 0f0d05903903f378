"""Where each target starts: what the product's own writers make."""

import zlib
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from net import nbt
from net.bedrock import (
    LevelChunk,
    MovePlayer,
    NetworkSettings,
    PlayStatus,
    RequestChunkRadius,
    SetTime,
    StartGame,
    SubChunk,
    SubChunkEntry,
    SubChunkRequest,
    UpdateBlock,
)
from net.bedrock.releases import RELEASES
from net.raknet.acks import ACK, NACK, write_acks
from net.raknet.frames import Fragment, Frame, Reliability, write_frame
from net.raknet.offline import MAGIC
from net.raknet.online import write_ping
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.subchunk.encode import subchunk
from net.transport.recording import Entry, Header, Heard, Joining, Looked, RecordingWriter, Released, Said, Ticked
from tests.fuzz.targets import codec, joined
from tests.support.raknet_wire import Pair

MESSAGES = (
    PlayStatus(0),
    SetTime(1000),
    RequestChunkRadius(8),
    StartGame(entity_unique_id=1, runtime_id=1, position=(0.0, 64.0, 0.0)),
    UpdateBlock(BlockPos(1, 2, 3), 4, 3, 0),
    LevelChunk(ColumnPos(1, 2), 0, None, 12, None, b"\x01\x02\x00"),
    SubChunkRequest(0, SubChunkPos(1, 2, 3), np.array([[0, 1, 0], [1, 0, 0]], np.int8)),
    SubChunk(False, 0, SubChunkPos(1, 2, 3), (SubChunkEntry(0, 1, 0, 1, b"\x09\x01\x00\x01\x02", 0, None, None),)),
    NetworkSettings(1),
)


def _datagrams() -> list[bytes]:
    pair = Pair()
    seen: list[bytes] = []
    push = pair.down.push
    pair.down.push = lambda datagram, now: (seen.append(datagram), push(datagram, now))[1]  # type: ignore[method-assign]
    server = pair.connect()
    server.send(b"\xfe" + bytes(5000))
    pair.run(lambda: bool(pair.from_server))
    frames = [Frame(b"\xfeab", kind, 0, 0, 0, 1) for kind in Reliability]
    frames.append(Frame(b"ab", Reliability.RELIABLE, 1, 0, 0, 0, Fragment(3, 1, 2)))
    data = b"\x84\0\0\0" + b"".join(map(write_frame, frames))
    acks = write_acks(ACK, [(0, 3), (7, 7)], 1400) + write_acks(NACK, [(1, 1), (4, 9)], 1400)
    ping = b"\x84\1\0\0" + write_frame(Frame(write_ping(5), Reliability.UNRELIABLE))
    offline = [bytes((kind,)) + MAGIC + bytes(40) for kind in (1, 5, 6, 7, 8, 0x19)]
    stories = (seen, [data, *acks, ping], offline)
    return [bytes((kind,)) + joined(story) for kind in range(3) for story in stories]


def _batches() -> list[bytes]:
    text = b"\x03\x0a\x00\x01\x02\x02\x01"
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = deflate.compress(text * 20) + deflate.flush()
    snappy = bytes((len(text), len(text) - 1 << 2)) + text
    return [
        b"\0" + body,
        b"\1" + body,
        b"\2" + snappy,
        b"\3\0" + body,
        b"\4\1" + snappy,
        b"\5\xff" + text,
        b"\0" + text,
    ]


def _packets() -> list[bytes]:
    ends = [0, len(RELEASES) // 2, len(RELEASES) - 1, len(RELEASES)]
    return [bytes((at,)) + codec(at).encode(message) for at in ends for message in (*MESSAGES, _move())]


def _move() -> MovePlayer:
    return MovePlayer(runtime_id=1, position=(1.0, 2.0, 3.0), pitch=0.0, yaw=0.0, head_yaw=0.0)


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
    seeds.append(bytes((0,)) + bytes(4096 + 2048))
    return [*seeds, bytes((1, 1)) * 24 + b"\0"]


def _recordings() -> list[bytes]:
    writer = RecordingWriter(Header(486, "bedrock", "embedded:flat:1", session={"radius": 2}))
    start = writer.front + writer.flush()
    looked = Looked((1.0, 2.0, 3.0), 4.0, 5.0, 70.0)
    for time, record in enumerate(
        (Heard(b"\x0a\x02"), Said(b"\x0a\x04"), Joining(), Ticked(0.5), looked, Released("a"))
    ):
        writer.add(Entry(time, record))
    middle = writer.flush()
    return [start, start + middle, start + middle + writer.finish(1.0, 1_000_000)]


SEEDS: Final[Mapping[str, Callable[[], list[bytes]]]] = {
    "datagrams": _datagrams,
    "batches": _batches,
    "packets": _packets,
    "nbt": _nbt,
    "subchunks": _subchunks,
    "recordings": _recordings,
}
