"""What strangers send over NetherNet: descriptions, STUN messages, packets of SCTP, identities, HTTP requests.

Input: a byte that says which reader, then its bytes. The association's are steps of u16le and that many bytes, each a
packet behind the right tag, so that an input gets past the header.
"""

import contextlib
from collections.abc import Callable
from typing import Final

from net.errors import ConnectionClosed, DecodeError
from net.nethernet import sctp, stun
from net.nethernet.dtls import is_dtls
from net.nethernet.ice import IceAgent, IceCredentials
from net.nethernet.identity import check_identity, write_identity
from net.nethernet.sctp_association import PART_OVERHEAD_BYTES, WINDOW_BYTES, SctpAssociation
from net.nethernet.sdp import (
    MOST_CANDIDATES,
    DtlsRole,
    SessionDescription,
    read_candidate,
    read_description,
    write_candidate,
    write_description,
)
from net.nethernet.stun import StunKind, read_stun, write_stun
from net.raknet import Limits
from net.transport.http_server import read_request
from net.transport.http_signalling import read_status
from tests.fuzz.checks import check

MOST_STEPS: Final = 24
STEP_S: Final = 0.15
PEER: Final = ("127.0.0.1", 19132)
OTHER: Final = ("127.0.0.1", 19133)
UNIX_TIME: Final = 1_750_000_000.0
PRINTS: Final = (("sha-256", "AA:BB"),)
OWN: Final = IceCredentials("ownu", "ownpasswordownpassword")
PEERS: Final = IceCredentials("peer", "peerpasswordpeerpassword")


def even(size: int) -> bytes:
    """The same bytes each time."""
    return bytes((at * 37 + 1) & 0xFF for at in range(size))


def descriptions(data: bytes) -> None:
    """An offer or an answer; what reads, reads the same when it is written."""
    text = data.decode(errors="replace")
    read_candidate(text)
    with contextlib.suppress(DecodeError):
        found = read_description(text)
        check(len(found.candidates) <= MOST_CANDIDATES, "more candidates than allowed")
        check(read_description(write_description(found, 1)) == found, "a description changes when it is written")


def messages(data: bytes) -> None:
    """STUN at both ends of a connection; what nobody signed is not answered."""
    is_dtls(data)
    for controlling in (False, True):
        agent = IceAgent(OWN, PEERS, controlling, [PEER], even, 0.0)
        agent.datagrams(0.0)
        agent.receive(data, 0.01, OTHER)
        sent = [datagram for address, datagram in agent.datagrams(0.01) if address == OTHER]
        try:
            signed = read_stun(data).is_signed_by(OWN.password.encode())
        except DecodeError:
            signed = False
        check(signed or not sent, "what nobody signed is answered")
        agent.next_timer()


def associations(data: bytes) -> None:
    """Packets behind the right tag, at an end that has met the other."""
    end = SctpAssociation(even, Limits(), 0.0)
    end.start(0.0)
    end.receive(sctp.write_packet(0, sctp.write_init(sctp.INIT, 9, 1 << 20, 1, b"")), 0.0)
    end.send(0, 53, bytes(3000))
    at = 0
    for step in range(MOST_STEPS):
        if at + 2 > len(data):
            return
        size = int.from_bytes(data[at : at + 2], "little") & 0x7FF
        chunks = data[at + 2 : at + 2 + size]
        tag = 0 if chunks[:1] == bytes((sctp.INIT,)) else end._tag
        end.receive(tag.to_bytes(8, "big") + bytes(4) + chunks, step * STEP_S)
        end.packets(step * STEP_S)
        end.next_timer()
        while data[at + 1] & 0x80 and end.next_message() is not None:
            pass
        held = sum(len(chunk.body) for chunk in end._early.values()) + sum(map(len, end._partial))
        held += sum(len(message.body) for message in end._inbox)
        check(held <= end.held_bytes <= 2 * WINDOW_BYTES + PART_OVERHEAD_BYTES, "more is held than is counted")
        check(end.queued_bytes >= 0, "bytes on the way are miscounted")
        check(len(end._control) <= sctp.MOST_GAPS, "more answers wait than allowed")
        at += 2 + size


def identities(data: bytes) -> None:
    """The text of ``a=identity``."""
    with contextlib.suppress(DecodeError):
        check_identity(data.decode(errors="replace"), PRINTS, UNIX_TIME)


def requests(data: bytes) -> None:
    """A request to our HTTP server, and what a server says of itself."""
    with contextlib.suppress(DecodeError):
        request = read_request(data)
        check(request is None or len(request.body) <= len(data), "a body is larger than what came")
    with contextlib.suppress(ConnectionClosed):
        read_status(data)


READERS: Final[tuple[Callable[[bytes], None], ...]] = (descriptions, messages, associations, identities, requests)


def nethernet(data: bytes) -> None:
    """One of the readers."""
    READERS[data[0] % len(READERS) if data else 0](data[1:])


def seeds() -> list[bytes]:
    """What the product's own writers make."""
    from net.bedrock.login.tokens import new_key  # noqa: PLC0415 - slow, and needed by nobody else

    identity = write_identity(new_key(even), PRINTS, UNIX_TIME, "x")
    text = write_description(
        SessionDescription("abcd", "p" * 24, PRINTS, DtlsRole.EITHER, (PEER, ("::1", 5)), identity), 7
    )
    username = f"{OWN.ufrag}:{PEERS.ufrag}".encode()
    asked = [(stun.USERNAME, username), (stun.PRIORITY, bytes(4)), (stun.USE_CANDIDATE, b"")]
    request = write_stun(StunKind.REQUEST, even(12), asked, OWN.password.encode())
    parts = [
        sctp.write_data(sctp.BEGIN, 1, 0, 0, 53, b"a"),
        sctp.write_data(sctp.END, 2, 0, 0, 53, b"b"),
        sctp.write_data(sctp.BEGIN | sctp.END, 4, 2, 0, 50, b"\x02"),
        sctp.write_chunk(sctp.FORWARD_TSN, 0, (3).to_bytes(4, "big")),
        sctp.write_sack(1, 1 << 20, [(2, 3)]),
        sctp.write_init(sctp.INIT_ACK, 9, 5, 1, sctp.write_parameter(sctp.STATE_COOKIE, b"c" * 16)),
        sctp.write_chunk(sctp.COOKIE_ECHO, 0, even(16)),
        sctp.write_chunk(sctp.COOKIE_ACK),
        sctp.write_chunk(sctp.HEARTBEAT, 0, b"h" * 8),
        sctp.write_chunk(sctp.RE_CONFIG, 0, sctp.write_parameter(sctp.OUTGOING_RESET, bytes(14))),
        sctp.write_chunk(sctp.SHUTDOWN, 0, bytes(4)),
    ]
    story = b"".join((len(part) | 0x8000).to_bytes(2, "little") + part for part in parts)
    return [
        b"\0" + text.encode(),
        b"\1" + request,
        b"\2" + story,
        *(b"\2" + len(part).to_bytes(2, "little") + part for part in parts),
        b"\3" + identity.encode(),
        b"\4POST /v1/join/5 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
        b'\4{"name":"x","protocol":2193,"version":"1.26.51","players":0,"maxPlayers":10}',
        b"\0" + write_candidate(PEER, 0, "abcd").encode(),
    ]
