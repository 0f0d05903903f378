"""What strangers send over NetherNet: by HTTP, by LAN discovery, and in the datagrams of a session.

Input: a byte that says which reader, then its bytes. The association's are steps of u16le and that many bytes, each a
packet behind the right tag, so that an input gets past the header; those of LAN discovery are steps likewise, encrypted
by the right key where bit 15 of the length says so. Of ``dtls`` steps are datagrams with records.
"""

import contextlib
from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Final

from net.errors import ConnectionClosed, DecodeError
from net.nethernet import sctp, stun
from net.nethernet.channels import DataChannels
from net.nethernet.discovery import (
    DiscoveryKind,
    DiscoveryPacket,
    HostedWorld,
    LanGame,
    read_discovery,
    read_signal,
    read_world,
    write_signal,
    write_world,
)
from net.nethernet.dtls import DATAGRAM_BYTES, DtlsCertificate, DtlsEnd, is_dtls
from net.nethernet.ice import IceAgent
from net.nethernet.identity import check_identity, write_identity
from net.nethernet.lan import LanHost, LanLink
from net.nethernet.listener import OfferRefused
from net.nethernet.offer import ClientOffer
from net.nethernet.sctp_association import PART_OVERHEAD_BYTES, WINDOW_BYTES, SctpAssociation
from net.nethernet.sdp import (
    MESSAGE_BYTES,
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
from net.raknet.handshake import Address
from net.transport.http_server import read_request
from net.transport.http_signalling import read_status
from tests.fuzz.checks import check
from tests.support.session.nethernet_pair import sealed

MOST_STEPS: Final = 24
PARTIAL_BYTES: Final = 1 << 12
STEP_S: Final = 0.15
PEER: Final = ("127.0.0.1", 19132)
OTHER: Final = ("127.0.0.1", 19133)
UNIX_TIME: Final = 1_750_000_000.0
PRINTS: Final = (("sha-256", "AA:BB"),)
OWN_ID: Final = 9
GAME: Final = LanGame(PEER, 7, HostedWorld())
OWN: Final = SessionDescription("ownu", "ownpasswordownpassword", (), DtlsRole.EITHER)
PEERS: Final = SessionDescription("peer", "peerpasswordpeerpassword", (), DtlsRole.EITHER, (PEER,))


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
        agent = IceAgent(OWN, PEERS, controlling, even, 0.0)
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
    channels = DataChannels(end, False, 0, 1200, PARTIAL_BYTES)
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
        if data[at + 1] & 0x40:
            channels.open_by_messages()
            while channels.next_packet() is not None:
                pass
        check(channels.held_bytes <= PARTIAL_BYTES + end.held_bytes + MESSAGE_BYTES, "too many pieces are held")
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
        read_status("http://a", data)


def discoveries(data: bytes) -> None:
    """Packets of LAN discovery to a host and to a client that offers; the first byte of each step is its sender."""
    with contextlib.suppress(DecodeError):
        read_discovery(data)
    with contextlib.suppress(DecodeError):
        world = read_world(data)
        check(world.form != 7 or read_world(write_world(world)).players == world.players, "a world changes")
    with contextlib.suppress(DecodeError):
        signal = read_signal(data)
        check(signal is None or read_signal(write_signal(signal)) == signal, "a signal changes when it is written")
    host, client = LanHost(Nobody(), GAME.network_id), _offering()
    at = 0
    for step in range(MOST_STEPS):
        if at + 2 > len(data):
            return
        size = int.from_bytes(data[at : at + 2], "little") & 0x7FF
        plain = data[at + 2 : at + 2 + size]
        datagram = sealed(len(plain).to_bytes(2, "little") + plain[2:]) if data[at + 1] & 0x80 else plain
        now = step * STEP_S
        said = host.receive(PEER, datagram, lambda: (PEER,), now)
        check(len(said) <= MOST_CANDIDATES + 1, "more is answered than one offer needs")
        client.receive(datagram, now, GAME.address)
        client.outgoing(now)
        client.next_timer()
        check(len(client._early) <= MOST_CANDIDATES, "more candidates are kept than allowed")
        at += 2 + size


class Nobody:
    """A host of which nobody can be a guest."""

    def answer(self, offer: str, host: str, own: tuple[Address, ...], now: float, *, lan: bool) -> str:
        """None, after the offer was read."""
        try:
            read_description(offer)
        except DecodeError as error:
            raise OfferRefused(400, str(error), 13) from None
        return f"v=0\r\na={write_candidate(own[0], 0, 'abcd')}\r\n"

    def hosted_world(self) -> HostedWorld:
        """Any."""
        return HostedWorld(name="x")


@cache
def _offer() -> ClientOffer:
    return ClientOffer((OTHER,), "x", even, UNIX_TIME, with_identity=False)


def _offering() -> LanLink:
    offer = copy(_offer())
    offer.network_id = OWN_ID
    return LanLink(GAME, offer, even, UNIX_TIME, 0.0)


@cache
def _certificates() -> tuple[DtlsCertificate, DtlsCertificate]:
    return DtlsCertificate(UNIX_TIME), DtlsCertificate(UNIX_TIME)


def dtls(data: bytes) -> None:
    """Whole datagrams to an end of DTLS: a server's that waits, or one of a pair that is open, as the first bit says.

    After it steps of u16le and that many bytes; bit 15 of the length: the datagram is the other end's next one, of
    which the byte at the length's place is another.
    """
    certificate, others = _certificates()
    end = DtlsEnd(certificate, data[:1] >= b"\x80", (others.fingerprint,))
    other = DtlsEnd(others, data[:1] < b"\x80", (certificate.fingerprint,))
    at = 1
    for _ in range(MOST_STEPS):
        if at + 2 > len(data):
            break
        size = int.from_bytes(data[at : at + 2], "little")
        at += 2
        datagrams = [data[at : at + (size & 0x7FF)]]
        if size & 0x8000:
            datagrams = [_spoiled(datagram, size & 0x7FFF) for datagram in other.handshake_datagrams(0.0)]
        else:
            at += size & 0x7FF
        for datagram in filter(is_dtls, datagrams):
            for packet in end.receive(datagram):
                check(len(packet) <= 1 << 14, "a record is larger than DTLS allows")
        for datagram in end.handshake_datagrams(0.0):
            check(len(datagram) <= DATAGRAM_BYTES, "a datagram is larger than a path takes")
            other.receive(datagram)
        end.next_timer()
    check(end.failed is None or isinstance(end.failed, str), "it fails without words")


def _spoiled(datagram: bytes, place: int) -> bytes:
    """One whose byte at a place is another, where it has so many."""
    if place >= len(datagram):
        return datagram
    return datagram[:place] + bytes((datagram[place] ^ 0x55,)) + datagram[place + 1 :]


READERS: Final[tuple[Callable[[bytes], None], ...]] = (
    *(descriptions, messages, associations, identities, requests, discoveries),
)


def nethernet(data: bytes) -> None:
    """One of the readers."""
    READERS[data[0] % len(READERS) if data else 0](data[1:])


def _talk() -> bytes:
    """Both channels opened, a packet in three pieces, one that ends early."""
    said = [
        (0, 50, b"\3\0" + bytes(6) + b"\0\x13\0\0ReliableDataChannel"),
        (2, 50, b"\3\x81" + bytes(6) + b"\0\x15\0\0UnreliableDataChannel"),
        *((0, 53, bytes((left,)) + b"piece") for left in (2, 1, 0, 1)),
        (2, 53, b"\0unreliable"),
    ]
    chunks = [
        sctp.write_data(sctp.BEGIN | sctp.END, 1 + at, stream, 0, protocol, body)
        for at, (stream, protocol, body) in enumerate(said)
    ]
    return b"".join((len(chunk) | 0x4000).to_bytes(2, "little") + chunk for chunk in chunks)


def dtls_seeds() -> list[bytes]:
    """Handshakes of both sides, whole and spoilt, and records by themselves."""
    sides = (b"\0", b"\x80")
    places = (0x7FFF, 0, 5, 0x0D, 0x20, 0x60)
    return [
        *(side + (0x8000 | place).to_bytes(2, "little") * 6 for side in sides for place in places),
        *(
            side + b"\x19\0" + head + bytes(12)
            for side in sides
            for head in (bytes.fromhex("16fefd0000000000000000000c"), bytes.fromhex("17fefd0001000000000001000c"))
        ),
    ]


CONNECTION: Final = int.from_bytes(even(8), "big")


def _plain(packet: DiscoveryPacket) -> bytes:
    """A packet before it is encrypted."""
    head = bytes(2) + packet.kind.to_bytes(2, "little") + packet.sender.to_bytes(8, "little") + bytes(8)
    if packet.kind is DiscoveryKind.MESSAGE:
        return head + packet.recipient.to_bytes(8, "little") + len(packet.body).to_bytes(4, "little") + packet.body
    if packet.kind is DiscoveryKind.RESPONSE:
        return head + (2 * len(packet.body)).to_bytes(4, "little") + packet.body.hex().encode()
    return head


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
    offer = _offer().text
    said = [
        DiscoveryPacket(DiscoveryKind.REQUEST, 5),
        DiscoveryPacket(DiscoveryKind.RESPONSE, GAME.network_id, write_world(HostedWorld(name="x", nonce="ab"))),
        DiscoveryPacket(DiscoveryKind.MESSAGE, 5, f"CONNECTREQUEST 3 {offer}".encode(), GAME.network_id),
        *(
            DiscoveryPacket(DiscoveryKind.MESSAGE, GAME.network_id, signal.encode(), OWN_ID)
            for signal in (
                f"CANDIDATEADD {CONNECTION} {write_candidate(PEER, 0, 'abcd')}",
                f"CONNECTRESPONSE {CONNECTION} {offer.replace('actpass', 'active')}",
                f"CONNECTERROR {CONNECTION} 37",
                f"CONNECTERROR {CONNECTION} 16",
            )
        ),
    ]
    plain = [_plain(packet) for packet in said]
    asked = b"".join((len(part) | 0x8000).to_bytes(2, "little") + part for part in plain)
    return [
        b"\5" + asked,
        *(b"\5" + (len(part) | 0x8000).to_bytes(2, "little") + part for part in plain),
        b"\5" + write_world(HostedWorld(name="x")),
        b"\5CONNECTERROR 5 37",
        b"\0" + text.encode(),
        b"\1" + request,
        b"\2" + story,
        b"\2" + _talk(),
        *(b"\2" + len(part).to_bytes(2, "little") + part for part in parts),
        b"\3" + identity.encode(),
        b"\4POST /v1/join/5 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
        b'\4{"name":"x","protocol":2193,"version":"1.26.51","players":0,"maxPlayers":10}',
        b"\0" + write_candidate(PEER, 0, "abcd").encode(),
    ]
