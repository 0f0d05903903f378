"""Datagrams of strangers at each end of RakNet.

Input: a byte that says which end, then steps of u16le and that many bytes: the low 11 bits are the length of a
datagram, the high 5 what else happens (``HOLDS`` and following).

Rules:
1. Limits are so low that an input can reach them. What an end holds is recounted here, member by member: its own
   counters must not say less, and its limits must hold for both.
2. Ends are made the same way each time and time starts at 0, so what ``tests.fuzz.seeds`` recorded of a connection
   connects again.
"""

import contextlib
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from net.errors import LocalProtocolError
from net.raknet import ClientConnection, Limits, Listener, ServerConnection
from net.raknet.connection import RaknetSession
from net.raknet.limits import VERSIONS
from tests.fuzz.checks import check

HOLDS: Final = 1 << 11
"""The owner stops keeping up, or does again."""
SAYS: Final = 1 << 12
"""The owner sends three datagrams' worth; at a listener, the datagram is another stranger's."""
LEAVES: Final = 1 << 13
"""The owner does not take what has arrived."""
STEPS_S: Final = (0.01, 0.3, 2.6, 11.0)
"""How much time passes, by the highest two bits: within a round trip, beyond it, to the next ping, too long."""
MOST_STEPS: Final = 24

SMALL: Final = replace(
    Limits(),
    mtus=(576,),
    datagram_jump=4096,
    hole_ranges=8,
    reliable_ahead=64,
    order_bytes=2048,
    fragments=16,
    partial_payloads=4,
    partial_bytes=2048,
    inbox_bytes=2048,
    outbox_bytes=8192,
)
LARGEST_ROUND: Final = HOLDS + 1024
"""A datagram, with the overhead of holding a piece of it: by so much the last one before the end may break a limit."""
ADDRESS: Final = ("127.0.0.1", 19132)
OTHER: Final = ("127.0.0.1", 19133)
MOST_CONNECTIONS: Final = 2
LISTENERS: Final = {2: False, 3: True}
"""By the first byte: whether addresses are proved with cookies."""
ENDS: Final = 4


def new_session() -> RaknetSession:
    """A session as a listener's side holds it, from its first datagram on."""
    return RaknetSession(SMALL, SMALL.mtus[0], 0.0)


def new_client() -> ClientConnection:
    """A client before its first request."""
    return ClientConnection(ADDRESS, 1, 0.0, limits=SMALL)


def new_listener(kind: int) -> Listener:
    """A listener without a connection; ``kind`` of ``LISTENERS``."""
    text = "MCPE;x;486;1.18.11;0;1;"
    cookies_from = VERSIONS[0] if LISTENERS[kind] else None
    return Listener(7, text, bytes, cookies_from=cookies_from, most_connections=MOST_CONNECTIONS, limits=SMALL)


def story(kind: int, said: list[bytes], what: int = 0) -> bytes:
    """The input in which ``said`` arrives at an end, one a step; ``what`` else happens is the same in each."""
    return bytes((kind,)) + b"".join((len(each) | what).to_bytes(2, "little") + each for each in said)


def steps(data: bytes) -> Iterator[tuple[bytes, int, float]]:
    """(datagram, what else happens, now) of each step."""
    now, at = 0.0, 1
    for _ in range(MOST_STEPS):
        if at + 2 > len(data):
            return
        said = int.from_bytes(data[at : at + 2], "little")
        end = at + 2 + said % HOLDS
        yield data[at + 2 : end], said, now
        now += STEPS_S[said >> 14]
        at = end


def datagrams(data: bytes) -> None:
    """The steps of one input at a session, a client or a listener."""
    kind = data[0] % ENDS if data else 0
    if kind in LISTENERS:
        at_listener(new_listener(kind), data)
    else:
        at_one_end(new_client() if kind else new_session(), data)


def at_one_end(end: RaknetSession | ClientConnection, data: bytes) -> None:
    """A session, or a client from its first request on."""
    hold = False
    for datagram, what, now in steps(data):
        hold ^= bool(what & HOLDS)
        end.set_hold(hold)
        end.receive(datagram, now)
        if what & SAYS:
            with contextlib.suppress(LocalProtocolError):  # not connected yet, or more than the outbox takes
                end.send(b"\xfe" + bytes(1500))
        end.datagrams(now)
        end.next_timer()
        while not what & LEAVES and end.next_payload() is not None:
            pass
        check_session(end if isinstance(end, RaknetSession) else end._session)


def at_listener(listener: Listener, data: bytes) -> None:
    """A listener whose owner answers everything with as many bytes."""
    accepted: list[ServerConnection] = []
    for datagram, what, now in steps(data):
        listener.receive(OTHER if what & SAYS else ADDRESS, datagram, now)
        while (connection := listener.accept()) is not None:
            accepted.append(connection)
        for connection in accepted:
            while not what & LEAVES and (payload := connection.next_payload()) is not None:
                with contextlib.suppress(LocalProtocolError):
                    connection.send(payload)
        listener.datagrams(now)
        listener.next_timer()
        check(listener.connections <= MOST_CONNECTIONS, "more connections than allowed")
        for each in listener._connections.values():
            check_session(each._session)


def check_session(session: RaknetSession | None) -> None:
    """What a session holds is what it says, and within its limits."""
    if session is None:
        return
    partials = session._fragments._partials.values()
    pieces = sum(len(piece) for partial in partials for piece in partial.pieces.values())
    channels = [channel for channel in session._order._channels if channel is not None]
    early = sum(len(payload) for channel in channels for payload in channel.ordered.values())
    early += sum(sum(map(len, each.values())) for channel in channels for each in channel.sequenced.values())
    for what, held, counted, limit in (
        ("incomplete payloads", pieces, session._fragments.held_bytes, SMALL.partial_bytes),
        ("early payloads", early, session._order.held_bytes, SMALL.order_bytes),
        ("payloads", sum(len(payload) for payload, _ in session._inbox), session._inbox_bytes, SMALL.inbox_bytes),
    ):
        check(held <= counted <= limit + LARGEST_ROUND, f"{held} bytes of {what} held, {counted} counted")
    check(len(partials) <= SMALL.partial_payloads, "more incomplete payloads than allowed")
    check(len(session.arrivals._holes) <= SMALL.hole_ranges, "more gaps than allowed")
    check(len(session._reliable._holes) <= SMALL.reliable_ahead, "more missing frames than allowed")
    sender = session.sender
    check(sender.in_flight_bytes >= 0 and sender.waiting_bytes >= 0, "bytes on the way are miscounted")
    check(sender.queued_bytes <= 2 * SMALL.outbox_bytes, "more waits to be sent than allowed")
