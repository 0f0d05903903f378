"""Plays a recording: at any speed, step by step, and seeks forward and back.

Rules:
1. The clock only decides how much is due, in whole turns. A step or a seek by packet may end within a turn, and shows
   what is known there; so does a pause.
2. Going back means a second session (``ReplayedSession``) that goes forward from the start, or from the last checkpoint
   before the target. The first session stays shown until the second one is there, so callers must read ``session``
   again after each ``run``.
3. A place has one state: the same blocks, states and light however it was reached. A target is a place between two
   records: the first one at which it holds.
4. An unreadable block is left out and logged once; only what depends on it may be missing.
5. The camera belongs to the viewer; the recorded player moves as it did.
6. Planner and network are off: the recorded plan and requests are applied, with the recorded times. A packet that does
   not decode is a fault, as it was then.
7. A pass that stops within a turn may ``show`` the content of the turn so far. That ends one drain more than there was:
   only revisions and the epoch of the block pools differ from there on.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from client.errors import UnreadableFile
from client.player import Eye, View
from client.recording.checkpoints import (
    Checkpoint,
    ReplayCheckpoint,
    ReplayCheckpoints,
    SeekPlace,
    SeekTarget,
    Traffic,
)
from client.recording.recorder import config_of
from client.session.requests import ReplayedRequests
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.source import one_line
from client.streaming.anchors import Anchor
from net.bedrock import Codec, Message, SubChunkRequest, Unknown
from net.errors import DecodeError, LocalProtocolError
from net.palette import Palette
from net.peer import Closed, Event, Faulty, Joined, PeerStats, Received
from net.recording import records as recorded
from net.recording.blocks import Damage
from net.recording.file import Recording
from net.recording.records import TimedRecord
from net.space import ColumnPos
from net.wire.fields import Profile

LOG = logging.getLogger("chunkscope.replay")
MOST_PACKETS: Final = 1 << 30
"""Limit of the packet count if some were left out: no session has had more, and numbers are 32 bits wide."""
NO_POSITIONS: Final = np.empty((0, 3), np.int32)
AFTER_TICK: Final = (
    recorded.AnchorRecord,
    recorded.PinnedAnchorRecord,
    recorded.ReleasedRecord,
    recorded.FinishedRecord,
)
"""Records that may follow a tick and belong to its turn."""


class Position(msgspec.Struct, frozen=True):
    """A place in a recording."""

    time_s: float  # of the last begun turn, since the start of the recording
    packets: int  # packets of the server so far
    ticks: int  # ticks of the session so far, each the end of a turn
    at_end: bool  # whether no record follows


class ReplayedSession:
    """A replayed session and its place in the recording."""

    def __init__(
        self, recording: Recording, codec: Codec, palette: Palette, start: ReplayCheckpoint | None = None
    ) -> None:
        """Begins at the start, or at a checkpoint. Raises ValueError or TypeError: the header has no valid session."""
        if start is None:
            config, started_at = config_of(recording.header)
            self.session, place, self._traffic = Session(config, palette, started_at), SeekPlace(), Traffic()
        else:
            self.session, place, self._traffic = start.checkpoint.begin(), start.place, deepcopy(start.traffic)
        self._codec = codec
        self._now = self.session.now
        self.time_us, self._packets, self._ticks = place.time_us, place.packets, place.ticks
        self._recording = recording
        self._block, self._records = place.block, place.records  # finished ones of that block
        self._entries: Iterator[TimedRecord] = self._from(place)
        self._next = next(self._entries, None)
        self._at_packet = True  # whether the last record was a packet, or there was none
        self.within_turn = False
        self._planned: recorded.PlanRecord | None = None
        self._said: list[Message] = []

    @property
    def at_end(self) -> bool:
        return self._next is None

    @property
    def position(self) -> Position:
        return Position(self.time_us / 1e6, self._packets, self._ticks, self.at_end)

    @property
    def next_us(self) -> float:
        """Time of the next record, since the start of the recording; inf at the end."""
        return math.inf if self._next is None else self._next.time_us

    def checkpoint(self) -> ReplayCheckpoint:
        """A checkpoint of this place, which must be between two turns."""
        place = SeekPlace(self._block, self._records, self.time_us, self._packets, self._ticks)
        return ReplayCheckpoint(place, Checkpoint(self.session), deepcopy(self._traffic))

    def is_past(self, goal: SeekTarget) -> bool:
        """Whether a target lies before this place, so that another pass is needed."""
        return self.time_us > goal.not_before_us and (
            self.time_us > goal.time_us
            or self._packets + (not self._at_packet) > goal.packets
            or self._ticks + self.within_turn > goal.ticks
        )

    def advance(self, goal: SeekTarget, deadline: float, clock: Callable[[], float]) -> bool:
        """Goes on until the target, the end, or the deadline of ``clock``; returns False for the deadline."""
        while self._next is not None and not self.arrived(goal):
            self._apply(self._next)
            self._records += 1
            self._next = next(self._entries, None)
            if self._next is None:
                self.show()
            if clock() >= deadline:
                return self._next is None
        return True

    def _from(self, place: SeekPlace) -> Iterator[TimedRecord]:
        """The records after a place; ``_block`` and ``_records`` follow the reader."""
        for block in range(place.block, len(self._recording.blocks)):
            entries = self._recording.read(block)
            self._block, self._records = block, place.records if block == place.block else 0
            yield from entries[self._records :]

    def arrived(self, goal: SeekTarget) -> bool:
        """Whether the target is reached before the next record, or none follows."""
        if self._next is None:
            return True
        turn_us = self._next.time_us if isinstance(self._next.record, recorded.TurnRecord) else -1
        if max(self.time_us, turn_us) <= goal.not_before_us:
            return False
        return self._packets >= goal.packets or self._ticks >= goal.ticks or turn_us > goal.time_us

    def show(self) -> None:
        """Shows what came since the last tick (rule 7), if anything."""
        if self.within_turn:
            self.session.dimension.end_drain()
        if self.at_end:
            self.session.entities.apply()  # elsewhere the moves of one turn are applied together

    def stats(self) -> PeerStats:
        """Statistics of the packets so far; datagrams are unknown."""
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
                self._now, self.time_us = now, entry.time_us
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
            case recorded.ViewRecord(eye, yaw_deg, pitch_deg, fov_deg, ortho_blocks):
                session.set_view(View(Eye(*eye), yaw_deg, pitch_deg, fov_deg, ortho_blocks))
            case recorded.AnchorRecord(name, columns):
                self._pin(name, columns, None)
            case recorded.PinnedAnchorRecord(name, columns, eye):
                self._pin(name, columns, Eye(*eye))
            case recorded.ReleasedRecord(name):
                session.anchors.release(name)
            case recorded.FinishedRecord(now):
                self._now = now
        self._at_packet = isinstance(record, recorded.ReceivedRecord | recorded.FaultRecord)
        if not isinstance(record, AFTER_TICK):
            self.within_turn = not isinstance(record, recorded.TickRecord)

    def _pin(self, name: str, columns: tuple[int, int, int, int], eye: Eye | None) -> None:
        low_x, low_z, high_x, high_z = columns
        try:
            self.session.anchors.pin(name, Anchor(ColumnPos(low_x, low_z), ColumnPos(high_x, high_z)), eye)
        except ValueError as error:  # none of our sessions pins such an anchor: the file is damaged
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


UNHURRIED_S: Final = 0.05  # longest ``run`` at full speed without a budget, so that progress can be shown


class Replay:
    """Plays a recording, as a ``Transport`` without a server: it sends nothing and gives no events.

    Owner thread only.
    """

    def __init__(
        self,
        recording: Recording,
        path: Path,
        clock: Callable[[], float] = time.monotonic,
        checkpoints: Sequence[ReplayCheckpoint] = (),
        space_bytes: int = 0,
        towards_s: float = math.inf,
    ) -> None:
        """Stands at the start or a checkpoint, paused; the recording belongs to it from now on.

        ``checkpoints``: where a pass may begin, in order. ``space_bytes``: what checkpoints that it leaves may take.
        ``towards_s``: where one will go first. Raises UnreadableFile: this version cannot play it.
        """
        self.path = path  # of the file
        self.joined_s = 0.0  # when the server spawned the player; 0 if ``join`` did not see it
        self._recording = recording
        self._clock = clock
        self._camera: View | None = None
        self._reported: set[Damage] = set()
        header = recording.header
        try:
            self.codec = Codec(header.protocol, Profile(header.profile))
            self._palette = Palette.for_protocol(header.protocol)
        except (LocalProtocolError, ValueError, LookupError, OSError) as error:
            raise UnreadableFile(
                f"{path} was recorded with protocol {header.protocol}, profile {header.profile}: {error}."
            ) from None
        self._checkpoints = ReplayCheckpoints(checkpoints, space_bytes)
        towards = self._whole(SeekTarget(time_us=towards_s * 1e6))
        self._track = self._begun(self._checkpoints.before(towards))  # the shown pass
        self._goal: SeekTarget | None = None  # target of a seek under way, or None
        self._ahead: ReplayedSession | None = None  # a second pass, under way to the target
        self._goal_us = 0.0  # its time, approximately
        self.speed: float | None = None  # seconds of the recording a second; None: as fast as possible
        self.paused = True  # whether only ``step`` and ``seek`` change the place
        self._played_since, self._played_from_s = 0.0, 0.0  # a time of the clock, and the place that was shown then

    # ------------------------------------------------------------ state

    @property
    def session(self) -> Session:
        """The shown session; another object after a seek back."""
        return self._track.session

    @property
    def source(self) -> str:
        return self._recording.header.source

    @property
    def position(self) -> Position:
        return self._track.position

    @property
    def on_the_way(self) -> Position | None:
        """The place of the pass that is under way to a target, or None."""
        return None if self._goal is None else (self._ahead or self._track).position

    @property
    def goal_s(self) -> float | None:
        """Time of the target of a seek under way; None without one, or for a target by packets or ticks."""
        goal_us = self._aim.time_us
        return goal_us / 1e6 if math.isfinite(goal_us) else None

    @property
    def duration_s(self) -> float:
        return self._recording.duration_us / 1e6

    @property
    def whole_from_s(self) -> float:
        """Time from which on nothing was left out."""
        return self._recording.header.whole_from_us / 1e6

    @property
    def damages(self) -> tuple[Damage, ...]:
        """Unreadable parts of the file, as far as it was read."""
        return self._recording.damages

    @property
    def lost(self) -> tuple[Damage, ...]:
        """Unreadable parts before the shown place, whose content may be missing there."""
        read_from = [block.offset for block in self._recording.blocks if block.first_us <= self.position.time_s * 1e6]
        last = max(read_from, default=0)
        return tuple(damage for damage in self.damages if self._track.at_end or damage.offset < last)

    @property
    def resting(self) -> bool:
        """Whether ``run`` would change nothing."""
        return self._goal is None and (self.paused or self._track.at_end)

    def unsettled(self, within: Anchor | None) -> str | None:
        """What is still missing, in words; None when nothing is. At the end of the recording nothing more may come."""
        if not self.resting:
            position = self.position
            return f"the recording is at {position.time_s:.2f} of {self.duration_s:.2f} s"
        if self.session.spawn.closed_reason is not None:
            return f"in the recording {one_line(self.session.spawn.closed_reason)}"
        return self.session.unsettled(math.inf, within)

    # ------------------------------------------------------------ control

    def play(self, speed: float | None = 1.0) -> None:
        """Plays on, from here or from the target of a seek, at so many seconds a second; None: as fast as possible."""
        self.speed, self.paused = speed, False
        self._play_from_here()

    def pause(self) -> None:
        if not self.paused and self._goal is None:
            self._track.show()
        self.paused = True

    def step(self, packets: int = 1) -> None:
        """Goes so many packets forward, or back, and pauses there."""
        self.seek_packet(_aimed(self._aim.packets, self.position.packets) + packets)

    def step_ticks(self, ticks: int = 1) -> None:
        """Goes so many ticks forward, or back, and pauses there; from within a turn, first back to its begin."""
        begun = self._track.within_turn and ticks < 0
        self._go(SeekTarget(ticks=max(0, _aimed(self._aim.ticks, self.position.ticks + begun) + ticks)), stay=True)

    def skip(self, seconds: float) -> None:
        """Goes so many seconds forward, or back, and plays on as before."""
        self.seek(_aimed(self._aim.time_us / 1e6, self.position.time_s) + seconds, stay=False)

    def seek(self, time_s: float, stay: bool = True) -> None:
        """Seeks to the last turn at that time, clamped to the readable part; ``run`` does the work.

        ``stay``: whether it pauses there; else it plays on as before.
        """
        self._go(SeekTarget(time_us=round(min(max(time_s, self.whole_from_s), self.duration_s) * 1e6)), stay)

    def seek_packet(self, packets: float) -> None:
        """Seeks to the place after so many packets and pauses there; ``run`` does the work."""
        self._go(SeekTarget(packets=max(0, packets)), stay=True)

    def watch(self, view: View) -> None:
        """Sets the camera, which the recording no longer moves."""
        self._camera = view
        self.session.movement.watch(view)

    @property
    def _aim(self) -> SeekTarget:
        """The target of the seek under way; an infinite one without a seek."""
        return self._goal or SeekTarget()

    def _go(self, goal: SeekTarget, stay: bool) -> None:
        """Starts a seek; replaces the one before."""
        self.paused = self.paused or stay
        self._goal = goal = self._whole(goal)
        found = self._checkpoints.before(goal)
        nearer = found is not None and found.time_us > self._track.time_us
        ahead = nearer or self._track.is_past(goal)
        self._goal_us = goal.time_us if math.isfinite(goal.time_us) else self._track.time_us
        self._ahead = self._begun(found) if ahead else None

    def _whole(self, goal: SeekTarget) -> SeekTarget:
        """The target, restricted to the part where nothing was left out."""
        whole_from_us = self._recording.header.whole_from_us
        return replace(goal, not_before_us=whole_from_us) if whole_from_us else goal  # 0: nothing was left out

    def _begun(self, found: ReplayCheckpoint | None) -> ReplayedSession:
        try:
            return ReplayedSession(self._recording, self.codec, self._palette, found)
        except (TypeError, ValueError) as error:
            raise UnreadableFile(f"{self.path}: its header does not describe a session: {error}.") from None

    # ------------------------------------------------------------ advancing

    def run(self, budget_s: float | None = None) -> bool:
        """Does what is due, for ``budget_s`` at most; returns whether anything was done."""
        if self.resting:
            return False
        now = self._clock()
        if self._goal is not None:
            if self._travel(math.inf if budget_s is None else now + budget_s):
                self._play_from_here()
        elif not self._live_on(self._due_us(now), now + (UNHURRIED_S if budget_s is None else budget_s)):
            return False
        self._follow_up()
        return True

    def _play_from_here(self) -> None:
        self._played_since, self._played_from_s = self._clock(), self.position.time_s

    def _due_us(self, now: float) -> float:
        """The time up to which turns are due."""
        if self.speed is None:
            return math.inf
        return (self._played_from_s + (now - self._played_since) * self.speed) * 1e6

    def until(self, reached: Callable[[Session], bool]) -> None:
        """Plays turn by turn, without pacing, until the condition holds, or to the end."""
        while not reached(self.session) and not self._track.at_end:
            self._track.advance(SeekTarget(packets=self.position.packets + 1), math.inf, self._clock)
            self._track.advance(SeekTarget(ticks=self.position.ticks + 1), math.inf, self._clock)
        self._follow_up()

    def join(self) -> None:
        """Plays, without pacing, until the server has spawned the player, or to the end."""
        from_start = self.position.packets == 0
        self.until(lambda session: session.spawn.phase in (SpawnPhase.PLAYING, SpawnPhase.CLOSED))
        if from_start and self.session.spawn.phase is SpawnPhase.PLAYING:
            self.joined_s = self.position.time_s

    def leave_checkpoint(self) -> None:
        """Leaves a checkpoint of the shown session, which must be between two turns, if there is memory for any."""
        if self._checkpoints.has_space:
            self._checkpoints.leave(self._track.checkpoint(), near=False)

    def _travel(self, deadline: float) -> bool:
        """Continues a seek; on arrival its session becomes the shown one. Returns whether it has arrived."""
        assert self._goal is not None
        track = self._ahead or self._track
        there = self._go_on(track, self._goal, deadline, self._goal_us)
        if there:
            track.show()
            self._track, self._ahead, self._goal = track, None, None
        return there

    def _live_on(self, until_us: float, deadline: float) -> bool:
        """Plays the shown session to a time; returns whether anything came."""
        before = self._track.position
        self._go_on(self._track, SeekTarget(time_us=until_us), deadline, None)
        return self._track.position != before

    def _go_on(self, track: ReplayedSession, goal: SeekTarget, deadline: float, goal_us: float | None) -> bool:
        """Continues a pass to a target, from one checkpoint to the next; returns whether it has arrived.

        ``goal_us``: time of the target of a seek; None when playing. Each turn of the loop but the first applies at
        least one record, and so checks the deadline.
        """
        passed_us: float = track.time_us
        while True:
            stop_us, near = self._checkpoints.next_stop(passed_us, goal_us)
            if not track.advance(replace(goal, time_us=min(goal.time_us, stop_us)), deadline, self._clock):
                return False
            if track.arrived(goal):
                return True
            if track.session.spawn.phase is SpawnPhase.PLAYING:
                self._checkpoints.leave(track.checkpoint(), near)
            passed_us = track.next_us - 1

    def _follow_up(self) -> None:
        """Sets the camera in the shown session, which may be a new one; logs new damages."""
        if self._camera is not None:
            self.session.movement.watch(self._camera)
        for damage in self.damages:
            if damage not in self._reported:
                self._reported.add(damage)
                LOG.warning("%s: %s", self.path, damage)

    # ------------------------------------------------------------ Transport

    def send(self, message: Message) -> None:
        """Does nothing: the file has the sent messages."""

    def events(self) -> list[Event]:
        """Always empty: events are applied here."""
        return []

    def close(self, reason: str) -> None:
        self._recording.close()

    def stats(self) -> PeerStats:
        return self._track.stats()


def _aimed(aim: float, here: float) -> float:
    """Where the next step counts from: steps during a seek add up."""
    return here if math.isinf(aim) else aim
