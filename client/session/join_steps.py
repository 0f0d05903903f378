"""The steps of a join and of a change of dimension: when each came, and which one is missing or wrong.

docs/howto/check-a-join.md lists the steps. A change of dimension begins a new stage, which needs its own circle,
columns and spawn status; the steps are those of the last stage. ``find_fault`` names the first step that is missing or
wrong; while the join goes on, a missing step may still come.
"""

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from client.session.publisher_area import Publisher
from client.streaming.anchors import Anchor
from net import bedrock
from net.bedrock.packets.movement import MoveMode
from net.space import ColumnPos

if TYPE_CHECKING:
    from client.session.session import Session

SETTINGS, LOGIN, COLUMN, ANSWER, SPAWN, GAME, REQUESTED, GRANTED, CIRCLE, RESPAWN, TELEPORT = (
    *("settings", "login", "column", "sub-chunk", "spawn"),
    *("game", "requested", "granted", "circle", "respawn", "teleport"),
)  # fmt: skip
PACKETS: Final = {
    SETTINGS: "NetworkSettings",
    LOGIN: "PlayStatus 0",
    "packs": "ResourcePacksInfo",
    "stack": "ResourcePackStack",
    GAME: "StartGame",
    REQUESTED: "RequestChunkRadius",
    GRANTED: "ChunkRadiusUpdated",
    CIRCLE: "NetworkChunkPublisherUpdate",
    COLUMN: "LevelChunk",
    ANSWER: "SubChunk",
    SPAWN: "PlayStatus 3",
    RESPAWN: "Respawn",
    TELEPORT: "MovePlayer",
}
"""The packet of each step, in the order of the table above."""


REQUIRED: Final = tuple(name for name in PACKETS if name not in (SETTINGS, RESPAWN, TELEPORT))
"""Steps that every join has."""
STALLED_S: Final = 3.0  # a missing step counts as a fault when no packet of the join has come for this long


class JoinStep(msgspec.Struct, frozen=True):
    """One step."""

    # settings, login, packs, stack, game, requested, granted, circle, column, sub-chunk, spawn, respawn or teleport
    name: str
    packet: str  # the packet that is this step
    at_s: float | None  # when its first packet arrived, seconds from the first step; None: it did not
    count: int  # how many of its packets came
    text: str  # what the last one said; empty where there is nothing to say


