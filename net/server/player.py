"""One client's player: its position, its saved state, its changes of dimension, and the area that the client is sent.

Rules:
1. Area and publisher follow the player once the quota allows it.
2. A client whose player jumps (``PlayerPosition``) is sent the position where the server holds it; during a change of
   dimension its positions are ignored (``DimensionChange``).
3. Each stay in a dimension has its own ``ChunkSender``: data that was due in the previous dimension is not sent any
   more. A client that comes back has dropped that dimension's data, too.

Change of dimension (wire.md 2.5):

| step | sender | meaning |
|---|---|---|
| ChangeDimension | server | the client drops all it has; columns of the other dimension follow |
| PlayStatus 3, from 560 on with a PlayerAction 14 | server | the columns nearest to the player are sent |
| PlayerAction 14 | client | its player is there |

1. A requested change waits until the client plays, so that no change starts during another; the last request counts.
2. Positions from the client are ignored until it confirms the change, or until ``ACKNOWLEDGE_S`` after it was let in:
   they may still be of the old dimension.
3. Within its dimension a player is only moved: a real client never leaves the loading screen of a change to the
   dimension that it is in.

From 560 (1.19.50) on clients wait for the server's PlayerAction, and answer it with theirs (dragonfly, Allay).

Command: ``/dimension NAME [X Y Z]``. NAME is a dimension's name, the games' own name for it or its number. X Y Z is the
position of the feet; without it the player returns to its last position there, or to where players start there.

Position:
1. Positions from the client are accepted if they are finite, within ``FARTHEST_BLOCKS`` and not a jump. The server has
   no game rules, but a client must not make it generate columns at the far end of a world.
2. If players are saved, a returning player starts where it was, if that dimension is served.
"""

import math
from typing import Final, NamedTuple

from msgspec.structs import replace

from net.bedrock import (
    ChangeDimension,
    ChunkRadiusUpdated,
    CommandMessage,
    CommandOutput,
    CommandRequest,
    Message,
    MoveMode,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayerAction,
    PlayerAuthInput,
)
from net.bedrock.login import Identity
from net.peer import ServerPeer
from net.server.chunk_sender import ChunkSender
from net.server.dimensions import ServerDimension, ServerDimensions
from net.server.host_options import HostOptions, Quota
from net.server.join_packets import EYE_HEIGHT
from net.server.save.players import Players, SavedPlayer
from net.server.worlds import Spawn
from net.space import IDENTIFIERS, BlockPos

FARTHEST_BLOCKS = 30_000_000
"""Positions further out are rejected."""

Point = tuple[float, float, float]
"""x, y, z in blocks."""


class PlayerPosition:
    """Position, orientation and dimension of one player; see the module.

    ``players``: storage of players, None if they are not saved. ``quota``: the client's; a move costs its ``travel``.
    ``start_here``: whether a player saved in another dimension still starts in this one.
    """

    def __init__(
        self, dimensions: ServerDimensions, players: Players | None, quota: Quota, *, start_here: bool = False
    ) -> None:
        self._dimensions = dimensions
        self._players = players
        self._quota = quota
        self._start_here = start_here
        self._identity: Identity | None = None
        self.served: ServerDimension = dimensions.start  # the one it is in
        self.feet: Point = (0.0, 0.0, 0.0)  # position of its feet
        self.look = (0.0, 0.0)  # the last yaw and pitch from the client, in degrees
        self._left: dict[int, Point] = {}

    @property
    def eye(self) -> Point:
        return self.feet[0], self.feet[1] + EYE_HEIGHT, self.feet[2]

    def start(self, identity: Identity | None) -> Spawn:
        """Sets the player to its start and returns that."""
        self._identity = identity
        start = self._saved() or self.served.world.spawn
        self.feet, self.look = start.feet, (start.yaw, start.pitch)
        return start

    def _saved(self) -> Spawn | None:
        if self._players is None or self._identity is None:
            return None
        saved = self._players.restore(self._identity.uuid)
        served = None if saved is None else self._dimensions.find(saved.dimension)
        if saved is None or served is None or not is_near(saved.feet):
            return None
        if self._start_here and served is not self.served:
            return None
        self.served = served
        return Spawn(saved.feet, saved.yaw, saved.pitch)

    def cross(self, served: ServerDimension, feet: Point | None) -> None:
        """Moves the player, perhaps to another dimension. ``feet`` None: its last position there, or else the spawn."""
        self._left[self.served.dimension.number] = self.feet
        self.served = served
        self.feet = feet or self._left.get(served.dimension.number) or served.world.spawn.feet
        self.record(*self.look)

    def step(self, eye: Point, now: float) -> bool:
        """Moves the eye to a position from the client; False if that is a jump: the player stays where it was."""
        feet = (eye[0], eye[1] - EYE_HEIGHT, eye[2])
        if not self._quota.travel.take(math.hypot(feet[0] - self.feet[0], feet[2] - self.feet[2]), now):
            return False
        self.feet = feet
        return True

    def held(self, runtime_id: int, yaw: float | None = None, pitch: float | None = None) -> MovePlayer:
        """The message that resets the client's player to the server's position; angles that are not finite become 0."""
        yaw, pitch = self.look if yaw is None or pitch is None else (yaw, pitch)
        if not (math.isfinite(yaw) and math.isfinite(pitch)):
            yaw = pitch = 0.0
        return MovePlayer(runtime_id, self.eye, pitch, yaw, yaw, MoveMode.RESET)

    def put(self, runtime_id: int) -> MovePlayer:
        """The message that moves the client's player on the server's initiative, not because of a jump."""
        return replace(self.held(runtime_id), mode=MoveMode.TELEPORT)

    def record(self, yaw: float, pitch: float) -> None:
        """Where it is and how it looks is to be saved, where players are."""
        if not (math.isfinite(yaw) and math.isfinite(pitch)):
            return
        self.look = yaw, pitch
        if self._players is not None and self._identity is not None:
            saved = SavedPlayer(self.served.dimension.number, self.feet, yaw, pitch)
            self._players.record(self._identity.uuid, saved)


