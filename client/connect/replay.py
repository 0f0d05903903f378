"""Lives through a recording again: the session's inputs from a file, at any speed, forward and back.

Rules:
1. Planner and network are off. What was wanted and asked then is wanted and asked now, so ledger, lifecycle and store
   repeat exactly, whatever a later planner would do.
2. Time is the recording's: a session computes with the doubles that were written. The clock decides only how much is
   due, in whole turns; a step or a seek by packet may end within a turn, and shows what is known there.
3. Back is forward from the start, in a second session; the first one stays what is shown until the second is there.
   Whoever shows a world looks at ``session`` again after each ``run``.
4. A block that does not read is left out and told once; what depends on it may be missing, nothing else.
5. The camera belongs to whoever watches: the player moves as it did.

It is a ``Transport`` without a server: nothing is sent, and no events come out, for they are applied here.
"""

import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from client.connect.errors import UnreadableFile
from client.connect.recorded_config import config_of
from client.player import Eye, View
from client.session.requests import Retraced
from client.session.session import Session
from client.streaming.anchors import Anchor
from net.bedrock import Codec, Message, SubChunkRequest, Unknown
from net.errors import DecodeError, LocalProtocolError
from net.palette import Palette
from net.peer import Closed, Event, Faulty, Joined, PeerStats, Received
from net.space.positions import ColumnPos
from net.transport.recording import (
    Anchored,
    Damage,
    Ended,
    Entry,
    Fault,
    Finished,
    Greeted,
    Heard,
    Joining,
    Looked,
    Planned,
    Recording,
    Released,
    Said,
    Ticked,
    Turned,
)
from net.transport.recording.header import MAGIC
from net.wire.profile import Profile

LOG = logging.getLogger("chunkscope.replay")
SUFFIX = ".cscope"
NO_POSITIONS = np.empty((0, 3), np.int32)
UNHURRIED_S = 0.05
"""How long one ``run`` at full speed may take where nobody gave a budget, so that progress can be told."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a recording.

    Attributes:
        time_s: of the last turn that began, since the recording did.
        packets: packets of the server so far.
        at_end: whether nothing follows.
    """

    time_s: float
    packets: int
    at_end: bool


@dataclass(frozen=True, slots=True)
class Goal:
    """Where to go: the first place at which one of the two is reached."""

    time_us: float = math.inf
    packets: float = math.inf


