"""Time NetherNet: a radius-8 join beside one over RakNet, and large payloads as fast as one core receives them.

Goals (issue 4/8): the join takes at most 1.5 times RakNet's in the same run; payloads of 512 KiB are received with 60
MB per processor second. The figures are printed, not asserted. Run with ``-s`` to see them.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Literal

import pytest

from client.connection.opening import open_connection
from client.options import Options
from client.source import parse_source
from net.peer import Transports
from net.server.host_options import HostOptions
from net.server.worlds import open_worlds
from tests.support.servers.process import threaded_server
from tests.support.session.nethernet_pair import NetherNetPair

pytestmark = pytest.mark.bench
Transport = Literal["raknet", "nethernet"]
RADIUS = 8
ROUNDS = 7
PAYLOAD_BYTES = 512 << 10
PAYLOADS = 64


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server that takes both; keys of servers are remembered nowhere else."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    options = HostOptions(radius_max=RADIUS + 1, transports=Transports.BOTH, warm_radius=RADIUS + 1)
    with threaded_server(open_worlds("bench:1")[0], 2193, options) as port:
        yield port


def test_a_join_beside_one_over_raknet(port: int) -> None:
    took: dict[Transport, list[float]] = {"raknet": [], "nethernet": []}
    for _ in range(ROUNDS + 1):
        for transport, taken in took.items():
            start = time.perf_counter()
            with open_connection(
                parse_source(f"127.0.0.1:{port}"),
                Options(radius=RADIUS, light=False, cache=False, transport=transport),
            ) as connection:
                assert connection.wait_settled().settled
            taken.append(time.perf_counter() - start)
    raknet, nethernet = (median(taken[1:]) for taken in took.values())  # the first makes the world
    each = ", ".join(f"{one / other:.2f}" for other, one in list(zip(*took.values(), strict=True))[1:])
    print(f"\nsettled after: raknet {raknet:.2f} s, nethernet {nethernet:.2f} s: {nethernet / raknet:.2f} ({each})")


def test_large_payloads() -> None:
    pair = NetherNetPair()
    server = pair.join()
    received, payload = 0, bytes(PAYLOAD_BYTES)
    spent = 0.0
    for _ in range(PAYLOADS):
        server.send(payload)
        taken = 0
        while not taken:
            datagrams = [datagram for _, datagram in pair.listener.datagrams(pair.now)]
            start = time.process_time()
            for datagram in datagrams:
                pair.client.receive(datagram, pair.now)
            while (packet := pair.client.next_payload()) is not None:
                taken += len(packet)
            answers = [datagram for _, datagram in pair.client.outgoing(pair.now)]
            spent += time.process_time() - start
            for datagram in answers:
                pair.listener.receive(("127.0.0.1", 50000), datagram, pair.now)
            pair.now += 0.001
        received += taken
    rate = received / spent / 1e6
    print(f"\n{received / 1e6:.0f} MB in payloads of 512 KiB: {rate:.0f} MB per processor second received")
