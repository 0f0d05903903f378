"""The queue of outgoing messages, and counts of the messages in both directions and of faulty packets."""

from collections import Counter
from collections.abc import Iterable

from net.bedrock import Message


class Outbox:
    """The messages of one session; owned by it."""

    def __init__(self) -> None:
        self.faulty = 0  # packets that did not decode or were not legal
        self.last_fault = ""  # the text of the last fault; empty before the first
        self._outgoing: list[Message] = []
        self._heard: Counter[str] = Counter()
        self._said: Counter[str] = Counter()

    @property
    def heard(self) -> dict[str, int]:
        """Counts of received messages by name."""
        return dict(sorted(self._heard.items()))

    @property
    def said(self) -> dict[str, int]:
        """Counts of sent messages by name."""
        return dict(sorted(self._said.items()))

    def receive(self, message: Message) -> None:
        self._heard[type(message).__name__] += 1

    def record(self, fault: str) -> None:
        self.faulty += 1
        self.last_fault = fault

    def say(self, *messages: Message) -> None:
        self._outgoing += messages

    def take(self) -> list[Message]:
        """Removes and returns the queued messages, in order."""
        outgoing, self._outgoing = self._outgoing, []
        self._count(outgoing)
        return outgoing

    def retrace(self, said: Iterable[Message]) -> None:
        """In a replay: counts the recorded messages as sent, and drops the queued ones."""
        self._outgoing.clear()
        self._count(said)

    def _count(self, messages: Iterable[Message]) -> None:
        self._said.update(type(message).__name__ for message in messages)
