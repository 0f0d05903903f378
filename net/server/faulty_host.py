"""A host behind bad wires: each client has two of its own, and the server may fall silent for a while.

Rules:
1. It is a ``Host`` itself: a socket's loop or a loopback drives it and cannot tell.
2. Wires are seeded with the script's seed and the client's number in order of appearance.
3. In a silence nothing leaves and nothing arrives; the host behind it goes on living.
4. A client's wires are forgotten when nothing has passed them for ``_FORGOTTEN_S``.
"""

from dataclasses import dataclass
from typing import Final

from net.raknet import Address
from net.server.faults import Faults
from net.transport.contract import Host
from net.transport.faulty import Wire

_FORGOTTEN_S: Final = 60.0
_MOST_CLIENTS: Final = 1024
"""Addresses with wires; datagrams of further ones are lost."""


@dataclass(slots=True)
class _Path:
    up: Wire
    down: Wire
    used_at: float


class FaultyHost:
    """``host`` as the script's wires let it appear."""

    def __init__(self, host: Host, faults: Faults) -> None:
        self._host = host
        self._faults = faults
        self._paths: dict[Address, _Path] = {}
        self._seen = 0
        self._began_at: float | None = None

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        """A datagram enters the wire to the host."""
        if self._began_at is None:
            self._began_at = now
        if not self._silent(now) and (path := self._path(address, now)) is not None:
            path.up.push(datagram, now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """Lets the host have what has arrived, and gives what comes out of the wires to the clients."""
        silent = self._silent(now)
        for address, path in self._paths.items():
            for datagram in path.up.pop(now):
                self._host.receive(address, datagram, now)
        for address, datagram in self._host.datagrams(now):
            if not silent and (found := self._path(address, now)) is not None:
                found.down.push(datagram, now)
        out = [(address, datagram) for address, path in self._paths.items() for datagram in path.down.pop(now)]
        for address in [address for address, path in self._paths.items() if now - path.used_at > _FORGOTTEN_S]:
            del self._paths[address]
        return out

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest."""
        timers = [self._host.next_timer()]
        for path in self._paths.values():
            timers += [path.up.next_timer(), path.down.next_timer()]
        return min((timer for timer in timers if timer is not None), default=None)

    def _silent(self, now: float) -> bool:
        silence = self._faults.silence
        if silence is None or self._began_at is None:
            return False
        return silence.after_s <= now - self._began_at < silence.after_s + silence.for_s

    def _path(self, address: Address, now: float) -> _Path | None:
        path = self._paths.get(address)
        if path is None:
            if len(self._paths) >= _MOST_CLIENTS:
                return None
            seed = hash((self._faults.seed, self._seen))
            self._seen += 1
            path = self._paths[address] = _Path(Wire(self._faults.up, seed), Wire(self._faults.down, seed + 1), now)
        path.used_at = now
        return path
