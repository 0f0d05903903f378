"""Where one player is: what it says of it, as far as that is believed, and what is saved of it.

Rules:
1. Positions come from the client and are believed if they are finite and no jumps: this server shows worlds, it rules
   no game, but nobody makes it generate the other end of one.
2. Where players are saved, one that comes again starts where it was, as long as that dimension is served.
"""

import math

from msgspec.structs import replace

from net.bedrock import MoveMode, MovePlayer
from net.bedrock.login import Identity
from net.server.dimensions import ServerDimension, ServerDimensions
from net.server.join_packets import EYE_HEIGHT
from net.server.options import Quota
from net.server.save.players import Players, SavedPlayer
from net.server.worlds import Spawn

FARTHEST_BLOCKS = 30_000_000
"""A position further out is not believed."""

Point = tuple[float, float, float]
"""x, y, z in blocks."""


class PlayerPosition:
    """One player's; see the module.

    ``dimensions``: where it may be. ``players``: where players are saved, None where they are not. ``quota``: of the
    client; its ``travel`` is what a step costs. ``stay``: whether a player that was saved in another dimension starts
    in this one all the same.
    """

    def __init__(
        self, dimensions: ServerDimensions, players: Players | None, quota: Quota, *, stay: bool = False
    ) -> None:
        self._dimensions = dimensions
        self._players = players
        self._quota = quota
        self._stay = stay
        self._identity: Identity | None = None
        self.served: ServerDimension = dimensions.start  # the one it is in
        self.feet: Point = (0.0, 0.0, 0.0)  # where it stands
        self.jumps = 0  # steps that were not believed, and held
        self._look = (0.0, 0.0)
        self._left: dict[int, Point] = {}

    @property
    def look(self) -> tuple[float, float]:
        """Yaw and pitch in degrees, as it last said."""
        return self._look

    @property
    def eye(self) -> Point:
        """Where it looks from."""
        return self.feet[0], self.feet[1] + EYE_HEIGHT, self.feet[2]

    def start(self, identity: Identity | None) -> Spawn:
        """Where it starts, which it then does."""
        self._identity = identity
        start = self._saved() or self.served.world.spawn
        self.feet, self._look = start.feet, (start.yaw, start.pitch)
        return start

    def _saved(self) -> Spawn | None:
        if self._players is None or self._identity is None:
            return None
        saved = self._players.restore(self._identity.uuid)
        served = None if saved is None else self._dimensions.find(saved.dimension)
        if saved is None or served is None or not is_near(saved.feet) or (self._stay and served is not self.served):
            return None
        self.served = served
        return Spawn(saved.feet, saved.yaw, saved.pitch)

    def cross(self, served: ServerDimension, feet: Point | None) -> None:
        """It goes somewhere, perhaps into another dimension; None is where it was there last, or else its start."""
        self._left[self.served.dimension.number] = self.feet
        self.served = served
        self.feet = feet or self._left.get(served.dimension.number) or served.world.spawn.feet
        self.note(*self._look)

    def step(self, eye: Point, now: float) -> bool:
        """The player says that its eye is there, which is near; False where that is a jump: it stays where it was."""
        feet = (eye[0], eye[1] - EYE_HEIGHT, eye[2])
        if not self._quota.travel.take(math.hypot(feet[0] - self.feet[0], feet[2] - self.feet[2]), now):
            self.jumps += 1
            return False
        self.feet = feet
        return True

    def held(self, runtime_id: int, yaw: float | None = None, pitch: float | None = None) -> MovePlayer:
        """What tells the client that its player is there, looking as it did or as given; nonsense is straight on."""
        yaw, pitch = self._look if yaw is None or pitch is None else (yaw, pitch)
        if not (math.isfinite(yaw) and math.isfinite(pitch)):
            yaw = pitch = 0.0
        return MovePlayer(runtime_id, self.eye, pitch, yaw, yaw, MoveMode.RESET)

    def put(self, runtime_id: int) -> MovePlayer:
        """What tells the client that its player is there now by somebody's wish, not because it jumped."""
        return replace(self.held(runtime_id), mode=MoveMode.TELEPORT)

    def note(self, yaw: float, pitch: float) -> None:
        """Where it is and how it looks is to be saved, where players are."""
        if not (math.isfinite(yaw) and math.isfinite(pitch)):
            return
        self._look = yaw, pitch
        if self._players is not None and self._identity is not None:
            saved = SavedPlayer(self.served.dimension.number, self.feet, yaw, pitch)
            self._players.note(self._identity.uuid, saved)


def is_near(point: Point) -> bool:
    """Whether a position is one, and not so far out that nobody believes it."""
    return all(math.isfinite(part) and abs(part) < FARTHEST_BLOCKS for part in point)
