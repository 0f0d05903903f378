"""Whatever bytes arrive, RakNet raises nothing and holds no more than its limits."""

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from net.raknet import ClientConnection, Limits, Listener
from net.raknet.ack import write_acks
from net.raknet.connection import RaknetSession
from net.raknet.frame import Fragment, Frame, Reliability, write_frame
from net.raknet.handshake import MAGIC
from tests.support.session.wires import CLIENT, SERVER, Pair, entropy

SMALL = replace(
    Limits(),
    order_bytes=20_000,
    fragments=64,
    partial_payloads=8,
    partial_bytes=20_000,
    inbox_bytes=20_000,
    reliable_ahead=256,
    hole_ranges=32,
)
SHORT = st.integers(0, 0xFFFFFF) | st.integers(0, 400)
FRAMES = st.builds(
    Frame,
    st.binary(min_size=1, max_size=600),
    st.sampled_from(Reliability),
    SHORT,
    SHORT,
    SHORT,
    st.integers(0, 31),
    st.none() | st.builds(Fragment, st.integers(0, 100), st.integers(0, 20), st.integers(0, 100)),
)
DATA = st.builds(
    lambda number, frames: b"\x84" + number.to_bytes(3, "little") + b"".join(map(write_frame, frames)),
    SHORT,
    st.lists(FRAMES, max_size=4),
)
ACKS = st.builds(
    lambda kind, ranges: b"".join(write_acks(kind, ranges, 1400)[:1]),
    st.sampled_from([0xC0, 0xA0]),
    st.lists(st.tuples(SHORT, SHORT), max_size=40),
)
OFFLINE = st.builds(lambda kind, rest: bytes((kind,)) + MAGIC + rest, st.integers(0, 0x20), st.binary(max_size=60))
ANYTHING = st.lists(st.one_of(DATA, ACKS, OFFLINE, st.binary(max_size=80)), max_size=60)


@settings(deadline=None)
@given(ANYTHING)
def test_a_session_holds_no_more_than_its_limits(datagrams: list[bytes]) -> None:
    session = RaknetSession(SMALL, 1492, 0.0)
    session.send(b"\xfe" + bytes(5000))
    for index, datagram in enumerate(datagrams):
        now = index * 0.01
        session.receive(datagram, now)
        assert session.held_bytes <= 60_000 + 2 * 700
        session.datagrams(now)
        assert session.sender.in_flight_bytes >= 0
        timer = session.next_timer()
        assert timer is not None or session.ended is not None


@settings(deadline=None)
@given(ANYTHING)
def test_a_client_outlives_any_bytes_or_ends_with_a_reason(datagrams: list[bytes]) -> None:
    fresh = ClientConnection(SERVER, 1, 0.0, limits=SMALL)
    pair = Pair(limits=SMALL)
    pair.connect()
    for client, now in ((fresh, 0.0), (pair.client, pair.now)):
        for datagram in datagrams:
            client.receive(datagram, now)
            client.datagrams(now)
        assert client.closed is None or client.closed


@settings(deadline=None)
@given(ANYTHING)
def test_a_listener_keeps_its_other_clients(datagrams: list[bytes]) -> None:
    pair = Pair()
    pair.connect()
    strangers = Listener(7, "", entropy(1), most_connections=4)
    for index, datagram in enumerate(datagrams):
        pair.listener.receive(("10.0.0.1", 1000 + index), datagram, pair.now)
        strangers.receive(CLIENT, datagram, 0.0)
        strangers.datagrams(0.0)
    assert strangers.connections <= 4
    pair.client.send(b"\xfestill served")
    assert pair.run(lambda: pair.from_client == [b"\xfestill served"], 5.0)
