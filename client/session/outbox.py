"""What a session heard and says: messages on their way out, counts of both directions, and what made no sense."""

from collections import Counter
from collections.abc import Iterable

from net.bedrock import Message


class Outbox:
    """One session's; owned by it."""

    def __init__(self) -> None:
        self.faulty = 0  # packets that did not decode, or came when they made no sense
        self.last_fault = ""  # the text of the last one; empty while there was none
        self._outgoing: list[Message] = []
        self._heard: Counter[str] = Counter()
        self._said: Counter[str] = Counter()

    @property
    def heard(self) -> dict[str, int]:
        """Received messages by name."""
        return dict(sorted(self._heard.items()))

    @property
    def said(self) -> dict[str, int]:
        """Messages that went out, by name."""
        return dict(sorted(self._said.items()))

    def receive(self, message: Message) -> None:
        self._heard[type(message).__name__] += 1

    def record(self, fault: str) -> None:
        """Counts a packet that made no sense."""
        self.faulty += 1
        self.last_fault = fault

    def say(self, *messages: Message) -> None:
        """They are to go out, in this order, after what is waiting."""
        self._outgoing += messages

    def take(self) -> list[Message]:
        """What is to go out, in order; each once."""
        outgoing, self._outgoing = self._outgoing, []
        self._count(outgoing)
        return outgoing

    def retrace(self, said: Iterable[Message]) -> None:
        """These went out then; what would be said now is not."""
        self._outgoing.clear()
        self._count(said)

    def _count(self, messages: Iterable[Message]) -> None:
        self._said.update(type(message).__name__ for message in messages)
