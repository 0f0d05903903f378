"""What is said to the player: the server's own lines and other players', as they came.

Rules:
1. The last ``KEPT`` lines, each part shortened to ``LONGEST`` characters. Colour codes, keys and JSON stay what they
   are: ``client.connect.said`` puts them into words.
2. The same line again and again, as servers write over the hot bar many times a second, is one, with the last one's
   time and how often.
3. A line of no player's is an answer to a command that still waits for one (``commands``).

Owned by the session.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from net.bedrock import Text
from net.bedrock.packets.chat import AUTHORED
from net.frozen import frozen

KEPT: Final = 64
LONGEST: Final = 2048
"""A line of JSON takes some hundred characters; all that is kept at most 1.3 MB of the usual letters."""
MOST_PARAMETERS: Final = 8
PASSING: Final = ("popup", "jukebox_popup", "tip")
"""Kinds that stand over the hot bar for a moment."""


@frozen
class Said:
    """A line.

    Attributes:
        time_s: when, in the clock that the session was told; the last time where ``times`` is more than one.
        packet: number of the inbound packet.
        kind: one of ``net.bedrock.packets.chat.KINDS``.
        message: as it came: a text, a key of the games' language files, or JSON.
        parameters: of a key.
        source: the player who says it; empty where the server does.
        times: how often it came in a row.
    """

    time_s: float
    packet: int
    kind: str
    message: str
    parameters: tuple[str, ...] = ()
    source: str = ""
    times: int = 1

    @property
    def is_passing(self) -> bool:
        """Whether games show it over the hot bar for a moment, and not among what was said."""
        return self.kind in PASSING

    @property
    def is_answer(self) -> bool:
        """Whether it may be what a server says to a command: no player says it, nor is it shown in passing."""
        return self.kind not in AUTHORED and not self.is_passing


class Chat:
    """The lines.

    Attributes:
        heard: how many came so far: whoever shows them looks when it rises.
    """

    def __init__(self) -> None:
        """Nothing was said."""
        self.heard = 0
        self._lines: deque[Said] = deque(maxlen=KEPT)

    @property
    def lines(self) -> Sequence[Said]:
        """The last ones, the newest last."""
        return tuple(self._lines)

    def hear(self, message: Text, packet: int, now: float) -> Said:
        """Somebody says something; the line that was made of it."""
        self.heard += 1
        line = Said(
            now,
            packet,
            message.kind,
            message.message[:LONGEST],
            tuple(one[:LONGEST] for one in message.parameters[:MOST_PARAMETERS]),
            message.source[:LONGEST],
        )
        if self._lines and replace(self._lines[-1], time_s=now, packet=packet, times=1) == line:
            line = replace(line, times=self._lines.pop().times + 1)
        self._lines.append(line)
        return line
