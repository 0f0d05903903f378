"""What a joining client waits for, in words, and how far that is: ``waiting for StartGame, 2.1 s; ... 14 packets``.

Rules:
1. What was heard decides, not what we did: silence, datagrams, packets, StartGame, columns, the spawn status.
2. Seconds are those of this step, so that somebody sees which one hangs.
"""

from typing import Final

from client.connect.connection import Connection
from client.session.phase import Phase

NAME_SHARE, VERSION_SHARE, ANSWER_SHARE, LOGIN_SHARE, START_SHARE, SPAWN_SHARE = 0.05, 0.15, 0.3, 0.45, 0.6, 0.75
TERRAIN_SHARE: Final = 0.85
STEPS: Final = (
    (NAME_SHARE, "name"),
    (VERSION_SHARE, "version"),
    (ANSWER_SHARE, "answer"),
    (LOGIN_SHARE, "login"),
    (START_SHARE, "game"),
    (SPAWN_SHARE, "spawn"),
    (TERRAIN_SHARE, "terrain"),
)
"""How far a join is where each step begins, 0..1, and the step's name."""
START_GAME: Final = "StartGame"


class Awaited:
    """Of one join."""

    def __init__(self, connection: Connection, now: float) -> None:
        """Nothing was heard yet; ``now`` in monotonic seconds."""
        self._connection = connection
        self._step = ""
        self._since = now

    def told(self, now: float) -> tuple[float, str]:
        """Share done and words."""
        share, step, heard = self._standing()
        if step != self._step:
            self._step, self._since = step, now
        return share, f"waiting for {step}, {now - self._since:.1f} s; {heard}"

    def _standing(self) -> tuple[float, str, str]:
        peer = self._connection.peer_stats()
        session = self._connection.session
        if not peer.datagrams_in:
            return ANSWER_SHARE, "an answer", f"nothing came for {counted(peer.datagrams_out, 'datagram')}"
        packets = f"the server has sent {counted(peer.packets_in, 'packet')}"
        if not peer.packets_in:
            return (
                LOGIN_SHARE,
                "the server's first packet",
                f"it answered with {counted(peer.datagrams_in, 'datagram')}",
            )
        if session.phase is Phase.JOINING:
            return START_SHARE, START_GAME, packets
        columns = counted(len(session.store.row_of), "column")
        return SPAWN_SHARE, "the spawn status", f"{packets}, {columns} among them"


def counted(number: int, thing: str) -> str:
    """``1 packet``, ``2 packets``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
