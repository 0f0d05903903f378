"""Where a way through a recording may begin besides its start: at keyframes, each a session that is so far."""

from client.connect.goal import Goal
from client.connect.keyframe import Keyframe
from client.session.session import Session
from net.frozen import frozen
from net.transport.disk import Start


@frozen
class Beginning:
    """Where a track begins.

    Attributes:
        session: so far.
        block: of the recording, the first one behind it.
        time_us: of the last turn before it; likewise packets of the server, and ticks.
    """

    session: Session
    block: int = 0
    time_us: int = 0
    packets: int = 0
    ticks: int = 0


@frozen
class Waypoint:
    """One keyframe in its recording.

    Attributes:
        start: where it stands.
        keyframe: what the session was.
        block: the first one behind it.
    """

    start: Start
    keyframe: Keyframe
    block: int

    def is_past(self, goal: Goal) -> bool:
        """Whether a goal lies behind it."""
        at = self.start
        later = at.time_us > goal.time_us or at.packets > goal.packets or at.ticks > goal.ticks
        return later and at.time_us > goal.not_before_us

    def begin(self) -> Beginning:
        """A track's beginning there."""
        at = self.start
        return Beginning(self.keyframe.begin(), self.block, at.time_us, at.packets, at.ticks)
