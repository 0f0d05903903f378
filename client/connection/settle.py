"""The wait loop of the thread that owns a connection: it pumps until nothing is missing or no more can come."""

from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np

from client.connection.stats import Settled
from client.errors import UsageError
from client.session.session import Session
from client.session.stats import states_of
from client.world.lifecycle import OPEN_STATES
from net.space import coordinates

IDLE_S: Final = 0.002  # how long the waiting thread sleeps when nothing arrived
WOKEN_S: Final = 0.01
"""The longest sleep if arriving data ends it early: a session also has its own moves and time-outs."""
PUMP_S: Final = 0.25  # how long one turn of a wait may apply messages before the time is checked

SPARE_S: Final = 60.0
"""Time for the terrain, beside that of the flight, in the ``--timeout`` that is proposed."""
VAIN_SILENCES: Final = 3  # time-outs of a sub-chunk after which a wait may give it up: seven seconds or more of silence


class Settling(msgspec.Struct, frozen=True):
    """The functions that a wait calls."""

    turn: Callable[[], bool]  # does what is due; returns whether anything was
    at_rest: Callable[[], bool]  # whether no turn will ever change anything again
    clock: Callable[[], float]  # monotonic seconds
    rest: Callable[[float], None]  # waits for so many seconds

    def wait(
        self,
        missing: Callable[[float], str | None],
        timeout_s: float,
        tell: Callable[[str], None] | None = None,
        in_vain: Callable[[float], bool] = lambda _now: False,
    ) -> Settled:
        """Waits until nothing is missing, the time runs out, or all is at rest; the time is checked between turns.

        ``missing``: called with the time after each turn; returns what is missing in words, or None. ``tell``: called
        with them. ``in_vain``: called with the time; returns whether it will not come.
        """
        start = self.clock()
        while True:
            busy = self.turn()
            now = self.clock()
            waiting_for = missing(now)
            if waiting_for is None:
                return Settled(True, "", now - start)
            if now >= start + timeout_s or self.at_rest() or in_vain(now):
                return Settled(False, waiting_for, now - start)
            if tell:
                tell(waiting_for)
            if not busy:
                self.rest(IDLE_S)


def expect_time(session: Session, timeout_s: float) -> None:
    """Checks that the player can reach its target in the time. Raises UsageError: naming the time that it needs."""
    player = session.movement.player
    needed_s = player.remaining_s if player.on_its_way else 0.0
    if needed_s >= timeout_s:
        raise UsageError(
            f"The player cannot fly to {coordinates(player.target)} in {timeout_s:g} s: it is "
            f"{player.position.distance_blocks(player.target):.0f} blocks away, which takes {needed_s:.0f} s. Give it "
            f"--timeout {needed_s + SPARE_S:.0f}."
        )


def held_elsewhere(session: Session) -> str:
    """The sentence for a player that the server keeps from its target, without the full stop; else empty."""
    player = session.movement.player
    if player.held_at is None or player.position.column == player.target.column:
        return ""
    there = coordinates(player.target)
    return f"the server holds the player at {coordinates(player.held_at)} and does not let it fly to {there}"


def share_done(session: Session) -> float:
    """Share of the wanted sub-chunks that are known, 0..1."""
    states = states_of(session.dimension.store)
    missing = states.get("wanted", 0) + states.get("requested", 0)
    known = states.get("data", 0) + states.get("all_air", 0)
    return known / max(known + missing, 1)


def asked_in_vain(session: Session) -> str | None:
    """The words for what is missing if all of it was requested ``VAIN_SILENCES`` times without an answer, else None."""
    store, entries = session.dimension.store, session.ledger.entries
    places = store.places_of_rows(store.announced_rows)
    missing = places[np.isin(store.state[places], OPEN_STATES)]
    known = bool(len(missing)) and int(missing.max()) < len(entries)
    if not known or (entries.silences[missing] < VAIN_SILENCES).any():
        return None
    return f"{len(missing)} sub-chunk{'s' * (len(missing) > 1)} got no answer to {VAIN_SILENCES} or more requests"
