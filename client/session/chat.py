"""What is said to the player: the server's own lines and other players', as they came.

Rules:
1. The last ``KEPT`` lines, each part shortened to ``LONGEST`` characters. Colour codes, keys and JSON stay what they
   are: ``client.connection.chat_text`` puts them into words.
2. The same line again and again, as servers write over the hot bar many times a second, is one, with the last one's
   time and how often.
3. A line of no player's is an answer to a command that still waits for one (``commands``).

Owned by the session.

Commands: What the player tells the server in words, and what came of it.
1. A command goes out as it was typed; what it means is the server's business. Ours knows ``/dimension NAME [X Y Z]``.
2. Of the lines that servers answer the last ``KEPT`` are kept, shortened to ``LONGEST`` characters.
3. Servers answer in a packet of its own, or in the chat. There the first line that no player says is taken for it,
   while a command waits for one; nothing in it tells whether anything was done.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from client.session.outbox import Outbox
from net.bedrock import CommandOrigin, CommandOutput, CommandRequest, Text
from net.bedrock.packets.chat import AUTHORED

KEPT: Final = 64
LONGEST: Final = 2048
"""A line of JSON takes some hundred characters; all that is kept at most 1.3 MB of the usual letters."""
MOST_PARAMETERS: Final = 8
PASSING: Final = ("popup", "jukebox_popup", "tip")
"""Kinds that stand over the hot bar for a moment."""


class ChatLine(msgspec.Struct, frozen=True):
    """A line."""

    time_s: float  # when, in the clock that the session was told; the last time where ``times`` is more than one
    packet: int  # number of the inbound packet
    kind: str  # one of ``net.bedrock.packets.chat.KINDS``
    message: str  # as it came: a text, a key of the games' language files, or JSON
    parameters: tuple[str, ...] = ()  # of a key
    source: str = ""  # the player who says it; empty where the server does
    times: int = 1  # how often it came in a row

    @property
    def is_passing(self) -> bool:
        """Whether games show it over the hot bar for a moment, and not among what was said."""
        return self.kind in PASSING

    @property
    def is_answer(self) -> bool:
        """Whether it may be what a server says to a command: no player says it, nor is it shown in passing."""
        return self.kind not in AUTHORED and not self.is_passing


class Chat:
    """The lines."""

    def __init__(self) -> None:
        self.heard = 0  # how many came so far: whoever shows them looks when it rises
        self._lines: deque[ChatLine] = deque(maxlen=KEPT)

    @property
    def lines(self) -> Sequence[ChatLine]:
        """The last ones, the newest last."""
        return tuple(self._lines)

    def receive(self, message: Text, packet: int, now: float) -> ChatLine:
        """Somebody says something; the line that was made of it."""
        self.heard += 1
        line = ChatLine(
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


KEPT_OUTCOMES: Final = 16
LONGEST_OUTCOME: Final = 512


class CommandResult(msgspec.Struct, frozen=True):
    """A line of what came of a command."""

    text: str  # a sentence, or the key of one in the games' language files
    # whether it says that something was done; None where it was said in the chat, which does not tell
    success: bool | None


class Commands:
    """Of one session; ``post`` takes them."""

    def __init__(self, post: Outbox) -> None:
        self._post = post
        self._given = 0
        self._waiting = 0  # commands that nothing was answered to
        self._outcomes: deque[CommandResult] = deque(maxlen=KEPT_OUTCOMES)
        self.heard = 0  # lines that came so far: whoever shows them looks when it rises

    @property
    def outcomes(self) -> Sequence[CommandResult]:
        """The last lines, the newest last."""
        return tuple(self._outcomes)

    def give(self, command: str) -> None:
        """Tells the server; a missing slash is added."""
        self._given += 1
        self._waiting += 1
        text = command if command.startswith("/") else f"/{command}"
        self._post.say(CommandRequest(text, CommandOrigin(request_id=str(self._given))))

    def receive(self, message: CommandOutput) -> None:
        """The server says what came of one."""
        self._waiting = max(0, self._waiting - 1)
        self.heard += len(message.messages)
        lines = message.messages[-KEPT_OUTCOMES:]
        self._outcomes.extend(
            CommandResult(" ".join((one.text, *one.parameters))[:LONGEST_OUTCOME], one.success) for one in lines
        )

    def receive_chat(self, line: ChatLine) -> None:
        """Something is said in the chat, perhaps to a command that waits for its answer."""
        if not (self._waiting and line.is_answer):
            return
        self._waiting -= 1
        self.heard += 1
        self._outcomes.append(CommandResult(" ".join((line.message, *line.parameters))[:LONGEST_OUTCOME], None))
