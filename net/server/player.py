"""Where one client's player is, and with it the area that the client is sent: publisher, chunk data, crossings.

Rules:
1. Area and publisher follow the player once the quota allows it.
2. Who jumps (``PlayerPosition``) is told where it is held; while it crosses nothing is believed (``crossing``).
3. Each stay in a dimension has a flow of its own: what was owed in the one before is owed no more. A client that comes
   back has dropped what it had there, too.

Crossing: The way of one client from one dimension into another (wire.md 2.5).

| step | who says it | what it means |
|---|---|---|
| ChangeDimension | server | the client drops all that it knows; columns of the other dimension follow |
| PlayStatus 3, from 560 on a PlayerAction 14 beside it | server | the columns nearest to the player are sent |
| PlayerAction 14 | client | its player is there |

Rules:
1. A wish waits until the client plays, so that no crossing begins within another one; the last wish counts.
2. Until the client has said that it is there, or ``ACKNOWLEDGE_S`` after it was let in, what it says of its place may
   be of where it was, and is ignored.
3. Within its dimension a player is just moved: a real client never leaves the screen of a change to where it is.

From 560 (1.19.50) on clients wait for the server's PlayerAction, and answer it with theirs (dragonfly, Allay).

Commands: What players may tell the server in words: ``/dimension NAME [X Y Z]``.

NAME is that of a dimension, the games' own word for it or its number; X Y Z is where the feet go, else the player comes
to where it was there last, or to where players start there.

Where one player is: what it says of it, as far as that is believed, and what is saved of it.

Rules:
1. Positions come from the client and are believed if they are finite and no jumps: this server shows worlds, it rules
   no game, but nobody makes it generate the other end of one.
2. Where players are saved, one that comes again starts where it was, as long as that dimension is served.
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
from net.server.join_packets import EYE_HEIGHT
from net.server.options import HostOptions, Quota
from net.server.save.players import Players, SavedPlayer
from net.server.worlds import Spawn
from net.space import IDENTIFIERS, BlockPos

FARTHEST_BLOCKS = 30_000_000
"""A position further out is not believed."""

Point = tuple[float, float, float]
"""x, y, z in blocks."""


class PlayerPosition:
    """One player's; see the module.

    ``dimensions``: where it may be. ``players``: where players are saved, None where they are not. ``quota``: of the
    client; its ``travel`` is what a step costs. ``start_here``: whether a player that was saved in another
    dimension starts in this one all the same.
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
        if (
            saved is None
            or served is None
            or not is_near(saved.feet)
            or (self._start_here and served is not self.served)
        ):
            return None
        self.served = served
        return Spawn(saved.feet, saved.yaw, saved.pitch)

    def cross(self, served: ServerDimension, feet: Point | None) -> None:
        """It goes somewhere, perhaps into another dimension; None is where it was there last, or else its start."""
        self._left[self.served.dimension.number] = self.feet
        self.served = served
        self.feet = feet or self._left.get(served.dimension.number) or served.world.spawn.feet
        self.record(*self._look)

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

    def record(self, yaw: float, pitch: float) -> None:
        """Where it is and how it looks is to be saved, where players are."""
        if not (math.isfinite(yaw) and math.isfinite(pitch)):
            return
        self._look = yaw, pitch
        if self._players is not None and self._identity is not None:
            saved = SavedPlayer(self.served.dimension.number, self.feet, yaw, pitch)
            self._players.record(self._identity.uuid, saved)


def is_near(point: Point) -> bool:
    """Whether a position is one, and not so far out that nobody believes it."""
    return all(math.isfinite(part) and abs(part) < FARTHEST_BLOCKS for part in point)


DONE: Final = 14
"""PlayerAction: the change of dimension is done."""
SERVER_SAYS_DONE: Final = 560
LOADING_SCREENS: Final = 712
ACKNOWLEDGE_S: Final = 10.0


class PlayerDestination(NamedTuple):
    """Where a player wants to be."""

    served: ServerDimension  # of which dimension
    feet: Point | None  # where in it; None for where it was there last, or where players start there


class DimensionChange:
    """The crossings of one client. ``runtime_id`` is its own number."""

    def __init__(self, runtime_id: int) -> None:
        self.wish: PlayerDestination | None = None  # what is to be done next, None for nothing
        self._runtime_id = runtime_id
        self._screens = 0
        self._under_way = False
        self._until = 0.0

    def begin(self, number: int, eye: Point, protocol: int) -> Message:
        """The player goes to a dimension; what it is told."""
        self._under_way, self._until = True, float("inf")
        self._screens += 1
        screen = self._screens if protocol >= LOADING_SCREENS else None
        return ChangeDimension(number, eye, respawn=False, loading_screen_id=screen)

    def let_in(self, protocol: int, now: float) -> list[Message]:
        """The client has what it needs; what it is told beside its PlayStatus."""
        if not self._under_way:
            return []
        self._until = now + ACKNOWLEDGE_S
        return [PlayerAction(self._runtime_id, DONE)] if protocol >= SERVER_SAYS_DONE else []

    def receive(self, message: PlayerAction) -> None:
        """The player has done something."""
        if message.action == DONE:
            self._under_way = False

    def still_there(self, now: float) -> bool:
        """Whether the client may still speak of where it was."""
        self._under_way = self._under_way and now < self._until
        return self._under_way


