"""Plays a recording: at any speed, step by step, and to any place, forward and back.

Rules:
1. The clock decides only how much is due, in whole turns; a step or a seek by packet may end within a turn, and shows
   what is known there. So does a pause.
2. Back is forward from the start, or from the last checkpoint before the goal, in a second session
   (``ReplayedSession``); the first one stays what is shown until that one is there. So whoever shows a world
   looks at ``session`` again after each ``run``. Ways leave checkpoints behind where there is room for them
   (``checkpoints.ReplayCheckpoints``).
3. A place is one state: the same blocks, states and light whichever way led there (rule 9).
4. A block that does not read is left out and told once; what depends on it may be missing, nothing else.
5. The camera belongs to whoever watches: the player moves as it did.
6. Where something was left out (``net.storage.recent_history``) nothing before ``whole_from_s`` is gone to: no
   time, and no packet or tick.

``ReplayedSession`` is one way through a recording, only forward: a session that is told again what it was told then.
7. Planner and network are off. What was wanted and asked then is wanted and asked now, so ledger, lifecycle and store
   repeat exactly, whatever a later planner would do.
8. Time is the recording's: a session computes with the doubles that were written. A packet that does not decode is what
   it was to the session then: a fault.
9. A goal is a place between two records: the first one at which it holds. So two ways to one goal end in one state.
10. Whoever stops within a turn may ``show`` what the turn has brought so far. That ends a drain more than there was:
    blocks, states, ledger and light are as ever, revisions and counts of drains are the way's own from there on.
    Where a recording ends within a turn, what that turn brought is shown.

It is a ``Transport`` without a server: nothing is sent, and no events come out, for they are applied here.

Playback clock: how much of a recording is due: its own time as a function of the clock, at any speed, paused or not.
1. Whoever plays says where it is when the speed changes, and when it stood still: time runs on from there. So a slow
   computer falls behind what is due only as long as one speed lasts.
2. A recording has the times of its turns and nothing between: what is due is compared with those.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
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
    traffic_of,
)
from client.recording.recorder import config_of
from client.session.requests import ReplayedRequests
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.source import one_line
from client.streaming.anchors import Anchor
from net import recording as recorded
from net.bedrock import Codec, Message, SubChunkRequest, Unknown
from net.errors import DecodeError, LocalProtocolError
from net.palette import Palette
from net.peer import Closed, Event, Faulty, Joined, PeerStats, Received
from net.recording import Damage, Recording, TimedRecord
from net.space import ColumnPos
from net.wire.fields import Profile

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
            if self._next is None:
                self.show()
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
        """Shows what came since the last tick (rule 10); nothing where there is none."""
        if self._within_turn:
            self.session.dimension.end_drain()
        if self.at_end:
            self.session.entities.apply()  # elsewhere the moves of one turn are applied together

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


class PlaybackClock:
    """Clock to recording."""

    def __init__(self, now: float) -> None:
        """Paused at the start; ``now`` is the clock's, monotonic seconds, as everywhere here."""
        self.speed: float | None = None  # seconds of the recording a second; None as fast as it goes
        self.paused = True  # whether nothing becomes due
        self._since, self._from_s = now, 0.0

    def play(self, speed: float | None, at_s: float, now: float) -> None:
        """Runs at that speed from ``at_s`` of the recording on."""
        self.speed, self.paused = speed, False
        self.rebase(at_s, now)

    def pause(self) -> None:
        """Nothing becomes due until the next ``play``."""
        self.paused = True

    def rebase(self, at_s: float, now: float) -> None:
        """Goes on from ``at_s`` as it did."""
        self._since, self._from_s = now, at_s

    def due_us(self, now: float) -> float:
        """Up to where turns are due, in microseconds of the recording; infinite as fast as it goes."""
        if self.speed is None:
            return math.inf
        return (self._from_s + (now - self._since) * self.speed) * 1e6


UNHURRIED_S: Final = 0.05
"""How long one ``run`` at full speed may take where nobody gave a budget, so that progress can be told."""


