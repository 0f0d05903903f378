"""Records the inputs and decisions of a session, so that ``client.recording.replay`` can repeat it.

Rules:
1. It works on the owner thread and only collects: one list a turn, passed to the disk thread at the end of the turn.
2. Inputs are written in the order in which the session gets them, with the times that it uses.
3. Decisions are written where they are made: the plan and the messages of a tick precede that tick. Anchors and plans
   are compared with the last ones, so that code that pins or plans need not know the recorder.
4. A turn without input and movement is left out. The first turn that begins with other anchors, or with evicted places,
   is written: its tick handles what anchors released and numbers the revisions, and must not do so later.
5. It writes a file, or keeps the last minutes in memory (``net.storage.recent_history``), or both. The buffer also gets
   the columns of each packet, every ``MARK_S`` the announced columns, and at some of these a checkpoint.
"""

import time
from typing import Final

import msgspec
import numpy as np

from client.player import View
from client.recording.checkpoints import Checkpoint
from client.session.config import SessionConfig
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.streaming.anchors import AnchorClaim
from net.bedrock import Codec, Message
from net.peer import Closed, Event, Faulty, Joined, Received, Sent
from net.recording import records as recorded
from net.recording.header import Header
from net.space import ColumnPos
from net.storage import Arrived, HistoryBuffer, Recorder, TimedTurn

PROGRAM: Final = "chunkscope"
MARK_S: Final = 5.0
"""Distance of the places at which old history may be cut off."""
CHECKPOINTS: Final = 10  # least number of checkpoints in a whole history; between two of them a rewind must replay
CHECKPOINT_S: Final = 30.0
"""Largest distance of checkpoints, plus the time to the next mark: 0.3 s of replay while flying."""
CHECKPOINT_COLUMN_S: Final = 1 / 36
"""Distance for each column, if that is less: 10 s at radius 8. Taking one is then 0.05 % of the owner's time."""


def header_of(source: str, session: Session, codec: Codec) -> Header:
    return Header(
        protocol=codec.protocol,
        profile=codec.dialect.profile.value,
        source=source,
        program=PROGRAM,
        unix_time=time.time(),
        session={**msgspec.to_builtins(session.config), "started_at": session.started_at},
    )


