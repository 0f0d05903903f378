"""A picture whose time moves: drawn all along, so that overlays tell when a thing was drawn first and made again.

Rules:
1. Every ``EVERY_S`` of the session's own time all that is known comes to rest in the picture, as in a window that
   nothing holds up; so what is told of it follows from the session alone, whatever the machine does besides.
2. A recording is lived through from its beginning; it ends at the very place where it stood.
3. The time is looked at between frames; one that has begun is drawn to its end.
"""

import math
from collections.abc import Callable
from typing import Final

from client.connection.connection import Connection
from client.recording.replay import Replay
from client.session.session import Session

EVERY_S: Final = 0.05

Follow = Callable[[Session, float], None]
"""Lets the picture of a session come to rest at its time, seconds since it was made (``Studio.follow``)."""


class Watch:
    """Of one connection; asked as often as one likes, it draws as often as it must."""

    def __init__(self, connection: Connection, follow: Follow) -> None:
        """Nothing is drawn yet.

        Args:
            connection: whose session is drawn.
            follow: draws it.
        """
        self._connection = connection
        self._follow = follow
        self._frame = -1

    def turn(self) -> None:
        """Draws if the next frame is due."""
        frame = int(self._seconds() / EVERY_S)
        if frame > self._frame:
            self._frame = frame
            self.now()

    def now(self) -> None:
        """Draws what is known now."""
        session = self._connection.session
        if session.anchors.pins:  # before the first tick nothing is held, so nothing is drawn
            self._follow(session, self._seconds())

    def _seconds(self) -> float:
        return self._connection.now - self._connection.session.started_at


def watch_again(
    connection: Connection, replay: Replay, follow: Follow, in_time: Callable[[], bool] = lambda: True
) -> int:
    """Goes back to where a recording begins, and to where it stands again, drawing all along.

    Args:
        connection: of the recording.
        replay: the recording.
        follow: draws it.
        in_time: whether there is time for another frame; where there is none, the rest of the way is gone undrawn.

    Returns:
        How many frames were left out.
    """
    until_s, still, watch = replay.position.time_s, connection.options.still, Watch(connection, follow)
    frames = math.ceil(until_s / EVERY_S)  # never within the last turn: the moment may be there
    drawn = 0
    while drawn < frames and in_time():
        replay.seek(drawn * EVERY_S)
        _arrive(connection, replay)
        watch.now()
        drawn += 1
    if still is not None and still.packet is not None:
        replay.seek_packet(still.packet)
    else:
        replay.seek(until_s if still is None else still.time_s)
    _arrive(connection, replay)
    if drawn == frames:
        watch.now()
    return frames - drawn


def _arrive(connection: Connection, replay: Replay) -> None:
    while replay.on_the_way is not None:
        connection.pump()
