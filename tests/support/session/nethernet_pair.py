"""Both ends of NetherNet in one thread and in virtual time: associations alone, and the whole stack."""

import hmac
from collections.abc import Callable
from hashlib import sha256
from random import Random

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from net.nethernet.connection import NetherNetConnection
from net.nethernet.discovery import HostedWorld, LanGame
from net.nethernet.lan import LanHost, LanLink
from net.nethernet.listener import NetherNetListener, OfferRefused
from net.nethernet.offer import ClientOffer
from net.nethernet.sctp_association import SctpAssociation, SctpMessage
from net.nethernet.sdp import NO_IDENTITY
from net.raknet import Limits
from net.raknet.handshake import Address
from net.transport.faulty import PERFECT, Wire, WireFaults

CLIENT = ("127.0.0.1", 50000)
HOST = ("127.0.0.1", 7551)
HOST_ID = 777
WORLD = HostedWorld(name="a host", protocol=2193, version="1.26.51", level="a world", players=1, max_players=8)
SERVER = ("127.0.0.1", 19132)
UNIX_TIME = 1_750_000_000.0
DISCOVERY_KEY = sha256((0xDEADBEEF).to_bytes(8, "little")).digest()
_GRAIN_S = 1e-5


def sealed(plain: bytes) -> bytes:
    """A datagram of LAN discovery with any content, encrypted with the key, which is public."""
    padding = 16 - len(plain) % 16
    cipher = Cipher(algorithms.AES(DISCOVERY_KEY), modes.ECB()).encryptor()
    return hmac.digest(DISCOVERY_KEY, plain, "sha256") + cipher.update(plain + bytes((padding,)) * padding)


class AssociationPair:
    """Two associations without encryption, each on a wire of its own."""

    def __init__(self, up: WireFaults, down: WireFaults, seed: int = 0, limits: Limits | None = None) -> None:
        self.now = 0.0
        self.ends = [SctpAssociation(Random(seed + at).randbytes, limits or Limits(), 0.0) for at in range(2)]
        self._wires = [Wire(up, seed), Wire(down, seed + 1)]
        self.received: list[list[SctpMessage]] = [[], []]
        for end in self.ends:
            end.start(0.0)

    def _round(self) -> bool:
        busy = False
        for at, end in enumerate(self.ends):
            for packet in end.packets(self.now):
                self._wires[at].push(packet, self.now)
                busy = True
        for at, wire in enumerate(self._wires):
            for packet in wire.pop(self.now):
                self.ends[1 - at].receive(packet, self.now)
                busy = True
        for at, end in enumerate(self.ends):
            while (message := end.next_message()) is not None:
                self.received[at].append(message)
        return busy

    def run(self, until: Callable[[], bool], limit_s: float = 120.0) -> bool:
        """Jumps from event to event until a condition holds."""
        end = self.now + limit_s
        while self.now < end:
            while self._round():
                pass
            if until():
                return True
            timers = [part.next_timer() for part in (*self.ends, *self._wires)]
            known = [timer for timer in timers if timer is not None]
            if not known:
                return until()
            self.now = max(min(known), self.now + _GRAIN_S)
        return until()


