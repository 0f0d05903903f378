"""Sessions whose server compresses otherwise, encrypts late, or not at all; both peers over a wire, from end to end."""

from functools import partial

import pytest

import net.peer.server
from net.bedrock import (
    Algorithm,
    Message,
    NetworkSettings,
    PlayStatus,
    RequestChunkRadius,
    ServerToClientHandshake,
    SetTime,
)
from net.bedrock.login import LoginStep, ServerLogin
from net.peer import Event, Received
from tests.support.session.wires import PeerPair


def heard(events: list[Event]) -> list[Message]:
    return [event.message for event in events if isinstance(event, Received)]


def speak(pair: PeerPair) -> None:
    """Both say something long enough to be compressed, and hear it all."""
    before = len(pair.events)
    for time in range(400):
        pair.server.send(SetTime(time))
    for radius in range(400):
        pair.client.send(RequestChunkRadius(radius))
    assert pair.run(messages=before + 400)
    assert heard(pair.events[before:]) == [SetTime(time) for time in range(400)]
    pair.run(1.0)
    assert heard(pair.host.events)[-400:] == [RequestChunkRadius(radius) for radius in range(400)]
    assert pair.client.stats().decode_errors == pair.server.stats().decode_errors == 0


@pytest.mark.parametrize("encrypt", [True, False], ids=["encrypted", "in the clear"])
@pytest.mark.parametrize("algorithm", Algorithm, ids=lambda algorithm: algorithm.name.lower())
@pytest.mark.parametrize("protocol", [554, 649, 2193])
def test_any_algorithm_with_and_without_a_key(
    monkeypatch: pytest.MonkeyPatch, protocol: int, algorithm: Algorithm, encrypt: bool
) -> None:
    settings = NetworkSettings(256, algorithm)
    login = partial(ServerLogin, encrypt=encrypt, settings=settings)
    monkeypatch.setattr(net.peer.server, "ServerLogin", login)
    pair = PeerPair(protocol=protocol).join()
    told = heard(pair.events)
    assert told[0] == settings
    assert any(isinstance(message, ServerToClientHandshake) for message in told) is encrypt
    speak(pair)


@pytest.mark.parametrize("threshold", [0, 1, 65535])
def test_a_threshold_is_kept(monkeypatch: pytest.MonkeyPatch, threshold: int) -> None:
    monkeypatch.setattr(net.peer.server, "ServerLogin", partial(ServerLogin, settings=NetworkSettings(threshold)))
    speak(PeerPair(protocol=649).join())


def test_a_session_of_486_may_stay_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(net.peer.server, "ServerLogin", partial(ServerLogin, encrypt=False))
    speak(PeerPair().join())


class LateLogin(ServerLogin):
    """Says that the login is good before it offers a key, and says so again after it."""

    def handle(self, message: Message) -> LoginStep:
        step = super().handle(message)
        return step if step.key is None else LoginStep((PlayStatus(0), *step.send), step.key)


@pytest.mark.parametrize("protocol", [486, 649])
def test_a_key_may_come_after_the_login_was_accepted(monkeypatch: pytest.MonkeyPatch, protocol: int) -> None:
    monkeypatch.setattr(net.peer.server, "ServerLogin", LateLogin)
    pair = PeerPair(protocol=protocol).join()
    names = [type(message).__name__ for message in heard(pair.events)]
    assert names.index("PlayStatus") < names.index("ServerToClientHandshake")
    speak(pair)