class Track:
    """One way through a recording: a session, and how far it is. Only forward."""

    def __init__(self, recording: Recording, codec: Codec, palette: Palette) -> None:
        config, started_at = config_of(recording.header)
        self.session = Session(config, palette, started_at)
        self.now = started_at
        self.time_us = self.packets = self.sent = self.bytes_in = self.bytes_out = self.faulty = 0
        self.unknown: Counter[int] = Counter()
        self.round_trip_s: float | None = None
        self.finished = False
        self._codec = codec
        self._entries: Iterator[Entry] = recording.entries()
        self._next = next(self._entries, None)
        self._planned: Planned | None = None
        self._said: list[Message] = []
        self._within_turn = False

    @property
    def at_end(self) -> bool:
        """Whether nothing follows."""
        return self._next is None

    @property
    def position(self) -> Position:
        """How far it is."""
        return Position(self.time_us / 1e6, self.packets, self.at_end)

    def advance(self, goal: Goal, deadline: float, clock: Callable[[], float]) -> bool:
        """Goes on until the goal, the end, or the deadline of ``clock``; says whether it was not the deadline."""
        while self._next is not None:
            turn = isinstance(self._next.record, Turned)
            if self.packets >= goal.packets or (turn and self._next.time_us > goal.time_us):
                return True
            self._apply(self._next)
            self._next = next(self._entries, None)
            if clock() >= deadline:
                return self._next is None
        return True

    def show(self) -> None:
        """Shows what was applied since the last tick, where a goal lies within a turn."""
        if self._within_turn:
            self.session.end_drain()

    def _apply(self, entry: Entry) -> None:
        record, session = entry.record, self.session
        self._within_turn = not isinstance(record, Ticked)
        match record:
            case Turned(now):
                self.now, self.time_us = now, entry.time_us
            case Heard(packet):
                session.handle(self._heard(packet), self.now)
            case Fault(packet=packet, field=field, offset=offset, reason=reason):
                self.faulty += 1
                session.handle(Faulty(DecodeError(packet, field, offset, reason), self._number()), self.now)
            case Joining():
                session.handle(Joined(self.now), self.now)
            case Ended(reason):
                session.handle(Closed(reason), self.now)
            case Greeted(packet) | Said(packet):
                self._sent(packet, of_session=isinstance(record, Said))
            case Planned():
                self._planned = record
            case Ticked(round_trip_s):
                self._tick(round_trip_s)
            case _:
                self._steer(record)

    def _steer(self, record: object) -> None:
        """What the user did then."""
        match record:
            case Looked(eye, yaw_deg, pitch_deg, fov_deg):
                self.session.look(View(Eye(*eye), yaw_deg, pitch_deg, fov_deg))
            case Anchored(name, (low_x, low_z, high_x, high_z)):
                self.session.anchors.pin(name, Anchor(ColumnPos(low_x, low_z), ColumnPos(high_x, high_z)))
            case Released(name):
                self.session.anchors.release(name)
            case Finished(now):
                self.now, self.finished = now, True

    def _number(self) -> int:
        self.packets += 1
        return self.packets - 1

    def _heard(self, packet: bytes) -> Event:
        self.bytes_in += len(packet)
        try:
            message = self._codec.decode(packet)
        except DecodeError as error:
            self.faulty += 1
            return Faulty(error, self._number(), packet)
        if isinstance(message, Unknown):
            self.unknown[message.packet_id] += 1
        return Received(message, self.now, self._number(), len(packet), packet)

    def _sent(self, packet: bytes, of_session: bool) -> None:
        self.sent += 1
        self.bytes_out += len(packet)
        if of_session:
            try:
                self._said.append(self._codec.decode(packet))
            except DecodeError as error:
                LOG.warning("a packet that was sent does not decode: %s", error)

    def _tick(self, round_trip_s: float) -> None:
        plan, said = self._planned, self._said
        self._planned, self._said = None, []
        self.round_trip_s = round_trip_s
        requests = [message for message in said if isinstance(message, SubChunkRequest)]
        asked = [request.offsets + np.asarray(request.centre, np.int32) for request in requests]
        retraced = Retraced(
            planned=plan is not None,
            added=plan.added if plan else NO_POSITIONS,
            removed=plan.removed if plan else NO_POSITIONS,
            asked=np.concatenate([NO_POSITIONS, *asked]).astype(np.int32),
            packets=len(requests),
        )
        self.session.retrace(self.now, round_trip_s, retraced, said)


