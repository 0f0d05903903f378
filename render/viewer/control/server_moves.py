"""Camera moves by the server: spawns, teleports, other dimensions; and requests to be moved.

Rules:
1. The camera follows the server's moves if ``camera.follow`` is set; it follows requested moves in any case.
2. Any live server is asked, with our server's commands. A server that neither moves the player nor answers within
   ``ANSWER_TIMEOUT_S`` gives one sentence; its answer, by packet or in the chat, is shown instead.
3. In a recording the camera ignores the server's moves, and nothing is requested.
4. If a server that moved the player on request was lost and is joined again, the request is repeated.
5. ``Placement`` reports moves that were not requested. A server that holds the player corrects it repeatedly: this is
   reported once, and again after ``FORGOTTEN_S`` without a correction.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from client.connection.connection import Connection
from client.errors import UsageError
from client.player import Eye, View
from client.session.chat import CommandResult
from client.source import answer_sentence, one_line
from net.space import Dimension, coordinates
from render.view_line import ViewLine, dimension_name
from render.viewer.control.camera_control import EYE

# ---------------------------------------------------------------- following

ANSWER_TIMEOUT_S: Final = 5.0
"""Our server answers in the same tick; one that waits for its players may take longer."""
ON_THE_WAY_S: Final = 30.0
"""Limit from a server's consent to its change of dimension."""


class RequestedPosition(msgspec.Struct, frozen=True):
    """A requested position."""

    dimension: int  # its number
    line: ViewLine | None  # the view there; None: where the server puts the player


class WayBack(msgspec.Struct, frozen=True):
    """Where the camera was when a source was lost."""

    source: str  # as text
    dimension: int  # its number
    line: ViewLine  # the view


class Following:
    """Camera moves by the server for one window on one connection; owner thread."""

    def __init__(self, connection: Connection) -> None:
        """Starts from the server's present position of the player."""
        self._connection = connection
        self._eye = connection.session.movement.view.eye  # the camera after the server's last move
        self._request: RequestedPosition | None = None
        self._heard = connection.session.commands.heard
        self._until: float | None = None  # deadline of the answer; None: not set yet
        self._answer: CommandResult | None = None
        self.accepted = False  # whether the server has fulfilled the last request

    @property
    def asks(self) -> bool:
        return self._request is not None

    def looked(self, view: View) -> None:
        """Records a camera move by the user."""
        self._eye = view.eye

    def ask(self, dimension: int, line: ViewLine | None) -> str:
        """Requests a change of dimension from the server; returns a sentence.

        ``line``: the view there; None: where the server puts the player.

        Raises:
            UsageError: the past is shown.
        """
        name = dimension_name(dimension)
        if self._connection.replay is not None:
            raise UsageError(f"Dimension {name} can only be entered live; return to the live session first.")
        feet = f" {line.at.x:.3f} {line.at.y - EYE:.3f} {line.at.z:.3f}" if line else ""
        self._connection.command(f"/dimension {name}{feet}")
        self._request, self._until, self._answer = RequestedPosition(dimension, line), None, None
        return f"Requested dimension {name} from {self._connection.source}."

    def way_back(self, view: View) -> WayBack | None:
        """The present place, if a lost server had moved the player on request; None if no request is to be repeated."""
        session = self._connection.session
        if not self.accepted or session.spawn.closed_reason is None:
            return None
        dimension = session.dimension.store.dimension.number
        return WayBack(str(self._connection.source), dimension, ViewLine.of(view, dimension))

    def go_on(self, way: WayBack) -> str | None:
        """Repeats the request after a lost source was joined again; returns a sentence, or None."""
        here = self._connection.session.dimension.store.dimension.number
        if way.source != str(self._connection.source) or way.dimension == here:
            return None
        return self.ask(way.dimension, way.line)

    def news(self, now: float) -> str | None:
        """The result of a request, checked once a frame: a sentence, or None."""
        commands = self._connection.session.commands
        fresh = False
        if self._connection.replay is None:  # the past has another count of messages
            fresh, self._heard = commands.heard != self._heard, commands.heard
        if self._request is None:
            return None
        if fresh:
            outcome = commands.outcomes[-1]
            self._answer, self._until = outcome, now + ON_THE_WAY_S
            if outcome.success:
                return one_line(outcome.text) + "."
            if outcome.success is False:
                self._request = None  # what is said in the chat may be a yes as well as a no
            return answer_sentence(self._connection.source, outcome.text)
        self._until = now + ANSWER_TIMEOUT_S if self._until is None else self._until
        if now < self._until:
            return None
        return self._given_up(self._request)

    def view(self, now: View, *, along: bool) -> View | None:
        """The view that the server's moves require, checked once a frame; None if it stays.

        ``along``: follow unrequested ones.
        """
        session = self._connection.session
        if self._connection.replay is not None:
            return None
        moved, self._eye = session.movement.view.eye != self._eye, session.movement.view.eye
        if self._request and self._request.dimension == session.dimension.store.dimension.number:
            request, self._request, self.accepted = self._request, None, True
            return request.line.view(now) if request.line else replace(now, eye=session.movement.view.eye)
        if not (moved and along) or session.movement.view.eye == now.eye:
            return None
        return replace(now, eye=session.movement.view.eye)

    def _given_up(self, request: RequestedPosition) -> str | None:
        self._request = None
        source, name = self._connection.source, dimension_name(request.dimension)
        if self._answer and self._answer.success is None:
            return None  # its message was shown
        if self._answer:
            return f"{source} agreed, but has not taken you to dimension {name} within {ON_THE_WAY_S:g} s."
        return (
            f"{source} has not answered for {ANSWER_TIMEOUT_S:g} s; only the server can take you to dimension {name}."
        )


FORGOTTEN_S: Final = 5.0


class Placement:
    """Messages about moves of one player."""

    def __init__(self, dimension: Dimension) -> None:
        self._dimension = dimension.number
        self._held_s: float | None = None

    def took(self, eye: Eye, dimension: Dimension) -> str:
        """The server moved the player; names its dimension if it changed."""
        crossed, self._dimension = dimension.number != self._dimension, dimension.number
        there = f", dimension {dimension.name}" if crossed else ""
        return f"The server teleported you to {coordinates(eye)}{there}."

    def held(self, eye: Eye | None, back: str, now: float) -> str | None:
        """A message about being held. ``eye``: where; None: the player follows the camera."""
        if eye is None:
            return None
        fresh = self._held_s is None or now - self._held_s >= FORGOTTEN_S
        self._held_s = now
        at = coordinates(eye)
        said = f"The server holds you at {at} and sends the terrain there; the camera moves on alone ({back}: back)."
        return said if fresh else None