class JoinSteps:
    """The steps of one session."""

    def __init__(self) -> None:
        self.dimension: int | None = None  # the dimension that the player was sent to; None while it joins
        # time of the last column, answer or new step, monotonic seconds; in a dimension without columns no step is one
        self.progress_at = 0.0
        self._steps: dict[str, tuple[float, int, str]] = {}
        self._player = -1  # runtime id of our player

    def receive(self, message: bedrock.Message, now: float, at: float) -> None:
        """``at``: when the message arrived; ``now``: when it is applied, which is later while the session is made."""
        match message:
            case bedrock.NetworkSettings():
                self._record(SETTINGS, now, at)
            case bedrock.PlayStatus(status=bedrock.PlayStatusCode.LOGIN_SUCCESS):
                self._record(LOGIN, now, at)
            case bedrock.PlayStatus(status=bedrock.PlayStatusCode.PLAYER_SPAWN):
                self._record(SPAWN, now, at)
            case bedrock.ResourcePacksInfo():
                self._record("packs", now, at)
            case bedrock.ResourcePackStack():
                self._record("stack", now, at)
            case bedrock.StartGame(dimension=dimension, runtime_id=player):
                self._player = player
                self._record(GAME, now, at, f"dimension {dimension}")
            case bedrock.ChangeDimension(dimension=dimension):
                # a player who is sent from one empty dimension to the next makes no progress
                if COLUMN in self._steps:
                    self.progress_at = now
                for name in (GAME, CIRCLE, COLUMN, ANSWER, SPAWN):
                    self._steps.pop(name, None)
                self.dimension = dimension
                self._record(GAME, now, at, f"to dimension {dimension}", progress=False)
            case bedrock.ChunkRadiusUpdated(radius=radius):
                self._record(GRANTED, now, at, f"{radius} columns")
            case bedrock.NetworkChunkPublisherUpdate(radius_blocks=radius):
                self._record(CIRCLE, now, at, f"{radius} blocks ({radius / 16:g} columns)")
            case bedrock.Respawn(state=state):
                self._record(RESPAWN, now, at, f"state {state}", progress=False)
            case bedrock.MovePlayer(runtime_id=player, mode=MoveMode.TELEPORT, position=(x, y, z)) if (
                player == self._player
            ):
                self._record(TELEPORT, now, at, f"to {x:.0f}, {y:.0f}, {z:.0f}", progress=False)
            case bedrock.LevelChunk():
                self._record(COLUMN, now, at)
            case bedrock.SubChunk():
                self._record(ANSWER, now, at)
            case _:
                pass

    def ask(self, radius: int, now: float) -> None:
        self._record(REQUESTED, now, now, f"{radius} columns")

    def has(self, name: str) -> bool:
        return name in self._steps

    def made_at(self, name: str) -> float | None:
        """Time of a step's first packet, monotonic seconds; None: it did not come."""
        return self._steps[name][0] if name in self._steps else None

    def count(self, name: str) -> int:
        return self._steps[name][1] if name in self._steps else 0

    def steps(self, started_at: float) -> tuple[JoinStep, ...]:
        """The steps that came, by time, then the missing ones; ``started_at``: when the session was made."""
        made = sorted(self._steps.items(), key=lambda entry: entry[1][0])
        first = min([started_at, *(at for _, (at, _, _) in made)])  # a login begins before its session is made
        found = [
            JoinStep(name, self._packet(name), round(at - first, 3), count, text) for name, (at, count, text) in made
        ]
        missing = [JoinStep(name, self._packet(name), None, 0, "") for name in REQUIRED if name not in self._steps]
        return (*found, *missing)

    def _packet(self, name: str) -> str:
        return "ChangeDimension" if name == GAME and self.dimension is not None else PACKETS[name]

    def _record(self, name: str, now: float, at: float, text: str = "", *, progress: bool = True) -> None:
        first, count, _ = self._steps.get(name, (at, 0, ""))
        is_new = not count and (self.dimension is None or COLUMN in self._steps)
        if progress and (is_new or name in (COLUMN, ANSWER)):
            self.progress_at = now
        self._steps[name] = first, count + 1, text


def owed_columns(session: "Session") -> list[tuple[bool, int]]:
    """Of each column that the server owes whether it is announced, and how many columns it is away from the player."""
    centre, there = session.movement.eye.column, session.dimension.store.row_of
    square, circle = Anchor.square(centre, session.dispatcher.granted).columns(), _circle(session)
    owed = square if circle is None else square[circle.holds(square, 0)]
    return [((x, z) in there, centre.chebyshev(ColumnPos(x, z))) for x, z in owed.tolist()]


def filled_radius(session: "Session") -> int:
    """The largest radius up to which all columns that the server owes are announced; -1 without the player's own."""
    missing = (away for came, away in owed_columns(session) if not came)
    return min(missing, default=session.dispatcher.granted + 1) - 1


def find_fault(session: "Session", *, complete: bool, steps_only: bool) -> str:
    """The first step that is missing or wrong, in one sentence without its full stop; empty if all are right.

    ``complete``: whether no more columns will come, so that missing ones stay missing. ``steps_only``: without
    refusals, unknown blocks and missing columns.
    """
    if missing := find_missing(session):
        return missing
    wrong = _lost_circle(session) or _short_circle(session)
    if steps_only:
        return wrong
    if session.ledger.paused:
        return "requests are refused: the server does not know the player (code 4)"
    return _wrong_palette(session) or wrong or (_short_columns(session) if complete else "")


