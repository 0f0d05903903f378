"""Time the wire: a radius-8 join of the bench world at each end, and a stream as fast as one core makes it.

Goals (issue 2/9), CPU time: receiving (RakNet, decryption, inflate, packet parsing) at most 60 ms; sending at most 60
ms besides deflate; 100 MB/s of payload through both ends on one core in large batches. The login is not counted. The
figures are printed, not asserted: they are this machine's, with whatever else it does. Run with ``-s`` to see them.
"""

import gc
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from net.bedrock.batch import BatchReader, BatchWriter
from net.peer import Event
from net.raknet import Address
from net.raknet.connection import RaknetSession
from net.raknet.limits import Limits
from net.server.host import Host
from net.server.host_options import HostOptions
from net.space import ColumnPos
from tests.support.session.plain_client import RADIUS, BenchJoin, bench_host

pytestmark = pytest.mark.bench
ROUNDS = 5
PACKET_BYTES = 1 << 16
STREAM_BYTES = 64 << 20


class Stopwatch:
    """CPU time spent in what is wrapped, while ``running``."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.running = False

    @contextmanager
    def time(self) -> Iterator[None]:
        start = time.process_time()
        try:
            yield
        finally:
            if self.running:
                self.seconds += time.process_time() - start


class TimedHost:
    """A host whose every call is timed."""

    def __init__(self, host: Host, watch: Stopwatch) -> None:
        self._host, self._watch = host, watch

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        with self._watch.time():
            self._host.receive(address, datagram, now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        with self._watch.time():
            return self._host.datagrams(now)

    def next_timer(self) -> float | None:
        return self._host.next_timer()


class TimedClient:
    """A client peer whose every call is timed; both watches begin with the first event after the login."""

    def __init__(self, join: BenchJoin, watches: list[Stopwatch]) -> None:
        self._peer, self._watches = join.peer, watches

    def __getattr__(self, name: str) -> object:
        return getattr(self._peer, name)

    def _timed(self, call: Callable[[], object]) -> object:
        with self._watches[0].time():
            return call()

    def receive(self, datagram: bytes, now: float) -> None:
        self._timed(lambda: self._peer.receive(datagram, now))

    def datagrams(self, now: float) -> object:
        return self._timed(lambda: self._peer.datagrams(now))

    def next_event(self) -> Event | None:
        for watch in self._watches:
            watch.running = self._peer.joined
        return self._peer.next_event()


def _make_columns(host: Host) -> None:
    """All that a server makes once a column and keeps: it is no wire."""
    served = host.dimensions.start
    for x in range(-RADIUS, RADIUS + 1):
        for z in range(-RADIUS, RADIUS + 1):
            snapshot = served.provider.snapshot(ColumnPos(x, z))
            snapshot.skeleton(served.forms.home)
            snapshot.heights(0)
            for section in range(snapshot.highest + 1):
                snapshot.subchunk(section, served.forms.home)


def join_once(level: int) -> tuple[float, float, float, int]:
    """Milliseconds of receiving, of sending besides deflate, of deflate; and bytes received."""
    host = bench_host(HostOptions(level=level))
    _make_columns(host)
    receiving, sending, deflating = Stopwatch(), Stopwatch(), Stopwatch()
    deflating.running = True
    join = BenchJoin(TimedHost(host, sending))
    join.link._client = TimedClient(join, [receiving, sending])
    make = zlib.compressobj

    class TimedDeflate:
        def __init__(self, *arguments: int) -> None:
            self._deflate = make(*arguments)

        def compress(self, data: bytes) -> bytes:
            with deflating.time():
                return self._deflate.compress(data)

        def flush(self) -> bytes:
            with deflating.time():
                return self._deflate.flush()

    gc.collect()
    gc.disable()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zlib, "compressobj", TimedDeflate)
        assert join.run()
    gc.enable()
    milliseconds = [1e3 * watch.seconds for watch in (receiving, sending, deflating)]
    return milliseconds[0], milliseconds[1] - milliseconds[2], milliseconds[2], join.peer.stats().bytes_in


@pytest.mark.parametrize("level", [1, 6])
def test_a_join_at_both_ends(level: int) -> None:
    join_once(level)
    rounds = [join_once(level) for _ in range(ROUNDS)]
    receiving, sending, deflating = (sorted(each[at] for each in rounds)[ROUNDS // 2] for at in range(3))
    print(f"\nradius-8 join of the bench world, deflate level {level}: {rounds[0][3] / 1e6:.2f} MB on the wire, CPU ms")
    for name, ms, goal in (
        ("receiving", receiving, "goal 60"),
        ("sending", sending, "goal 60"),
        ("deflate", deflating, ""),
    ):
        print(f"  {name:12s}{ms:8.1f}   {goal}")


def batches_of(kind: str) -> tuple[Callable[[list[bytes]], bytes], Callable[[bytes], int]]:
    """How a payload is made of packets, and how many bytes of packets are read out of it."""
    if kind == "RakNet alone":
        return (lambda packets: b"\xfe" + b"".join(packets)), (lambda payload: len(payload) - 1)
    writer, reader = BatchWriter(level=0), BatchReader()
    if kind == "encrypted batches":
        writer.encrypt_with(bytes(range(32)))
        reader.encrypt_with(bytes(range(32)))
    return writer.pack, lambda payload: sum(map(len, reader.packets(payload)))


def stream(total_bytes: int, kind: str) -> float:
    """Seconds of CPU for both ends of one stream."""
    sender, receiver = RaknetSession(Limits(), 1492, 0.0), RaknetSession(Limits(), 1492, 0.0)
    pack, read = batches_of(kind)
    packets = [bytes((index,)) * PACKET_BYTES for index in range(8)]
    now, sent, received = 0.0, 0, 0
    start = time.process_time()
    while received < total_bytes:
        while sent < total_bytes and sender.sender.waiting_bytes < 4 << 20:
            sender.send(pack(packets))
            sent += 8 * PACKET_BYTES
        for datagram in sender.datagrams(now):
            receiver.receive(datagram, now)
        while (payload := receiver.next_payload()) is not None:
            received += read(payload)
        for datagram in receiver.datagrams(now):
            sender.receive(datagram, now)
        now += 0.001
    return time.process_time() - start


@pytest.mark.parametrize("kind", ["RakNet alone", "stored batches", "encrypted batches"])
def test_a_stream_through_both_ends(kind: str) -> None:
    stream(STREAM_BYTES // 4, kind)
    seconds = sorted(stream(STREAM_BYTES, kind) for _ in range(5))
    best, median = STREAM_BYTES / seconds[0] / 1e6, STREAM_BYTES / seconds[2] / 1e6
    print(f"\n512 KiB payloads, both ends on one core, {kind}: {median:.0f} MB/s, best {best:.0f} (goal 100)")
