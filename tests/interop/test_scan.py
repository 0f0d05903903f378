"""A server nobody here wrote answers a scan of this machine with what it says about itself."""

from pathlib import Path

import pytest

from net.transport.discovery import scan
from tests.support.servers.foreign import ForeignServer, random_world
from tests.support.servers.process import LONG_S, broadcast_address, end_when_heard

pytestmark = pytest.mark.interop


def test_bedrock_protocols_advertisement_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_when_heard(monkeypatch)
    with ForeignServer(random_world(0, seed=1), tmp_path, mode="limited", maxPlayers=7) as server:
        (seen,) = scan([("127.0.0.1", server.port), ("::1", server.port)], LONG_S)
    assert seen.address == ("127.0.0.1", server.port)
    assert (seen.pong.protocol, seen.pong.version) == (486, "1.18.11")
    assert (seen.pong.players, seen.pong.max_players) == (0, 7)
    assert seen.pong.motd
    assert seen.answers >= 1
    assert 0.0 <= seen.latency_s < LONG_S


def test_a_broadcast_to_the_lan_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_when_heard(monkeypatch)
    world = random_world(0, seed=1)
    with ForeignServer(world, tmp_path, mode="limited", maxPlayers=7, host="0.0.0.0") as server:
        (seen,) = scan([(broadcast_address(), server.port)], LONG_S)
    assert seen.address[1] == server.port
    assert (seen.pong.protocol, seen.pong.version, seen.pong.max_players) == (486, "1.18.11", 7)
