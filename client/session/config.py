"""The configuration of a session."""

import msgspec

from client.player import PlayerConfig
from client.streaming.limits import RequestLimits
from net.visibility.priority import PriorityWeights


class SessionConfig(msgspec.Struct, frozen=True):
    """Frozen configuration of one session."""

    # visibility radius in columns, a square; the activity radius, which is asked for, is one more, so that the border
    # of what is seen has neighbours for its faces and its light
    radius: int = 8
    limits: RequestLimits = msgspec.field(default_factory=RequestLimits)  # of requests
    weights: PriorityWeights = msgspec.field(default_factory=PriorityWeights)  # of the order of requests
    player: PlayerConfig = msgspec.field(default_factory=PlayerConfig)  # how fast the player may follow the camera
    tick_s: float = 0.05  # time between two movement messages
    protocol: int = 486  # the protocol number in use, for messages that not every release has
    # a world whose outer columns are missing counts as complete when no column has come for this long
    quiet_s: float = 0.5

    @property
    def activity_radius(self) -> int:
        return self.radius + 1
