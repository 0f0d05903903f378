"""A host of what was saved that tells what is found damaged, or unknown to the protocol, when it is found.

Rules:
1. A sentence is told once; a block's name once, however many states of it there are.
2. At most ``MOST`` sentences are told: a world of another game would have thousands.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from net.raknet import Address
from net.server.host import Host

MOST: Final = 100

Tell = Callable[[str], None]


class Lossy(Protocol):
    """Something of which parts may be lost."""

    @property
    def lost(self) -> Sequence[str]:
        """What could not be read so far, one sentence each."""


class TellingHost:
    """A ``Host`` of the transport's contract around one of ours.

    Args:
        host: of a saved world, or of one whose changes are.
        sources: of sentences, each a list that grows.
        protocol: that is spoken.
        tell: given each sentence.
    """

    def __init__(self, host: Host, sources: Sequence[Lossy], protocol: int, tell: Tell) -> None:
        self._host = host
        self._sources = sources
        self._protocol = protocol
        self._tell = tell
        self._lost = [0] * len(sources)
        self._unknown = 0
        self._named: set[str] = set()
        self._left = MOST

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        """See ``Host``."""
        self._host.receive(address, datagram, now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """See ``Host``."""
        made = self._host.datagrams(now)
        self.catch_up()
        return made

    def next_timer(self) -> float | None:
        """See ``Host``."""
        return self._host.next_timer()

    def catch_up(self) -> None:
        """Tells what was found since the last call."""
        unknown = self._host.unknown_states
        found = [source.lost for source in self._sources]
        counts = [len(lost) for lost in found]
        if (counts, len(unknown)) == (self._lost, self._unknown):
            return
        names = {state.name: None for state in unknown[self._unknown :] if state.name not in self._named}
        lost = [sentence for each, told in zip(found, self._lost, strict=True) for sentence in each[told:]]
        sentences = [*lost, *map(self._of_unknown, names)]
        self._lost, self._unknown = counts, len(unknown)
        self._named.update(names)
        for sentence in sentences[: self._left]:
            self._tell(sentence)
        if self._left and len(sentences) >= self._left:
            self._tell("There is more of the kind, which is not told.")
        self._left = max(self._left - len(sentences), 0)

    def _of_unknown(self, name: str) -> str:
        return f"Protocol {self._protocol} has no block {name}: it is shown as an unknown one."
