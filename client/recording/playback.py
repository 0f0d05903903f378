"""One way through a recording: a session that is told again what it was told then, and how far it is. Only forward.

Rules:
1. Planner and network are off. What was wanted and asked then is wanted and asked now, so ledger, lifecycle and store
   repeat exactly, whatever a later planner would do.
2. Time is the recording's: a session computes with the doubles that were written.
3. A goal is a place between two records: the first one at which it holds. So two ways to one goal end in one state.
4. Whoever stops within a turn may ``show`` what the turn has brought so far. That ends a drain more than there was:
   blocks, states, ledger and light are as ever, revisions and counts of drains are the way's own from there on.
5. A packet that does not decode is what it was to the session then: a fault.
"""

import logging
import math
from collections.abc import Callable, Iterator
from typing import Final

import msgspec
import numpy as np

from client.player import Eye, View
from client.recording.checkpoints import Checkpoint, ReplayCheckpoint, SeekPlace, SeekTarget, Traffic, traffic_of
from client.recording.recorder import config_of
from client.session.requests import ReplayedRequests
from client.session.session import Session
from client.streaming.anchors import Anchor
from net import recording as recorded
from net.bedrock import Codec, Message, SubChunkRequest, Unknown
from net.errors import DecodeError
from net.palette import Palette
from net.peer import Closed, Event, Faulty, Joined, PeerStats, Received
from net.recording import Recording, TimedRecord
from net.space import ColumnPos

LOG = logging.getLogger("chunkscope.replay")
MOST_PACKETS: Final = 1 << 30
"""So far packets are counted where some were left out: no session has had more, and numbers are 32 bits wide."""
NO_POSITIONS: Final = np.empty((0, 3), np.int32)
AFTER_TICK: Final = (
    recorded.AnchorRecord,
    recorded.PinnedAnchorRecord,
    recorded.ReleasedRecord,
    recorded.FinishedRecord,
)
"""What may stand behind a tick and belongs to its turn."""


class Position(msgspec.Struct, frozen=True):
    """A place in a recording."""

    time_s: float  # of the last turn that began, since the recording did
    packets: int  # packets of the server so far
    ticks: int  # ticks of the session so far, each the end of a turn
    at_end: bool  # whether nothing follows


