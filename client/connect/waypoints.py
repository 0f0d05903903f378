"""Where a way through a recording may begin besides its start: at keyframes, each a session that is so far."""

from collections import Counter
from dataclasses import dataclass, field

from client.connect.goal import Goal
from client.connect.keyframe import Keyframe
from client.session.session import Session
from net.frozen import frozen


@dataclass(slots=True)
class Traffic:
    """What a way met so far, as statistics tell it.

    Attributes:
        sent: packets of the session.
        bytes_in: of the server's packets.
        bytes_out: of the session's.
        faulty: packets that do not decode.
        unknown: how many packets nobody knows, by their number.
        round_trip_s: as the last tick was told.
    """

    sent: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    faulty: int = 0
    unknown: Counter[int] = field(default_factory=Counter)
    round_trip_s: float | None = None


@frozen
class Place:
    """A place between two turns of a recording.

    Attributes:
        block: of the recording, the first one that is not over.
        records: of that block that are over.
        time_us: of the last turn before it; likewise packets of the server, and ticks.
    """

    block: int = 0
    records: int = 0
    time_us: int = 0
    packets: int = 0
    ticks: int = 0


@frozen
class Beginning:
    """Where a track begins.

    Attributes:
        session: so far.
        place: where that is.
        traffic: so far.
    """

    session: Session
    place: Place
    traffic: Traffic


@frozen
class Waypoint:
    """One keyframe in its recording.

    Attributes:
        place: where it stands.
        keyframe: what the session was.
        traffic: until then, as far as it is known.
    """

    place: Place
    keyframe: Keyframe
    traffic: Traffic

    @property
    def time_us(self) -> int:
        """Of the last turn before it."""
        return self.place.time_us

    def is_past(self, goal: Goal) -> bool:
        """Whether a goal lies behind it: so many packets have come before the tick that ended their turn."""
        at = self.place
        later = at.time_us > goal.time_us or at.packets >= goal.packets or at.ticks > goal.ticks
        return later and at.time_us > goal.not_before_us

    def begin(self) -> Beginning:
        """A track's beginning there."""
        return Beginning(self.keyframe.begin(), self.place, traffic_of(self.traffic))


def traffic_of(traffic: Traffic) -> Traffic:
    """A copy."""
    t = traffic
    return Traffic(t.sent, t.bytes_in, t.bytes_out, t.faulty, t.unknown.copy(), t.round_trip_s)
