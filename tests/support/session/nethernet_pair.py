"""Both ends of NetherNet in one thread and on a clock of the test: bare associations, and the whole stack."""

from collections.abc import Callable
from random import Random

from net.nethernet.connection import NetherNetConnection
from net.nethernet.listener import NetherNetListener
from net.nethernet.offer import ClientOffer
from net.nethernet.sctp_association import SctpAssociation, SctpMessage
from net.raknet import Limits
from net.transport.faulty import PERFECT, Wire, WireFaults

CLIENT = ("127.0.0.1", 50000)
SERVER = ("127.0.0.1", 19132)
UNIX_TIME = 1_750_000_000.0
_GRAIN_S = 1e-5


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
    """A client and a listener, joined on perfect wires; OpenSSL's timers know no other clock than the real one.

    Afterwards the wires are as bad as ``spoil`` makes them.
    """

    def __init__(self, seed: int = 0) -> None:
        self.now = 0.0
        entropy = Random(seed).randbytes
        self.listener = NetherNetListener(entropy, UNIX_TIME, 0.0)
        self.offer = ClientOffer((CLIENT,), "x", entropy, UNIX_TIME)
        answer = self.listener.answer(self.offer.text, CLIENT[0], (SERVER,), 0.0)
        self.client, self.identity = self.offer.answered(answer, UNIX_TIME, 0.0)
        self.server: NetherNetConnection | None = None
        self._up, self._down = Wire(PERFECT, seed), Wire(PERFECT, seed + 1)
        self.from_client: list[bytes] = []
        self.from_server: list[bytes] = []

    def join(self) -> NetherNetConnection:
        """Runs until both channels are open; gives the server's end."""
        assert self.run(lambda: self.client.connected and self.server is not None), self.client.closed
        assert self.server is not None
        return self.server

    def spoil(self, faults: WireFaults) -> None:
        """Both wires from now on."""
        self._up.faults = self._down.faults = faults

    def _round(self) -> bool:
        outgoing = [datagram for _, datagram in self.client.outgoing(self.now)]
        for datagram in outgoing:
            self._up.push(datagram, self.now)
        arrived = self._up.pop(self.now)
        for datagram in arrived:
            self.listener.receive(CLIENT, datagram, self.now)
        self.server = self.server or self.listener.accept()
        answers = [datagram for address, datagram in self.listener.datagrams(self.now) if address == CLIENT]
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
