"""What the player tells the server in words, and what came of it.

Rules:
1. A command goes out as it was typed; what it means is the server's business. Ours knows ``/dimension NAME [X Y Z]``.
2. Of the lines that servers answer the last ``KEPT`` are kept, shortened to ``LONGEST`` characters.
3. Servers answer in a packet of its own, or in the chat. There the first line that no player says is taken for it,
   while a command waits for one; nothing in it tells whether anything was done.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

from client.session.chat import Said
from client.session.post import Post
from net.bedrock import CommandOrigin, CommandOutput, CommandRequest
from net.frozen import frozen

KEPT: Final = 16
LONGEST: Final = 512


@frozen
class Outcome:
    """A line of what came of a command.

    Attributes:
        text: a sentence, or the key of one in the games' language files.
        success: whether it says that something was done; None where it was said in the chat, which does not tell.
    """

    text: str
    success: bool | None


class Commands:
    """Of one session; ``post`` takes them."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._given = 0
        self._waiting = 0  # commands that nothing was answered to
        self._outcomes: deque[Outcome] = deque(maxlen=KEPT)
        self.heard = 0
        """Lines that came so far: whoever shows them looks when it rises."""

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """The last lines, the newest last."""
        return tuple(self._outcomes)

    def give(self, command: str) -> None:
        """Tells the server; a missing slash is added."""
        self._given += 1
        self._waiting += 1
        text = command if command.startswith("/") else f"/{command}"
        self._post.say(CommandRequest(text, CommandOrigin(request_id=str(self._given))))

    def hear(self, message: CommandOutput) -> None:
        """The server says what came of one."""
        self._waiting = max(0, self._waiting - 1)
        self.heard += len(message.messages)
        lines = message.messages[-KEPT:]
        self._outcomes.extend(Outcome(" ".join((one.text, *one.parameters))[:LONGEST], one.success) for one in lines)

    def hear_said(self, line: Said) -> None:
        """Something is said in the chat, perhaps to a command that waits for its answer."""
        if not (self._waiting and line.is_answer):
            return
        self._waiting -= 1
        self.heard += 1
        self._outcomes.append(Outcome(" ".join((line.message, *line.parameters))[:LONGEST], None))
