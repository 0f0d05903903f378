"""What the server and its players say: a line in the corner, and an event each.

Rules:
1. Of what came in one frame the newest line is shown; all are in the panel of events.
2. What games show over the hot bar for a moment is shown nowhere but there: servers write it many times a second.
3. Lines of long ago, which a recording passes on its way to a place, are not news.
"""

from client.connection.chat_text import said_in_words
from client.connection.connection import Connection
from client.session.chat import ChatLine
from render.viewer.display.captions import SAID_S


class ServerMessages:
    """Of one window on one connection; owner thread."""

    def __init__(self, connection: Connection) -> None:
        """Hears from now on, and what was said in the last seconds, while one came in."""
        self._connection = connection
        self._heard = 0
        self._packet = -1  # of the newest line that was heard

    def news(self) -> list[str]:
        """The lines that came since it was last asked, once a frame; the newest last."""
        session = self._connection.session
        if session.chat.heard == self._heard:
            return []
        lines, self._heard = session.chat.lines, session.chat.heard
        after, self._packet = self._packet, lines[-1].packet if lines else -1  # of the past, nothing may be said yet
        fresh = [line for line in lines if line.packet > after and session.now - line.time_s <= SAID_S]
        return [_named(line, words) for line in fresh if not line.is_passing and (words := said_in_words(line))]


def _named(line: ChatLine, words: str) -> str:
    return words if line.source else f"server: {words}"