class NetherNetPair:
    """A client and a listener. They join on perfect wires, since OpenSSL's timers use the real clock.

    After that, ``spoil`` adds faults to the wires.
    """

    def __init__(self, seed: int = 0) -> None:
        self.now = 0.0
        entropy = Random(seed).randbytes
        self.listener = NetherNetListener(entropy, UNIX_TIME, 0.0)
        self.client: NetherNetConnection | LanLink = self._signal(entropy)
        self.server: NetherNetConnection | None = None
        self._up, self._down = Wire(PERFECT, seed), Wire(PERFECT, seed + 1)
        self.from_client: list[bytes] = []
        self.from_server: list[bytes] = []

    def _signal(self, entropy: Callable[[int], bytes]) -> NetherNetConnection | LanLink:
        self.offer = ClientOffer((CLIENT,), "x", entropy, UNIX_TIME)
        answer = self.listener.answer(self.offer.text, CLIENT[0], (SERVER,), 0.0)
        client, self.identity = self.offer.answered(answer, UNIX_TIME, 0.0)
        return client

    def join(self) -> NetherNetConnection:
        """Runs until both channels are open; returns the server's end."""
        assert self.run(lambda: self.client.connected and self.server is not None), self.client.closed
        assert self.server is not None
        return self.server

    def spoil(self, faults: WireFaults) -> None:
        """Sets the faults of both wires."""
        self._up.faults = self._down.faults = faults

    def _serve(self, datagram: bytes) -> list[bytes]:
        """Passes a datagram to the server; returns its immediate answers."""
        self.listener.receive(CLIENT, datagram, self.now)
        return []

    def _round(self) -> bool:
        outgoing = [datagram for _, datagram in self.client.outgoing(self.now)]
        for datagram in outgoing:
            self._up.push(datagram, self.now)
        arrived = self._up.pop(self.now)
        answers = [answer for datagram in arrived for answer in self._serve(datagram)]
        self.server = self.server or self.listener.accept()
        answers += [datagram for address, datagram in self.listener.datagrams(self.now) if address == CLIENT]
        for datagram in answers:
            self._down.push(datagram, self.now)
        returned = self._down.pop(self.now)
        for datagram in returned:
            self.client.receive(datagram, self.now)
        for end, packets in ((self.client, self.from_server), (self.server, self.from_client)):
            while end is not None and (packet := end.next_payload()) is not None:
                packets.append(packet)
        return bool(outgoing or arrived or answers or returned)

    def run(self, until: Callable[[], bool], limit_s: float = 60.0) -> bool:
        """Jumps from event to event until a condition holds."""
        end = self.now + limit_s
        while self.now < end:
            while self._round():
                pass
            if until():
                return True
            timers = [part.next_timer() for part in (self.client, self.listener, self._up, self._down)]
            known = [timer for timer in timers if timer is not None]
            if not known:
                return until()
            self.now = max(min(known), self.now + _GRAIN_S)
        return until()


class LanPair(NetherNetPair):
    """A pair that joins by LAN discovery.

    Args:
        seed: of all random choices.
        lost: numbers of the signalling datagrams that get lost, counted from 0.
        signed: whether the host refuses unsigned offers.
    """

    def __init__(self, seed: int = 0, lost: frozenset[int] = frozenset(), *, signed: bool = False) -> None:
        self._lost = lost
        self._signed = signed
        self.signals = 0
        super().__init__(seed)

    def _signal(self, entropy: Callable[[int], bytes]) -> LanLink:
        self.host = LanHost(self, HOST_ID, "abc")
        self.offer = ClientOffer((CLIENT,), "x", entropy, UNIX_TIME, with_identity=False)
        return LanLink(LanGame(HOST, HOST_ID, WORLD), self.offer, entropy, UNIX_TIME, 0.0)

    def _is_lost(self) -> bool:
        self.signals += 1
        return self.signals - 1 in self._lost

    def _serve(self, datagram: bytes) -> list[bytes]:
        if self.listener.takes(CLIENT, datagram):
            return super()._serve(datagram)
        if self._is_lost():
            return []
        answers = self.host.receive(CLIENT, datagram, lambda: (SERVER,), self.now)
        return [answer for answer in answers if not self._is_lost()]

    # ---------------------------------------------------------------- what the host asks

    def answer(self, offer: str, host: str, own: tuple[Address, ...], now: float, *, lan: bool) -> str:
        """The listener's answer, or OfferRefused."""
        if self._signed and "a=identity" not in offer:
            raise OfferRefused(200, "who are you?", NO_IDENTITY)
        return self.listener.answer(offer, host, own, now, lan=lan)

    def hosted_world(self) -> HostedWorld:
        """The world that the host announces."""
        return WORLD