class Replay:
    """A recording that is lived through; owner thread only."""

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

        ``checkpoints``: where a way through it may begin, in order. ``space_bytes``: what checkpoints may take that
        ways leave behind; 0: none are left, as nobody will go back. ``towards_s``: where one will go first, so that it
        stands at the last checkpoint before. Raises UnreadableFile: this version cannot live through it.
        """
        self.path = path  # of the file
        self.joined_s = 0.0  # when its server let the player in; 0 where ``join`` did not see it
        self._recording = recording
        self._clock = clock
        self._camera: View | None = None
        self._told: set[Damage] = set()
        header = recording.header
        try:
            self._codec = Codec(header.protocol, Profile(header.profile))
            self._palette = Palette.for_protocol(header.protocol)
        except (LocalProtocolError, ValueError, LookupError, OSError) as error:
            raise UnreadableFile(
                f"{path} was recorded with protocol {header.protocol}, profile {header.profile}: {error}."
            ) from None
        self._checkpoints = ReplayCheckpoints(checkpoints, space_bytes)
        self._track = self._begun(
            self._checkpoints.before(self._whole(SeekTarget(time_us=towards_s * 1e6)))
        )  # what is shown
        self._goal: SeekTarget | None = None  # where one wants to be; None where one is
        self._ahead: ReplayedSession | None = None  # the second session, on its way to the goal
        self._goal_us = 0.0  # when that is, roughly
        self._playback = PlaybackClock(clock())

    # ------------------------------------------------------------ what is shown

    @property
    def session(self) -> Session:
        """What is shown; another one after a way back."""
        return self._track.session

    @property
    def codec(self) -> Codec:
        """Packets of the protocol that was spoken."""
        return self._codec

    @property
    def source(self) -> str:
        return self._recording.header.source

    @property
    def position(self) -> Position:
        """What ``session`` has lived through."""
        return self._track.position

    @property
    def on_the_way(self) -> Position | None:
        """How far the way to where one wants to be is; None without one."""
        return None if self._goal is None else (self._ahead or self._track).position

    @property
    def goal_s(self) -> float | None:
        """When the place is where one wants to be; None where one is there, or means it by packets or ticks."""
        goal_us = self._aim.time_us
        return goal_us / 1e6 if math.isfinite(goal_us) else None

    @property
    def duration_s(self) -> float:
        """Length of the recording."""
        return self._recording.duration_us / 1e6

    @property
    def whole_from_s(self) -> float:
        """From where on nothing was left out."""
        return self._recording.header.whole_from_us / 1e6

    @property
    def speed(self) -> float | None:
        """Seconds of the recording a second; None as fast as it goes."""
        return self._playback.speed

    @property
    def paused(self) -> bool:
        """Whether nothing moves but by ``step`` and ``seek``."""
        return self._playback.paused

    @property
    def damages(self) -> tuple[Damage, ...]:
        """What of the file is unreadable, as far as it was read."""
        return self._recording.damages

    @property
    def lost(self) -> tuple[Damage, ...]:
        """What of the file is unreadable before the place that is shown, so that something may be missing there."""
        read_from = [block.offset for block in self._recording.blocks if block.first_us <= self.position.time_s * 1e6]
        last = max(read_from, default=0)
        return tuple(damage for damage in self.damages if self._track.at_end or damage.offset < last)

    @property
    def resting(self) -> bool:
        """Whether ``run`` would change nothing."""
        return self._goal is None and (self.paused or self._track.at_end)

    def unsettled(self, ask: Callable[[Session, float], str | None]) -> str | None:
        """What is waited for, in words; None when nothing is missing.

        ``ask``: a session's own answer at a time. Where nothing more comes, that time is the end of all time.
        """
        if not self.resting:
            position = self.position
            return f"the recording is at {position.time_s:.2f} of {self.duration_s:.2f} s"
        if self.session.spawn.closed_reason is not None:
            return f"the recorded session ended: {one_line(self.session.spawn.closed_reason)}"
        return ask(self.session, math.inf)

    # ------------------------------------------------------------ where to

    def play(self, speed: float | None = 1.0) -> None:
        """Goes on, from here or where it is on its way to, at so many seconds a second; None: as fast as it goes."""
        self._playback.play(speed, self.position.time_s, self._clock())

    def pause(self) -> None:
        """Stays here, or where it is on its way to."""
        if not self.paused and self._goal is None:
            self._track.show()
        self._playback.pause()

    def step(self, packets: int = 1) -> None:
        """Goes so many packets on, or back, and pauses there."""
        self.seek_packet(_aimed(self._aim.packets, self.position.packets) + packets)

    def step_ticks(self, ticks: int = 1) -> None:
        """Goes so many ticks on, or back, and pauses there; from within a turn, first back to its beginning."""
        begun = self._track.within_turn and ticks < 0
        self._go(SeekTarget(ticks=max(0, _aimed(self._aim.ticks, self.position.ticks + begun) + ticks)), stay=True)

    def skip(self, seconds: float) -> None:
        """Goes so far on, or back, and goes on as it did."""
        self.seek(_aimed(self._aim.time_us / 1e6, self.position.time_s) + seconds, stay=False)

    def seek(self, time_s: float, stay: bool = True) -> None:
        """Goes to the last turn at that time; ``run`` makes the way.

        ``time_s``: the nearest there is, where the recording is shorter, or not whole. ``stay``: whether it pauses
        there; else it goes on as it did.
        """
        self._go(SeekTarget(time_us=round(min(max(time_s, self.whole_from_s), self.duration_s) * 1e6)), stay)

    def seek_packet(self, packets: float) -> None:
        """Goes to where so many packets have come and pauses there; ``run`` makes the way."""
        self._go(SeekTarget(packets=max(0, packets)), stay=True)

    def watch(self, view: View) -> None:
        """Puts the camera there; what was recorded moves it no more."""
        self._camera = view
        self.session.movement.watch(view)

    @property
    def _aim(self) -> SeekTarget:
        """Where it is on its way to; nowhere in no terms without a way."""
        return self._goal or SeekTarget()

    def _go(self, goal: SeekTarget, stay: bool) -> None:
        """Goes to a goal from now on; the one before is forgotten."""
        if stay:
            self._playback.pause()
        self._goal = goal = self._whole(goal)
        found = self._checkpoints.before(goal)
        nearer = found is not None and found.time_us > self._track.time_us
        ahead = nearer or self._track.is_past(goal)
        self._goal_us = goal.time_us if math.isfinite(goal.time_us) else self._track.time_us
        self._ahead = self._begun(found) if ahead else None

    def _whole(self, goal: SeekTarget) -> SeekTarget:
        """No goal lies where something was left out."""
        whole_from_us = self._recording.header.whole_from_us
        return replace(goal, not_before_us=whole_from_us) if whole_from_us else goal  # 0: nothing was left out

    def _begun(self, found: ReplayCheckpoint | None) -> ReplayedSession:
        try:
            return ReplayedSession(self._recording, self._codec, self._palette, found)
        except (TypeError, ValueError) as error:
            raise UnreadableFile(f"{self.path}: its header does not describe a session: {error}.") from None

    # ------------------------------------------------------------ time goes on

    def run(self, budget_s: float | None = None) -> bool:
        """Does what is due.

        ``budget_s``: stop after so long and go on with the next call. Returns whether anything was done.
        """
        if self.resting:
            return False
        now = self._clock()
        if self._goal is not None:
            if self._travel(math.inf if budget_s is None else now + budget_s, self._clock):
                self._playback.rebase(self.position.time_s, self._clock())
        elif not self._live_on(
            self._playback.due_us(now), now + (UNHURRIED_S if budget_s is None else budget_s), self._clock
        ):
            return False
        self._follow_up()
        return True

    def until(self, reached: Callable[[Session], bool]) -> None:
        """Goes on turn by turn, at once, until a session is so far, or the end."""
        while not reached(self.session) and not self._track.at_end:
            self._track.advance(SeekTarget(packets=self.position.packets + 1), math.inf, self._clock)
            self._track.advance(SeekTarget(ticks=self.position.ticks + 1), math.inf, self._clock)
        self._follow_up()

    def join(self) -> None:
        """Goes on, at once, until the server has let the player in, or to the end."""
        from_start = self.position.packets == 0
        self.until(lambda session: session.spawn.phase in (SpawnPhase.PLAYING, SpawnPhase.CLOSED))
        if from_start and self.session.spawn.phase is SpawnPhase.PLAYING:
            self.joined_s = self.position.time_s

    def leave_checkpoint(self) -> None:
        """Later ways may begin at what is shown, which is between two turns; nothing where there is no room for any."""
        if self._checkpoints.has_space:
            self._checkpoints.leave(self._track.checkpoint(), near=False)

    def _travel(self, deadline: float, clock: Callable[[], float]) -> bool:
        """Part of the way to the goal; arriving, its end is what is shown, and one is there."""
        assert self._goal is not None
        track = self._ahead or self._track
        there = self._go_on(track, self._goal, deadline, clock, self._goal_us)
        if there:
            track.show()
            self._track, self._ahead, self._goal = track, None, None
        return there

    def _live_on(self, until_us: float, deadline: float, clock: Callable[[], float]) -> bool:
        """Lives on what is shown to a time; whether anything came."""
        before = self._track.position
        self._go_on(self._track, SeekTarget(time_us=until_us), deadline, clock, None)
        return self._track.position != before

    def _go_on(
        self,
        track: ReplayedSession,
        goal: SeekTarget,
        deadline: float,
        clock: Callable[[], float],
        goal_us: float | None,
    ) -> bool:
        """Part of a way to a goal, from one checkpoint to the next; whether it is there. None: one goes on from there.

        Each turn of the loop but the first lives through a record at least, and so looks at the deadline: no stop lies
        before the next turn of the recording, wherever checkpoints want one.
        """
        passed_us: float = track.time_us
        while True:
            stop_us, near = self._checkpoints.next_stop(passed_us, goal_us)
            if not track.advance(replace(goal, time_us=min(goal.time_us, stop_us)), deadline, clock):
                return False
            if track.arrived(goal):
                return True
            if track.session.spawn.phase is SpawnPhase.PLAYING:
                self._checkpoints.leave(track.checkpoint(), near)
            passed_us = track.next_us - 1

    def _follow_up(self) -> None:
        """The camera is where it was put, in any session; damages are told when they are met."""
        if self._camera is not None:
            self.session.movement.watch(self._camera)
        for damage in self.damages:
            if damage not in self._told:
                self._told.add(damage)
                LOG.warning("%s: %s", self.path, damage)

    # ------------------------------------------------------------ Transport

    def send(self, message: Message) -> None:
        """Nobody is there: what was sent is in the file."""

    def events(self) -> list[Event]:
        """None: they are applied here."""
        return []

    def close(self, reason: str) -> None:
        """Closes the file; may be called again."""
        self._recording.close()

    def stats(self) -> PeerStats:
        """What the packets so far tell."""
        return self._track.stats()


def _aimed(aim: float, here: float) -> float:
    """From where the next step counts: steps that are made faster than their way add up."""
    return here if math.isinf(aim) else aim