def find_missing(session: "Session") -> str:
    """The first step that did not come, or why the session ended; else empty."""
    steps, closed = session.dispatcher.steps, session.spawn.closed_reason
    if closed is not None:
        return f"the session is over: {closed}"
    if not steps.has(GAME):
        missing = next((name for name in (LOGIN, "packs", "stack") if not steps.has(name)), GAME)
        return f"{PACKETS[missing]} did not arrive"
    after = f" since ChangeDimension to {steps.dimension}" if steps.dimension is not None else ""
    if not steps.has(GRANTED):
        return "no radius granted: ChunkRadiusUpdated did not arrive"
    if not steps.has(COLUMN):
        others, granted = session.dimension.terrain.stats().foreign_columns, session.dispatcher.granted
        foreign = f"; {others} belonged to another dimension" if others else ""
        return f"no columns{after}: LevelChunk did not arrive{foreign} (radius granted: {granted} columns)"
    came = "one column did" if steps.count(COLUMN) == 1 else f"{steps.count(COLUMN)} columns did"
    if not steps.has(SPAWN):
        return f"no spawn{after}: PlayStatus 3 did not arrive, though {came}"
    if not steps.has(CIRCLE):
        return f"never published{after}: NetworkChunkPublisherUpdate did not arrive, though {came}"
    return ""


def _circle(session: "Session") -> Publisher | None:
    """The publisher's; None before the first."""
    return session.dimension.terrain.staleness.publisher


def _wrong_palette(session: "Session") -> str:
    """How the block ids that the palette lacks differ from its own, which tells what is wrong with them; else empty."""
    table = session.dimension.store.table
    if not table.appended:
        return ""
    ids = "one block id is" if table.appended == 1 else f"{table.appended:,} block ids are"
    own = "hashes" if table.is_hashed else f"positions 0 to {table.palette_size - 1:,}"
    said = f"wrong palette: {ids} not in the palette of protocol {session.config.protocol} ({own})"
    unknown = table.unknown_runtime_ids
    if not len(unknown):  # blocks that came by name
        return said
    low, high = int(unknown.min()), int(unknown.max())
    where = f"it is {low:,}" if table.appended == 1 else f"they are {low:,} to {high:,}"
    return f"{said}, but {where}; StartGame says ids_are_hashes = {'yes' if table.is_hashed else 'no'}"


def _lost_circle(session: "Session") -> str:
    """The fault where the circle is not around the player, or columns come from outside of it; else empty."""
    circle, centre = _circle(session), session.movement.eye.column
    if circle is None:
        return ""
    if not circle.holds(np.array([centre]), 1)[0]:
        away, published = centre.chebyshev(circle.centre.column), f"{circle.radius_blocks} blocks published"
        return f"circle left behind: the player is {away} columns from the centre of the {published}"
    if outside := session.dimension.terrain.staleness.sent_outside:
        came = "one column" if outside == 1 else f"{outside} columns"
        return f"columns outside the circle: {came} came from outside of the {circle.radius_blocks} blocks published"
    return ""


def _short_circle(session: "Session") -> str:
    """The fault where the circle is smaller than the granted radius; else empty."""
    circle, granted = _circle(session), session.dispatcher.granted
    if circle is None or circle.radius_blocks >= 16 * granted:
        return ""
    published = f"{circle.radius_blocks} blocks published"
    return f"published circle smaller than granted: {published}, {granted} columns, {16 * granted} blocks, granted"


def _short_columns(session: "Session") -> str:
    """The fault where columns end before the granted radius, or are left out inside of it; else empty."""
    filled, granted, store = filled_radius(session), session.dispatcher.granted, session.dimension.store
    if filled >= granted:
        return ""
    far = np.abs(store.columns[store.announced_rows] - np.array(session.movement.eye.column)).max(initial=0)
    if far <= filled:
        return f"radius smaller than granted: columns reach {filled} of {granted} columns"
    owed = owed_columns(session)
    missing = sum(not came for came, _ in owed)
    edge = missing - len(session.unsent_columns(complete=True))
    at_edge = f" ({edge} of them at the edge)" if edge else ""
    return (
        f"columns left out: {missing} of {len(owed)} within the granted radius{at_edge}, the nearest "
        f"{filled + 1} columns away"
    )
