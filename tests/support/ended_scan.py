"""A scan that ends once those who are expected have answered, however slow the machine is."""

import time
from types import SimpleNamespace

import pytest

from net.raknet.address import Address
from net.transport import discovery
from net.transport.discovery import Sightings

LONG_S = 200.0
"""How long it looks for those who never answer."""


def end_when_heard(monkeypatch: pytest.MonkeyPatch, servers: int = 1, answers: int = 1) -> None:
    """Its clock, the system's until then, passes every end once so many servers have answered so often."""
    passed_s = 0.0
    hear = Sightings.hear

    def heard(found: Sightings, address: Address, datagram: bytes, now_ms: float) -> bool:
        nonlocal passed_s
        kept = hear(found, address, datagram, now_ms)
        if len(found.all()) >= servers and all(seen.answers >= answers for seen in found.all()):
            passed_s = 2 * LONG_S
        return kept

    monkeypatch.setattr(Sightings, "hear", heard)
    monkeypatch.setattr(discovery, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + passed_s))
