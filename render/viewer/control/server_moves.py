"""Where the server's word takes the camera: spawns, teleports, other dimensions; and how one asks to be taken there.

Rules:
1. The camera goes along where it is told to (setting ``camera.follow``); to where one asked for it goes in any case.
2. Any live server is asked, in the words that ours knows. One that neither takes one there nor says anything for
   ``ANSWER_TIMEOUT_S`` is told of in one sentence, and so is what it says instead, in an answer or in the chat.
3. A recording obeys nobody: nothing that it says moves the camera, and nothing is asked of it.
4. A server that took one somewhere, was lost and is joined again is asked to take one there again.
5. ``Placement`` tells what nobody asked for. A server that holds the player corrects it again and again: it is told of
   once, and again where nothing was held for ``FORGOTTEN_S``.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from client.connection.connection import Connection
from client.errors import UsageError
from client.player import Eye, View
from client.session.chat import CommandResult
from client.source import answer_sentence, one_line
from net.space import Dimension
from render.view_line import ViewLine, dimension_name
from render.viewer.control.camera_control import EYE

# ---------------------------------------------------------------- following

ANSWER_TIMEOUT_S: Final = 5.0
"""Ours answers in the same tick; one that waits for its players may take a moment."""
ON_THE_WAY_S: Final = 30.0
"""From a server's yes to its change of dimension."""


class RequestedPosition(msgspec.Struct, frozen=True):
    """Where one asked to be."""

    dimension: int  # its number
    line: ViewLine | None  # how one looks there; None: from wherever the server puts one


class WayBack(msgspec.Struct, frozen=True):
    """Where one was when a source was lost."""

    source: str  # as text
    dimension: int  # its number
    line: ViewLine  # how one looked there


class Following:
    """Of one window on one connection; owner thread."""

    def __init__(self, connection: Connection) -> None:
        """Follows from where the server has the player now."""
        self._connection = connection
        self._eye = connection.session.movement.view.eye  # where the server's word last left the camera
        self._request: RequestedPosition | None = None
        self._heard = connection.session.commands.heard
        self._until: float | None = None  # when the server should have answered; None: nobody has looked at a clock yet
        self._answer: CommandResult | None = None
        self.accepted = False  # whether the server has taken one where one asked to be

    @property
    def asks(self) -> bool:
        """Whether one waits to be taken somewhere."""
        return self._request is not None

    def looked(self, view: View) -> None:
        """The camera is there by its own doing."""
        self._eye = view.eye

    def ask(self, dimension: int, line: ViewLine | None) -> str:
        """Asks the server to be taken into another dimension; what there is to say.

        ``line``: how one would look there; None: from wherever the server puts one.

        Raises:
            UsageError: one looks back at what was.
        """
        name = dimension_name(dimension)
        if self._connection.replay is not None:
            raise UsageError(f"Dimension {name} can only be entered live; return to the live session first.")
        feet = f" {line.at.x:.3f} {line.at.y - EYE:.3f} {line.at.z:.3f}" if line else ""
        self._connection.command(f"/dimension {name}{feet}")
        self._request, self._until, self._answer = RequestedPosition(dimension, line), None, None
        return f"Requested dimension {name} from {self._connection.source}."

    def way_back(self, view: View) -> WayBack | None:
        """Where one is, while the server that took one there is lost; None where there is nothing to ask for again."""
        session = self._connection.session
        if not self.accepted or session.spawn.closed_reason is None:
            return None
        dimension = session.dimension.store.dimension.number
        return WayBack(str(self._connection.source), dimension, ViewLine.of(view, dimension))

    def go_on(self, way: WayBack) -> str | None:
        """Asks for where one was when this source was lost; what there is to say, None where nothing is asked."""
        here = self._connection.session.dimension.store.dimension.number
        if way.source != str(self._connection.source) or way.dimension == here:
            return None
        return self.ask(way.dimension, way.line)

    def news(self, now: float) -> str | None:
        """What came of asking, once a frame: what there is to say, None where there is nothing new."""
        commands = self._connection.session.commands
        fresh = False
        if self._connection.replay is None:  # what the past heard is another count
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
        """Where the camera is to be, once a frame; None where it stays. ``along``: it goes also where nobody asked."""
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
            return None  # what it said was told
        if self._answer:
            return f"{source} agreed, but has not taken you to dimension {name} within {ON_THE_WAY_S:g} s."
        return (
            f"{source} has not answered for {ANSWER_TIMEOUT_S:g} s; only the server can take you to dimension {name}."
        )


FORGOTTEN_S: Final = 5.0


class Placement:
    """Of one player."""

    def __init__(self, dimension: Dimension) -> None:
        self._dimension = dimension.number
        self._held_s: float | None = None

    def took(self, eye: Eye, dimension: Dimension) -> str:
        """The server put the player there; names its dimension where it is another one."""
        crossed, self._dimension = dimension.number != self._dimension, dimension.number
        there = f", dimension {dimension.name}" if crossed else ""
        return f"The server teleported you to {eye.x:.0f} {eye.y:.0f} {eye.z:.0f}{there}."

    def held(self, eye: Eye | None, back: str, now: float) -> str | None:
        """What there is to say of being held. ``eye``: where; None: the player goes where the camera does."""
        if eye is None:
            return None
        fresh = self._held_s is None or now - self._held_s >= FORGOTTEN_S
        self._held_s = now
        at = f"{eye.x:.0f} {eye.y:.0f} {eye.z:.0f}"
        said = f"The server holds you at {at} and sends the terrain there; the camera moves on alone ({back}: back)."
        return said if fresh else None