def is_near(point: Point) -> bool:
    """Whether a position is finite and not too far out to be accepted."""
    return all(math.isfinite(part) and abs(part) < FARTHEST_BLOCKS for part in point)


DONE: Final = 14
"""PlayerAction: the change of dimension is complete."""
SERVER_SAYS_DONE: Final = 560
LOADING_SCREENS: Final = 712
ACKNOWLEDGE_S: Final = 10.0


class PlayerDestination(NamedTuple):
    """Where a player is to go."""

    served: ServerDimension
    feet: Point | None  # position there; None for its last one there, or where players start


DIMENSION_COMMAND: Final = "dimension"
USAGE: Final = f"/{DIMENSION_COMMAND} NAME [X Y Z]"
LONGEST: Final = 256
"""Longest command that is read, in characters."""


class WrongCommand(ValueError):
    """A command that cannot be run; the text is a sentence for its sender."""


def read_command(text: str, dimensions: ServerDimensions) -> PlayerDestination:
    """Parses ``USAGE``. Raises WrongCommand: there is no such destination."""
    rest = text[:LONGEST].removeprefix("/").split()[1:]
    if len(rest) not in {1, 4}:
        raise WrongCommand(f"Write {USAGE}; NAME is one of {_names(dimensions)}.")
    served = _dimension_named(rest[0], dimensions)
    if len(rest) == 1:
        return PlayerDestination(served, None)
    try:
        x, y, z = map(float, rest[1:])
    except ValueError:
        raise WrongCommand(f"Write {USAGE}, with numbers for X Y Z.") from None
    if not is_near((x, y, z)):
        raise WrongCommand("That position is too far out.")
    return PlayerDestination(served, (x, y, z))


def _dimension_named(name: str, dimensions: ServerDimensions) -> ServerDimension:
    for served in dimensions:
        dimension = served.dimension
        own = IDENTIFIERS.get(dimension.number, dimension.name)
        if name.lower() in {str(dimension.number), dimension.name, own, own.removeprefix("minecraft:")}:
            return served
    raise WrongCommand(f"{dimensions.start.world.name} has no dimension '{name[:32]}'; it has {_names(dimensions)}.")


def _names(dimensions: ServerDimensions) -> str:
    return ", ".join(served.dimension.name for served in dimensions)


def answer(request: CommandRequest, sentence: str, *, done: bool) -> CommandOutput:
    """The reply to a command, in one sentence."""
    return CommandOutput(request.origin, (CommandMessage(done, sentence),), successes=int(done))


PlayerMessage = PlayerAuthInput | MovePlayer | PlayerAction | CommandRequest
"""Messages about a player's own state and wishes."""


