"""A client and a listener of RakNet on two faulty wires, in virtual time."""

from collections.abc import Callable
from random import Random

from net.raknet import ClientConnection, Limits, Listener, ServerConnection
from net.transport.faulty import PERFECT, Wire, WireFaults

CLIENT = ("127.0.0.1", 50000)
SERVER = ("127.0.0.1", 19132)


def entropy(seed: int) -> Callable[[int], bytes]:
    return Random(seed).randbytes


class Pair:
    """``run`` lets virtual time pass event by event until a condition holds."""

    def __init__(
        self,
        up: WireFaults = PERFECT,
        down: WireFaults = PERFECT,
        seed: int = 0,
        limits: Limits | None = None,
        **client_options: object,
    ) -> None:
        self.now = 100.0
        self.limits = limits or Limits()
        self.up, self.down = Wire(up, seed), Wire(down, seed + 1)
        self.listener = Listener(7, "MCPE;x;486;1.18.11;0;1;7;y;Survival;1;19132;19132;", entropy(seed))
        self.client = ClientConnection(SERVER, 9, self.now, limits=self.limits, **client_options)
        self.server: ServerConnection | None = None
        self.from_client: list[bytes] = []
        self.from_server: list[bytes] = []

    def exchange(self) -> None:
        """Delivers what has arrived and sends what is due, once."""
        for datagram in self.up.pop(self.now):
            self.listener.receive(CLIENT, datagram, self.now)
        for datagram in self.down.pop(self.now):
            self.client.receive(datagram, self.now)
        self.server = self.listener.accept() or self.server
        while self.server and (payload := self.server.next_payload()) is not None:
            self.from_client.append(payload)
        while (payload := self.client.next_payload()) is not None:
            self.from_server.append(payload)
        for datagram in self.client.datagrams(self.now):
            self.up.push(datagram, self.now)
        for _, datagram in self.listener.datagrams(self.now):
            self.down.push(datagram, self.now)

    def run(self, until: Callable[[], bool], limit_s: float = 120.0) -> bool:
        """Whether the condition came true within so much virtual time."""
        end = self.now + limit_s
        while self.now < end:
            self.exchange()
            if until():
                return True
            timers = [part.next_timer() for part in (self.client, self.listener, self.up, self.down)]
            due = [timer for timer in timers if timer is not None]
            if not due:
                return False
            self.now = max(self.now + 1e-6, min(due))
        return False

    def connect(self) -> ServerConnection:
        assert self.run(lambda: self.client.connected and self.server is not None), self.client.closed
        assert self.server is not None
        return self.server