class ReplayedSession:
    """A session, and how far it is."""

    def __init__(
        self, recording: Recording, codec: Codec, palette: Palette, start: ReplayCheckpoint | None = None
    ) -> None:
        """Stands at the start, or at a checkpoint. Raises ValueError or TypeError: the header says no session."""
        if start is None:
            config, started_at = config_of(recording.header)
            self.session, place, self._traffic = Session(config, palette, started_at), SeekPlace(), Traffic()
        else:
            self.session, place, self._traffic = start.checkpoint.begin(), start.place, traffic_of(start.traffic)
        self._codec = codec
        self._now = self.session.now
        self._time_us, self._packets, self._ticks = place.time_us, place.packets, place.ticks
        self._recording = recording
        self._block, self._records = place.block, place.records  # of it, that are over
        self._entries: Iterator[TimedRecord] = self._from(place)
        self._next = next(self._entries, None)
        self._at_packet = True  # nothing came since the last packet, or the start
        self._within_turn = False
        self._planned: recorded.PlanRecord | None = None
        self._said: list[Message] = []

    @property
    def at_end(self) -> bool:
        """Whether nothing follows."""
        return self._next is None

    @property
    def position(self) -> Position:
        """How far it is."""
        return Position(self._time_us / 1e6, self._packets, self._ticks, self.at_end)

    @property
    def within_turn(self) -> bool:
        """Whether a turn began that has not ticked yet."""
        return self._within_turn

    @property
    def time_us(self) -> int:
        """Of the last turn that began, since the recording did."""
        return self._time_us

    @property
    def next_us(self) -> float:
        """Of what follows, since the recording began; inf where nothing does."""
        return math.inf if self._next is None else self._next.time_us

    def checkpoint(self) -> ReplayCheckpoint:
        """This place, for other ways to begin at; between two turns."""
        place = SeekPlace(self._block, self._records, self._time_us, self._packets, self._ticks)
        return ReplayCheckpoint(place, Checkpoint(self.session), traffic_of(self._traffic))

    def is_past(self, goal: SeekTarget) -> bool:
        """Whether that place lies behind, so that only another way leads there."""
        return self._time_us > goal.not_before_us and (
            self._time_us > goal.time_us
            or self._packets + (not self._at_packet) > goal.packets
            or self._ticks + self._within_turn > goal.ticks
        )

    def advance(self, goal: SeekTarget, deadline: float, clock: Callable[[], float]) -> bool:
        """Goes on until the goal, the end, or the deadline of ``clock``; says whether it was not the deadline."""
        while self._next is not None:
            if self._is_at(goal, self._next):
                return True
            self._apply(self._next)
            self._records += 1
            self._next = next(self._entries, None)
            if clock() >= deadline:
                return self._next is None
        return True

    def arrived(self, goal: SeekTarget) -> bool:
        """Whether the goal is here, or nothing follows."""
        return self._next is None or self._is_at(goal, self._next)

    def _from(self, place: SeekPlace) -> Iterator[TimedRecord]:
        """What follows a place; ``_block`` and ``_records`` say where the reader is."""
        for block in range(place.block, len(self._recording.blocks)):
            entries = self._recording.read(block)
            self._block, self._records = block, place.records if block == place.block else 0
            yield from entries[self._records :]

    def _is_at(self, goal: SeekTarget, following: TimedRecord) -> bool:
        """Whether the goal is here, where that entry follows."""
        turn_us = following.time_us if isinstance(following.record, recorded.TurnRecord) else -1
        if max(self._time_us, turn_us) <= goal.not_before_us:
            return False
        return self._packets >= goal.packets or self._ticks >= goal.ticks or turn_us > goal.time_us

    def show(self) -> None:
        """Shows what came since the last tick (rule 4); nothing where there is none."""
        if self._within_turn:
            self.session.dimension.end_drain()

    def stats(self) -> PeerStats:
        """What the packets so far tell; nothing is known of datagrams."""
        return PeerStats(
            packets_in=self._packets,
            packets_out=self._traffic.sent,
            packet_bytes_in=self._traffic.bytes_in,
            packet_bytes_out=self._traffic.bytes_out,
            decode_errors=self._traffic.faulty,
            unknown=dict(self._traffic.unknown),
            rtt_s=self._traffic.round_trip_s,
        )

    # ------------------------------------------------------------ record by record

    def _apply(self, entry: TimedRecord) -> None:
        record, session = entry.record, self.session
        match record:
            case recorded.TurnRecord(now):
                self._now, self._time_us = now, entry.time_us
            case recorded.ReceivedRecord(packet):
                session.handle(self._heard(packet), self._now)
            case recorded.FaultRecord(packet=packet, field=field, offset=offset, reason=reason):
                self._traffic.faulty += 1
                session.handle(Faulty(DecodeError(packet, field, offset, reason), self._number()), self._now)
            case recorded.JoinedRecord():
                session.handle(Joined(self._now), self._now)
            case recorded.EndedRecord(reason):
                session.handle(Closed(reason), self._now)
            case recorded.LoginRecord(packet) | recorded.SentRecord(packet):
                self._spoke(packet, of_session=isinstance(record, recorded.SentRecord))
            case recorded.OmittedRecord(packets):
                self._packets = min(self._packets + packets, MOST_PACKETS)
            case recorded.PlanRecord():
                self._planned = record
            case recorded.TickRecord(round_trip_s, under_way):
                self._tick(round_trip_s, under_way)
            case _:
                self._steer(record)
        self._at_packet = isinstance(record, recorded.ReceivedRecord | recorded.FaultRecord)
        if not isinstance(record, AFTER_TICK):
            self._within_turn = not isinstance(record, recorded.TickRecord)

    def _steer(self, record: object) -> None:
        """What the user did then."""
        match record:
            case recorded.ViewRecord(eye, yaw_deg, pitch_deg, fov_deg, ortho_blocks):
                self.session.set_view(View(Eye(*eye), yaw_deg, pitch_deg, fov_deg, ortho_blocks))
            case recorded.AnchorRecord(name, columns):
                self._pin(name, columns, None)
            case recorded.PinnedAnchorRecord(name, columns, eye):
                self._pin(name, columns, Eye(*eye))
            case recorded.ReleasedRecord(name):
                self.session.anchors.release(name)
            case recorded.FinishedRecord(now):
                self._now = now

    def _pin(self, name: str, columns: tuple[int, int, int, int], eye: Eye | None) -> None:
        low_x, low_z, high_x, high_z = columns
        try:
            self.session.anchors.pin(name, Anchor(ColumnPos(low_x, low_z), ColumnPos(high_x, high_z)), eye)
        except ValueError as error:  # no session of ours pins such a thing: the file is not what it was
            LOG.warning("%s is left out", error)

    def _number(self) -> int:
        self._packets += 1
        return self._packets - 1

    def _heard(self, packet: bytes) -> Event:
        self._traffic.bytes_in += len(packet)
        try:
            message = self._codec.decode(packet)
        except DecodeError as error:
            self._traffic.faulty += 1
            return Faulty(error, self._number(), packet)
        if isinstance(message, Unknown):
            self._traffic.unknown[message.packet_id] += 1
        return Received(message, self._now, self._number(), len(packet), packet)

    def _spoke(self, packet: bytes, of_session: bool) -> None:
        self._traffic.sent += 1
        self._traffic.bytes_out += len(packet)
        if of_session:
            try:
                self._said.append(self._codec.decode(packet))
            except DecodeError as error:
                LOG.warning("a recorded outgoing packet cannot be decoded: %s", error)

    def _tick(self, round_trip_s: float, under_way: bool) -> None:
        plan, said = self._planned, self._said
        self._planned, self._said = None, []
        self._ticks += 1
        self._traffic.round_trip_s = round_trip_s
        requests = [message for message in said if isinstance(message, SubChunkRequest)]
        asked = [request.offsets + np.asarray(request.centre, np.int32) for request in requests]
        retraced = ReplayedRequests(
            planned=plan is not None,
            added=plan.added if plan else NO_POSITIONS,
            removed=plan.removed if plan else NO_POSITIONS,
            asked=np.concatenate([NO_POSITIONS, *asked]).astype(np.int32),
            packets=len(requests),
        )
        self.session.retrace(self._now, round_trip_s, under_way, retraced, said)
