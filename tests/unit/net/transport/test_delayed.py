"""Messages that take longer, in order and without loss."""

from dataclasses import replace

from net.bedrock import Codec, Message, RequestChunkRadius
from net.peer import Closed, Event, PeerStats
from net.transport.faulty import Delayed


class Wireless:
    """A transport that keeps what it is told to send."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.arriving: list[Event] = []
        self.reason = ""
        self.measured = PeerStats(*([0] * 12), {}, None, 0, 0)

    @property
    def codec(self) -> Codec:
        return Codec(486)

    def send(self, message: Message) -> None:
        self.sent.append(message)

    def events(self) -> list[Event]:
        arrived, self.arriving = self.arriving, []
        return arrived

    def close(self, reason: str) -> None:
        self.reason = reason

    def stats(self) -> PeerStats:
        return self.measured


def test_messages_take_half_a_round_trip_each_way() -> None:
    inner, clock = Wireless(), [10.0]
    far = Delayed(inner, 0.2, lambda: clock[0])
    first, second = RequestChunkRadius(4), RequestChunkRadius(5)
    far.send(first)
    clock[0] = 10.05
    far.send(second)
    inner.arriving = [Closed("bye")]
    assert far.events() == []
    assert inner.sent == []
    clock[0] = 10.11
    assert far.events() == []
    assert inner.sent == [first]
    clock[0] = 10.16
    assert far.events() == [Closed("bye")]
    assert inner.sent == [first, second]


def test_the_round_trip_it_tells_holds_the_delay() -> None:
    inner = Wireless()
    far = Delayed(inner, 0.2, lambda: 0.0)
    assert far.stats().rtt_s is None
    inner.measured = replace(inner.measured, rtt_s=0.03)
    assert far.stats().rtt_s == 0.23


def test_closing_is_passed_on() -> None:
    inner = Wireless()
    Delayed(inner, 0.2, lambda: 0.0).close("enough")
    assert inner.reason == "enough"