class Replay:
    """A recording that is lived through; owner thread only.

    Attributes:
        path: of the file.
        speed: seconds of the recording a second; None as fast as it goes.
        paused: whether nothing moves but by ``step`` and ``seek``.
    """

    def __init__(self, recording: Recording, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Stands at the start, paused; the recording belongs to it from now on.

        Raises:
            UnreadableFile: this version cannot live through it.
        """
        self.path = path
        self.speed: float | None = None
        self.paused = True
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
        self._track = self._new_track()
        self._ahead: Track | None = None  # the second session, on its way to the goal
        self._goal: Goal | None = None
        self._since: tuple[float, float] = (clock(), 0.0)  # clock and recording, when this speed began

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
        """The SOURCE that was recorded."""
        return self._recording.header.source

    @property
    def position(self) -> Position:
        """What ``session`` has lived through."""
        return self._track.position

    @property
    def duration_s(self) -> float:
        """Length of the recording."""
        return self._recording.duration_us / 1e6

    @property
    def damages(self) -> tuple[Damage, ...]:
        """What of the file is unreadable, as far as it was read."""
        return self._recording.damages

    @property
    def resting(self) -> bool:
        """Whether ``run`` would change nothing."""
        return self._goal is None and (self.paused or self._track.at_end)

    def unsettled(self, ask: Callable[[Session, float], str | None]) -> str | None:
        """What is waited for, in words; None when nothing is missing.

        Args:
            ask: a session's own answer at a time. Where nothing more comes, that time is the end of all time.
        """
        if not self.resting:
            position = self.position
            return f"the recording is at {position.time_s:.2f} of {self.duration_s:.2f} s"
        if self.session.closed_reason is not None:
            return f"the recorded session ended: {self.session.closed_reason}"
        return ask(self.session, math.inf)

    # ------------------------------------------------------------ moving

    def play(self, speed: float | None = 1.0) -> None:
        """Goes on from here, at so many seconds a second; None: as fast as it goes."""
        self.speed, self.paused = speed, False
        self._rebase()

    def pause(self) -> None:
        """Stays here."""
        self.paused = True

    def step(self, packets: int = 1) -> None:
        """Goes so many packets on, or back, and pauses there."""
        self._go(Goal(packets=max(0, self.position.packets + packets)), back=packets < 0)

    def seek(self, time_s: float) -> None:
        """Goes to the last turn at that time and pauses there; ``run`` makes the way."""
        self._go(Goal(time_us=round(time_s * 1e6)), back=time_s < self.position.time_s)

    def seek_packet(self, packets: int) -> None:
        """Goes to where so many packets have come and pauses there; ``run`` makes the way."""
        self._go(Goal(packets=packets), back=packets < self.position.packets)

    def run(self, budget_s: float | None = None) -> bool:
        """Does what is due.

        Args:
            budget_s: stop after so long and go on with the next call.

        Returns:
            Whether anything was done.
        """
        if self.resting:
            return False
        now = self._clock()
        if self._goal is not None:
            deadline = math.inf if budget_s is None else now + budget_s
            track = self._ahead or self._track
            if track.advance(self._goal, deadline, self._clock):
                track.show()
                self._track, self._ahead, self._goal = track, None, None
        else:
            since, from_s = self._since
            due_us = math.inf if self.speed is None else (from_s + (now - since) * self.speed) * 1e6
            deadline = now + (UNHURRIED_S if budget_s is None else budget_s)
            before = self.position
            self._track.advance(Goal(time_us=due_us), deadline, self._clock)
            if self.position == before:
                return False
        self._after()
        return True

    def until(self, reached: Callable[[Session], bool]) -> None:
        """Goes on turn by turn, at once, until a session is so far, or the end."""
        while not reached(self.session) and not self._track.at_end:
            self._track.advance(Goal(packets=self.position.packets + 1), math.inf, self._clock)
            self._track.advance(Goal(time_us=self._track.time_us), math.inf, self._clock)
        self._after()

    def watch(self, view: View) -> None:
        """Puts the camera there; what was recorded moves it no more."""
        self._camera = view
        self.session.watch(view)

    def _go(self, goal: Goal, back: bool) -> None:
        self.paused = True
        self._goal = goal
        self._ahead = self._new_track() if back else None

    def _new_track(self) -> Track:
        try:
            return Track(self._recording, self._codec, self._palette)
        except (TypeError, ValueError) as error:
            raise UnreadableFile(f"{self.path}: its header says no session: {error}.") from None

    def _after(self) -> None:
        self._rebase_if_at_end()
        if self._camera is not None:
            self.session.watch(self._camera)
        for damage in self.damages:
            if damage not in self._told:
                self._told.add(damage)
                LOG.warning("%s: %s", self.path, damage)

    def _rebase(self) -> None:
        self._since = (self._clock(), self.position.time_s)

    def _rebase_if_at_end(self) -> None:
        if self._track.at_end:
            self._rebase()

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
        """What the packets so far tell; nothing is known of datagrams."""
        track = self._track
        return PeerStats(
            datagrams_in=0,
            datagrams_out=0,
            bytes_in=0,
            bytes_out=0,
            datagrams_malformed=0,
            datagrams_repeated=0,
            resends=0,
            packets_in=track.packets,
            packets_out=track.sent,
            packet_bytes_in=track.bytes_in,
            packet_bytes_out=track.bytes_out,
            decode_errors=track.faulty,
            unknown=dict(track.unknown),
            rtt_s=track.round_trip_s,
            mtu_bytes=0,
            queued_bytes=0,
        )


def is_recording(path: Path) -> bool:
    """Whether a path that exists means a recording: by its name, or by its first bytes."""
    if not path.is_file():
        return False
    if path.suffix.lower() == SUFFIX:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def open_replay(path: Path) -> Replay:
    """Opens a recording at its start.

    Raises:
        UnreadableFile: it is none, of another version, or damaged where it begins; one sentence with file and offset.
    """
    try:
        recording = Recording.open(path)
    except OSError as error:
        raise UnreadableFile(f"{path}: {error.strerror}.") from None
    except DecodeError as error:
        raise UnreadableFile(f"{path} at byte {error.offset}: {error.field} {error.reason}.") from None
    try:
        return Replay(recording, path)
    except BaseException:
        recording.close()
        raise
