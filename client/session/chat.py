"""Keeps the last chat lines and the answers to commands; owned by the session.

Texts stay as they came, with colour codes, keys and JSON; ``client.connection.chat_text`` makes them readable.
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
"""Kinds that games show over the hot bar for a moment."""


class ChatLine(msgspec.Struct, frozen=True):
    """A line of chat."""

    time_s: float  # when it came, in the session's clock; the last time where ``times`` is more than one
    packet: int  # number of the inbound packet
    kind: str  # one of ``net.bedrock.packets.chat.KINDS``
    message: str  # as it came: a text, a key of the games' language files, or JSON
    parameters: tuple[str, ...] = ()  # of a key
    source: str = ""  # the player who wrote it; empty for the server's own lines
    times: int = 1  # how often it came in a row

    @property
    def is_passing(self) -> bool:
        """Whether games show it over the hot bar for a moment instead of in the chat."""
        return self.kind in PASSING

    @property
    def is_answer(self) -> bool:
        """Whether it may be the server's answer to a command: it names no player and is not passing."""
        return self.kind not in AUTHORED and not self.is_passing


class Chat:
    """The last ``KEPT`` lines, each part shortened to ``LONGEST`` characters.

    A line that repeats the last one, as servers send over the hot bar many times a second, updates its time and count.
    """

    def __init__(self) -> None:
        self.heard = 0  # lines received so far; a display reads ``lines`` again when it rises
        self._lines: deque[ChatLine] = deque(maxlen=KEPT)

    @property
    def lines(self) -> Sequence[ChatLine]:
        """Oldest first."""
        return tuple(self._lines)

    def receive(self, message: Text, packet: int, now: float) -> ChatLine:
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
    """One line of a command's answer."""

    text: str  # a sentence, or the key of one in the games' language files
    # whether the server reports success; None for an answer in the chat, which does not say
    success: bool | None


class Commands:
    """Sends commands and keeps the last ``KEPT_OUTCOMES`` answer lines, shortened to ``LONGEST_OUTCOME`` characters.

    A command goes out as it was typed; the server decides what it means. Servers answer in a CommandOutput packet or in
    the chat: while a command waits, the first chat line that ``ChatLine.is_answer`` accepts counts as the answer.
    """

    def __init__(self, post: Outbox) -> None:
        self._post = post
        self._given = 0
        self._waiting = 0  # commands without an answer
        self._outcomes: deque[CommandResult] = deque(maxlen=KEPT_OUTCOMES)
        self.heard = 0  # answer lines received so far; a display reads ``outcomes`` again when it rises

    @property
    def outcomes(self) -> Sequence[CommandResult]:
        """Oldest first."""
        return tuple(self._outcomes)

    def give(self, command: str) -> None:
        """Sends a command; adds the slash where it is missing."""
        self._given += 1
        self._waiting += 1
        text = command if command.startswith("/") else f"/{command}"
        self._post.say(CommandRequest(text, CommandOrigin(request_id=str(self._given))))

    def receive(self, message: CommandOutput) -> None:
        self._waiting = max(0, self._waiting - 1)
        self.heard += len(message.messages)
        lines = message.messages[-KEPT_OUTCOMES:]
        self._outcomes.extend(
            CommandResult(" ".join((one.text, *one.parameters))[:LONGEST_OUTCOME], one.success) for one in lines
        )

    def receive_chat(self, line: ChatLine) -> None:
        """Takes a chat line as the answer to a waiting command, where it may be one."""
        if not (self._waiting and line.is_answer):
            return
        self._waiting -= 1
        self.heard += 1
        self._outcomes.append(CommandResult(" ".join((line.message, *line.parameters))[:LONGEST_OUTCOME], None))