USAGE: Final = "/dimension NAME [X Y Z]"
LONGEST: Final = 256
"""Characters of a command that are looked at."""


class WrongCommand(ValueError):
    """A command that cannot be done; the text is a sentence for who gave it."""


def read_command(text: str, dimensions: ServerDimensions) -> PlayerDestination:
    """Where a player wants to be. Raises WrongCommand: it says something else, or there is no such place."""
    word, *rest = text[:LONGEST].removeprefix("/").split() or [""]
    if word != "dimension":
        raise WrongCommand(f"Unknown command '{word[:32]}'; the only command is {USAGE}.")
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
    """What came of a command, in one sentence."""
    return CommandOutput(request.origin, (CommandMessage(done, sentence),), successes=int(done))


PlayerMessage = PlayerAuthInput | MovePlayer | PlayerAction | CommandRequest
"""What a player says of itself."""


class ServerPlayer:
    """One client's; see the module.

    ``peer``: its connection. ``dimensions``: where it may be. ``options``: of the host. ``quota``: what the client may
    cost. ``runtime_id``: its own number. ``players``: where players are saved, None where they are not.
    """

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
        self._crossing = DimensionChange(runtime_id)
        self._dimensions = dimensions
        self.reachable = [served.dimension for served in dimensions]  # where it may be
        self.at = PlayerPosition(dimensions, players, quota, start_here=options.all_start_there)  # where the player is
        self.flow = ChunkSender(peer, dimensions.start, options, quota, runtime_id)  # of chunk data, where it is now

    def start(self, identity: Identity | None) -> Spawn:
        """The player joins; where it starts."""
        start = self.at.start(identity)
        self._enter()
        return start

    def _enter(self) -> None:
        """The player is in some dimension, perhaps another one."""
        before = self.flow
        if self.at.served is not before.served:
            self.flow = ChunkSender(self._peer, self.at.served, self._options, self._quota, self._runtime_id)
            self.flow.follow(before)
        self.flow.start(self.at.feet, self.at.eye)

    def resize(self, radius: int) -> None:
        """Another radius was granted."""
        self.flow.tracking.resize(radius)
        self._peer.send(ChunkRadiusUpdated(radius))
        self._publish()

    def _publish(self) -> None:
        area = self.flow.tracking
        if self._options.faults.unpublished:
            return
        self._peer.send(NetworkChunkPublisherUpdate(area.position, area.publisher_radius_blocks))

    def receive(self, message: PlayerMessage, now: float) -> None:
        """The player says where it is and how it looks, where it wants to be, or that it is there."""
        if isinstance(message, PlayerAction):
            self._crossing.receive(message)
        elif isinstance(message, CommandRequest):
            self._run_command(message, now)
        elif is_near(eye := message.position) and not self._crossing.still_there(now):
            if self.at.step(eye, now):
                self.flow.interest.observe(now, eye, message.yaw, message.pitch)
                self.follow(now)
                self.at.record(message.yaw, message.pitch)
            else:
                self.reply(self.at.held(self._runtime_id, message.yaw, message.pitch), now)

    def follow(self, now: float) -> None:
        """Lets area and publisher follow the player, once the quota allows it."""
        at, area = BlockPos.containing(*self.at.feet), self.flow.tracking
        if at.column != area.position.column and not self._quota.moves.take(1, now):
            return
        if area.move(at):
            self._publish()

    def reply(self, message: Message | None, now: float) -> None:
        """Sends a small answer, if the quota allows it."""
        if message is not None and self._quota.replies.take(1, now):
            self._peer.send(message)

    # ---------------------------------------------------------------- other dimensions

    def _run_command(self, request: CommandRequest, now: float) -> None:
        try:
            wish = read_command(request.command, self._dimensions)
            if not self._quota.crossings.take(1, now):
                raise WrongCommand("That is too soon after the last dimension change.")
        except WrongCommand as error:
            self.reply(answer(request, str(error), done=False), now)
            return
        self.wish(wish)
        self.reply(answer(request, f"You are going to the {wish.served.dimension.name}.", done=True), now)

    def wish(self, wish: PlayerDestination) -> None:
        """The player is to go there as soon as it may."""
        self._crossing.wish = wish

    def go_on(self) -> None:
        """The player is to go into the next dimension, by their numbers; nowhere where there is but one."""
        around = sorted(self._dimensions, key=lambda served: served.dimension.number)
        following = around[(around.index(self.at.served) + 1) % len(around)]
        if following is not self.at.served:
            self.wish(PlayerDestination(following, None))

    def cross(self) -> bool:
        """The player may go where it is wished to be; True when it left its dimension."""
        wish, self._crossing.wish = self._crossing.wish, None
        if wish is None:
            return False
        self.at.cross(*wish)
        if wish.served is self.flow.served:
            self._peer.send(self.at.put(self._runtime_id))
            return False
        self.flow.served.provision.leave(self._runtime_id)
        protocol = self._peer.codec.protocol
        self._peer.send(self._crossing.begin(wish.served.dimension.number, self.at.eye, protocol))
        self._enter()
        self._publish()
        return True

    def let_in(self, now: float) -> None:
        """The client was told that it has what it needs."""
        for message in self._crossing.let_in(self._peer.codec.protocol, now):
            self._peer.send(message)
