"""Answers spoilt on purpose, so that the other side's retries can be tried against a real server.

All of it is deterministic: which entries are refused follows from a hash of their position, not from chance.
"""

from dataclasses import dataclass

from net.space.positions import SubChunkPos


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong. The default is nothing.

    Attributes:
        refuse_percent: of the sub-chunks are answered "chunk not found" at first.
        refuse_times: how often each of them is refused before it is sent.
        delay_s: every answer waits so long.
        reverse: answers of one request come in reverse order.
    """

    refuse_percent: int = 0
    refuse_times: int = 1
    delay_s: float = 0.0
    reverse: bool = False


class Refusals:
    """Counts the refusals of one client."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._refused: dict[SubChunkPos, int] = {}

    def refuse(self, position: SubChunkPos) -> bool:
        """Whether this request is to be answered "chunk not found"; counts it if so."""
        if not self._faults.refuse_percent or _percentile(position) >= self._faults.refuse_percent:
            return False
        times = self._refused.get(position, 0)
        if times >= self._faults.refuse_times:
            return False
        self._refused[position] = times + 1
        return True


def _percentile(position: SubChunkPos) -> int:
    """0..99, spread over neighbouring positions."""
    mixed = (position.x * 73856093) ^ (position.y * 19349663) ^ (position.z * 83492791)
    return (mixed >> 3) % 100