class ServerPlayer:
    """The player of one client; see the module. ``players``: storage of players, None if they are not saved."""

    def __init__(
        self,
        peer: ServerPeer,
        dimensions: ServerDimensions,
        options: HostOptions,
        quota: Quota,
        runtime_id: int,
        players: Players | None,
    ) -> None:
        self._peer = peer
        self._options = options
        self._quota = quota
        self._runtime_id = runtime_id
        self.destination: PlayerDestination | None = None  # where ``cross`` moves it to
        self._screens = 0  # changes of dimension so far
        self._crossing_until: float | None = None  # end of the change under way, None for none; see rule 2 of changes
        self._dimensions = dimensions
        self.reachable = [served.dimension for served in dimensions]  # dimensions that it may go to
        self.at = PlayerPosition(dimensions, players, quota, start_here=options.all_start_there)  # position
        self.flow = ChunkSender(peer, dimensions.start, options, quota, runtime_id)  # for its dimension

    def start(self, identity: Identity | None) -> Spawn:
        start = self.at.start(identity)
        self._enter()
        return start

    def _enter(self) -> None:
        """Starts sending chunk data of the player's dimension, with a new sender if it changed."""
        before = self.flow
        if self.at.served is not before.served:
            self.flow = ChunkSender(self._peer, self.at.served, self._options, self._quota, self._runtime_id)
            self.flow.follow(before)
        self.flow.start(self.at.feet, self.at.eye)

    def resize(self, radius: int) -> None:
        self.flow.tracking.resize(radius)
        self._peer.send(ChunkRadiusUpdated(radius))
        self._publish()

    def _publish(self) -> None:
        if not self._options.faults.unpublished:
            area = self.flow.tracking
            self._peer.send(NetworkChunkPublisherUpdate(area.position, area.publisher_radius_blocks))

    def receive(self, message: PlayerMessage, now: float) -> None:
        """Handles position and angles, a command, or a confirmed change of dimension."""
        if isinstance(message, PlayerAction):
            if message.action == DONE:
                self._crossing_until = None
        elif isinstance(message, CommandRequest):
            self._run_command(message, now)
        elif is_near(eye := message.position) and not self._is_crossing(now):
            if self.at.step(eye, now):
                self.flow.interest.observe(now, eye, message.yaw, message.pitch)
                self.follow(now)
                self.at.record(message.yaw, message.pitch)
            else:
                self.reply(self.at.held(self._runtime_id, message.yaw, message.pitch), now)

    def _is_crossing(self, now: float) -> bool:
        """Whether the client's positions may still be of the old dimension."""
        if self._crossing_until is not None and now >= self._crossing_until:
            self._crossing_until = None
        return self._crossing_until is not None

    def follow(self, now: float) -> None:
        """Moves area and publisher to the player, once the quota allows it."""
        at, area = BlockPos.containing(*self.at.feet), self.flow.tracking
        if at.column != area.position.column and not self._quota.moves.take(1, now):
            return
        if area.move(at):
            self._publish()

    def reply(self, message: Message | None, now: float) -> None:
        """Sends a small reply if the quota allows it."""
        if message is not None and self._quota.replies.take(1, now):
            self._peer.send(message)

    # ---------------------------------------------------------------- other dimensions

    def _run_command(self, request: CommandRequest, now: float) -> None:
        try:
            destination = read_command(request.command, self._dimensions)
            if not self._quota.crossings.take(1, now):
                raise WrongCommand("That is too soon after the last dimension change.")
        except WrongCommand as error:
            self.reply(answer(request, str(error), done=False), now)
            return
        self.destination = destination
        self.reply(answer(request, f"You are going to the {destination.served.dimension.name}.", done=True), now)

    def go_on(self) -> None:
        """Requests that the player goes to the dimension with the next number, if there is more than one."""
        around = sorted(self._dimensions, key=lambda served: served.dimension.number)
        following = around[(around.index(self.at.served) + 1) % len(around)]
        if following is not self.at.served:
            self.destination = PlayerDestination(following, None)

    def cross(self) -> bool:
        """Moves the player to the requested destination; True if it left its dimension."""
        destination, self.destination = self.destination, None
        if destination is None:
            return False
        self.at.cross(*destination)
        served = destination.served
        if served is self.flow.served:
            self._peer.send(self.at.put(self._runtime_id))
            return False
        self.flow.served.provision.leave(self._runtime_id)
        self._crossing_until = math.inf
        self._screens += 1
        screen = self._screens if self._peer.codec.protocol >= LOADING_SCREENS else None
        number = served.dimension.number
        self._peer.send(ChangeDimension(number, self.at.eye, respawn=False, loading_screen_id=screen))
        self._enter()
        self._publish()
        return True

    def let_in(self, now: float) -> None:
        """The client has its columns: completes a change of dimension."""
        if self._crossing_until is not None:
            self._crossing_until = now + ACKNOWLEDGE_S
            if self._peer.codec.protocol >= SERVER_SAYS_DONE:
                self._peer.send(PlayerAction(self._runtime_id, DONE))