class SessionRecorder:
    """The recorder of one connection; owner thread only."""

    def __init__(self, session: Session, recorder: Recorder | None = None, buffer: HistoryBuffer | None = None) -> None:
        """The session must not have received anything yet."""
        self.recorder = recorder  # of a file, or None
        self.buffer = buffer  # of the last minutes, or None
        self._session = session
        self._start = session.started_at
        self._turn: list[tuple[int, recorded.Record | Arrived | Message]] = []
        self._traces: dict[int, np.ndarray] = {}
        self._packets = 0  # of this turn
        self._marked_at = self._checkpointed_at = session.started_at
        self._now = session.started_at
        self._anchors: dict[str, AnchorClaim] = {}
        self._found = self._anchors, session.dimension.release.evicted  # at the begin of the last tick
        self._idle = self._pulse()

    def begin(self, now: float) -> None:
        self._now = now
        self._record(recorded.TurnRecord(now))
        self._record_anchors()

    def heard(self, event: Event) -> None:
        match event:
            case Received(message=message, at=at, packet=packet):
                self._record(recorded.ReceivedRecord(packet) if packet else Arrived(message, event.objects_bytes), at)
                self._trace(message)
            case Faulty(error=error, packet=packet):
                told = recorded.FaultRecord(error.packet, error.field, error.offset, error.reason)
                self._record(recorded.ReceivedRecord(packet) if packet else told)
                self._packets += 1
            case Sent(packet=packet, at=at):
                self._record(recorded.LoginRecord(packet), at)
            case Joined(at=at):
                self._record(recorded.JoinedRecord(), at)
            case Closed(reason=reason):
                self._record(recorded.EndedRecord(reason))

    def looked(self, view: View) -> None:
        eye = (view.eye.x, view.eye.y, view.eye.z)
        self._record(recorded.ViewRecord(eye, view.yaw_deg, view.pitch_deg, view.fov_deg, view.ortho_blocks))

    def tick(self, now: float, round_trip_s: float, under_way: bool) -> list[Message]:
        """Ticks the session, ends the turn, and returns the messages to send."""
        session = self._session
        self._record_anchors()
        self._found = self._anchors, session.dimension.release.evicted
        before, plans = session.dimension.requests.asking.wanted, session.dimension.requests.plans
        session.tick(now, round_trip_s, under_way)
        outgoing = session.outbox.take()
        if session.dimension.requests.plans != plans:
            self._record_plan(before)
        for message in outgoing:
            self._record(message)
        self._record(recorded.TickRecord(round_trip_s, under_way))
        self._record_anchors()
        self._hand_over()
        return outgoing

    def close(self, now: float) -> None:
        """Closes the file; the content of an unfinished turn is kept."""
        self._put(None)
        if self.recorder:
            self.recorder.close(now, self._time_us(now))
        if self.buffer:
            self.buffer.close(now)

    def _put(self, known: np.ndarray | None) -> None:
        """Passes the turn on; with the ``known`` columns, and a checkpoint if one is due, at a mark."""
        if self.recorder:
            self.recorder.put(self._turn)
        if self.buffer:
            self.buffer.put(TimedTurn(self._turn, self._traces, known, None if known is None else self._checkpoint()))

    def _record(self, what: recorded.Record | Arrived | Message, at: float | None = None) -> None:
        self._turn.append((self._time_us(self._now if at is None else at), what))

    def _trace(self, message: Message) -> None:
        columns = message.columns() if self.buffer else None
        if columns is not None:  # without columns it must never be dropped
            self._traces[self._packets] = np.array(columns, np.int32).reshape(-1, len(ColumnPos._fields))
        self._packets += 1

    def _time_us(self, at: float) -> int:
        return max(0, round((at - self._start) * 1e6))

    def _record_anchors(self) -> None:
        now = dict(self._session.anchors.pins)
        if now == self._anchors:
            return
        for name in self._anchors.keys() - now.keys():
            self._record(recorded.ReleasedRecord(name))
        for name, pin in now.items():
            if self._anchors.get(name) != pin:
                columns = (*pin.anchor.low, *pin.anchor.high)
                eye = pin.eye
                self._record(
                    recorded.AnchorRecord(name, columns)
                    if eye is None
                    else recorded.PinnedAnchorRecord(name, columns, (eye.x, eye.y, eye.z))
                )
        self._anchors = now

    def _record_plan(self, before: np.ndarray) -> None:
        store, after = self._session.dimension.store, self._session.dimension.requests.asking.wanted
        added, removed = np.setdiff1d(after, before), np.setdiff1d(before, after)
        removed = removed[np.isin(removed // store.dimension.sections, store.announced_rows)]
        self._record(recorded.PlanRecord(store.positions_of(added), store.positions_of(removed)))

    def _hand_over(self) -> None:
        pulse = self._pulse()
        marks = self.buffer is not None and self._now - self._marked_at >= MARK_S
        if len(self._turn) > 2 or pulse != self._idle or marks:  # more than its begin and its tick
            self._put(self._known() if marks else None)
            self._idle = pulse
            self._marked_at = self._now if marks else self._marked_at
        self._turn, self._traces, self._packets = [], {}, 0

    def _checkpoint(self) -> Checkpoint | None:
        playing = self._session.spawn.phase is SpawnPhase.PLAYING
        if not playing or self._now - self._checkpointed_at < self._apart_s:
            return None
        self._checkpointed_at = self._now
        return Checkpoint(self._session)

    @property
    def _apart_s(self) -> float:
        """Distance of checkpoints, without the time to the next mark."""
        few = CHECKPOINT_COLUMN_S * len(self._session.dimension.store.row_of)
        return min(CHECKPOINT_S, few, self.buffer.kept_s / CHECKPOINTS) if self.buffer else CHECKPOINT_S

    def _known(self) -> np.ndarray:
        return np.array([*self._session.dimension.store.row_of], np.int32).reshape(-1, len(ColumnPos._fields))

    def _pulse(self) -> tuple[object, ...]:
        """Values that a tick without input may change."""
        session = self._session
        return session.movement.ticks, session.ledger.stats(), session.dimension.release.evicted, self._found


MOST_RADIUS = 126  # with it the player's anchor has the most columns that one may have (``client.streaming.anchors``)
MOST = 1e9  # limit of all other numbers, seconds and blocks a second among them
MOST_WHOLE = 1 << 20  # limit of counts: packets, places, columns
POSITIVE = frozenset(
    {"tick_s", "level_speed_blocks_s", "climb_speed_blocks_s", "packet_interval_s", "entries_per_packet"}
)
"""Values that are used as divisors."""


def config_of(header: Header) -> tuple[SessionConfig, float]:
    """The session's configuration, and its begin. Raises ValueError: impossible.

    Missing values and null mean the defaults, and 8.0 means 8: not every writer of JSON tells the two apart.
    The weights are those of today: a replay requests nothing by itself.
    """
    said = {name: value for name, value in header.session.items() if name != "weights" and value is not None}
    started_at = msgspec.convert(said.get("started_at", 0.0), float)
    config = msgspec.convert({**said, "protocol": header.protocol}, SessionConfig, strict=False)
    if not 1 <= config.radius <= MOST_RADIUS:
        raise ValueError(f"a radius of {config.radius} columns")
    if not abs(started_at) <= MOST:
        raise ValueError(f"started_at is {started_at!r}")
    for part in (config, config.limits, config.player):
        for name, value in msgspec.structs.asdict(part).items():
            most = MOST_WHOLE if isinstance(value, int) else MOST
            if isinstance(value, int | float) and (not 0 <= value <= most or (name in POSITIVE and value == 0)):
                raise ValueError(f"{name} is {value!r}")
    return config, started_at
