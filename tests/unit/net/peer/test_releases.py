"""Both peers at releases whose sessions begin differently."""

import pytest

from net.bedrock import Message, RequestChunkRadius, SetTime
from net.peer import Event, Received
from net.transport.faulty import WireFaults
from tests.support.session.wires import PeerPair

BAD_WIRE = WireFaults(loss=0.15, repetition=0.1, delay_s=0.03, jitter_s=0.03)


def messages(events: list[Event]) -> list[Message]:
    return [event.message for event in events if isinstance(event, Received)]


def names(events: list[Event]) -> list[str]:
    return [type(message).__name__ for message in messages(events)]


@pytest.mark.parametrize("faults", [WireFaults(), BAD_WIRE], ids=["perfect", "bad"])
@pytest.mark.parametrize("protocol", [486, 545, 554, 630, 649, 818, 944, 1001, 2168, 2193])
def test_a_login_and_what_follows_at_every_kind_of_session(protocol: int, faults: WireFaults) -> None:
    pair = PeerPair(faults, faults, protocol=protocol).join()
    assert (names(pair.events)[0] == "NetworkSettings") == (protocol >= 554)
    assert names(pair.events)[-1] == "StartGame"
    assert (names(pair.host.events)[0] == "RequestNetworkSettings") == (protocol >= 554)
    before = len(pair.events)
    for time in range(300):
        pair.server.send(SetTime(time))
    pair.client.send(RequestChunkRadius(9))
    assert pair.run(messages=before + 300)
    assert messages(pair.events[before:]) == [SetTime(time) for time in range(300)]
    assert pair.run(5.0) or messages(pair.host.events)[-1] == RequestChunkRadius(9)
    assert pair.client.stats().decode_errors == 0


def test_what_the_owner_says_too_early_waits_behind_the_login() -> None:
    pair = PeerPair(protocol=649)
    pair.client.send(RequestChunkRadius(5))
    pair.join()
    heard = names(pair.host.events)
    assert heard.index("RequestNetworkSettings") < heard.index("Login") < heard.index("RequestChunkRadius")
