"""RakNet keeps its promise on a bad wire: each payload once and in order, whatever the wire does."""

from hypothesis import given, settings
from hypothesis import strategies as st

from net.raknet import Reliability
from net.transport.faulty import WireFaults
from tests.support.session.wires import Pair

BAD_WIRES = st.builds(
    WireFaults,
    loss=st.floats(0, 0.3),
    repetition=st.floats(0, 0.3),
    delay_s=st.floats(0, 0.15),
    jitter_s=st.floats(0, 0.08),
)
SIZES = st.lists(
    st.one_of(st.integers(1, 200), st.integers(1300, 1600), st.integers(1, 60_000)), min_size=1, max_size=20
)


def payloads(sizes: list[int], mark: int) -> list[bytes]:
    return [
        bytes((0xFE, mark, index & 0xFF)) + bytes((index * 7 + size) & 0xFF for _ in range(size))
        for index, size in enumerate(sizes)
    ]


@settings(max_examples=40, deadline=None)
@given(BAD_WIRES, BAD_WIRES, SIZES, SIZES, st.integers(0, 1 << 20))
def test_reliable_ordered_payloads_arrive_once_and_in_order(
    up: WireFaults, down: WireFaults, from_client: list[int], from_server: list[int], seed: int
) -> None:
    pair = Pair(up, down, seed)
    # ten unanswered requests in a row may happen on such a wire; the handshake has its own test
    if not pair.run(lambda: pair.client.connected and pair.server is not None):
        return
    server = pair.server
    assert server is not None
    there, back = payloads(from_client, 1), payloads(from_server, 2)
    for payload in there:
        pair.client.send(payload)
    for payload in back:
        server.send(payload)
    done = pair.run(lambda: len(pair.from_client) >= len(there) and len(pair.from_server) >= len(back))
    assert done, (pair.client.closed, server.closed)
    pair.run(lambda: False, 3.0)
    assert pair.from_client == there
    assert pair.from_server == back


@settings(max_examples=25, deadline=None)
@given(BAD_WIRES, st.integers(0, 1 << 20))
def test_each_reliability_keeps_its_own_promise(wire: WireFaults, seed: int) -> None:
    pair = Pair(wire, wire, seed)
    if not pair.run(lambda: pair.client.connected and pair.server is not None):
        return
    sent: dict[Reliability, list[bytes]] = {kind: [] for kind in Reliability}
    for index in range(30):
        for kind in Reliability:
            payload = bytes((0xFE, kind, index))
            sent[kind].append(payload)
            pair.client.send(payload, kind, channel=1)
        pair.run(lambda: False, 0.01)
    pair.run(lambda: False, 20.0)
    came = {kind: [p for p in pair.from_client if p[1] == kind] for kind in Reliability}
    assert came[Reliability.RELIABLE_ORDERED] == sent[Reliability.RELIABLE_ORDERED]
    assert sorted(came[Reliability.RELIABLE]) == sent[Reliability.RELIABLE]
    assert len(set(came[Reliability.UNRELIABLE])) == len(came[Reliability.UNRELIABLE])
    for kind in (Reliability.UNRELIABLE_SEQUENCED, Reliability.RELIABLE_SEQUENCED):
        assert came[kind] == sorted(set(came[kind]))
