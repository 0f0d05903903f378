"""Where one client's player is, and with it the area that the client is sent: publisher, chunk data, crossings.

Rules:
1. Area and publisher follow the player once the quota allows it.
2. Who jumps (``whereabouts``) is told where it is held; while it crosses nothing is believed (``crossing``).
3. Each stay in a dimension has a flow of its own: what was owed in the one before is owed no more. A client that comes
   back has dropped what it had there, too.
"""

from net.bedrock import (
    ChunkRadiusUpdated,
    CommandRequest,
    Message,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    PlayerAction,
    PlayerAuthInput,
)
from net.bedrock.login import Identity
from net.peer import ServerPeer
from net.server.chunk_flow import ChunkFlow
from net.server.commands import WrongCommand, answer, read_command
from net.server.crossing import Crossing, Wish
from net.server.options import HostOptions
from net.server.persistence.players import Players
from net.server.quota import Quota
from net.server.realms import Realms
from net.server.whereabouts import Whereabouts, is_near
from net.server.worlds import Spawn
from net.space.positions import BlockPos

Deed = PlayerAuthInput | MovePlayer | PlayerAction | CommandRequest
"""What a player says of itself."""


class Presence:
    """One client's; see the module.

    Args:
        peer: its connection.
        realms: where it may be.
        options: of the host.
        quota: what the client may cost.
        runtime_id: its own number.
        players: where players are saved, None where they are not.

    Attributes:
        dimensions: where it may be.
        at: where the player is.
        flow: of chunk data, where it is now.
    """

    def __init__(
        self,
        peer: ServerPeer,
        realms: Realms,
        options: HostOptions,
        quota: Quota,
        runtime_id: int,
        players: Players | None,
    ) -> None:
        self._peer = peer
        self._options = options
        self._quota = quota
        self._runtime_id = runtime_id
        self._crossing = Crossing(runtime_id)
        self._realms = realms
        self.dimensions = [realm.dimension for realm in realms]
        self.at = Whereabouts(realms, players, quota, stay=options.all_start_there)
        self.flow = ChunkFlow(peer, realms.start, options, quota, runtime_id)

    def start(self, identity: Identity | None) -> Spawn:
        """The player joins; where it starts."""
        start = self.at.start(identity)
        self._enter()
        return start

    def _enter(self) -> None:
        """The player is in some dimension, perhaps another one."""
        before = self.flow
        if self.at.realm is not before.realm:
            self.flow = ChunkFlow(self._peer, self.at.realm, self._options, self._quota, self._runtime_id)
            self.flow.follow(before)
        self.flow.start(self.at.feet, self.at.eye)

    def resize(self, radius: int) -> None:
        """Another radius was granted."""
        self.flow.tracking.resize(radius)
        self._peer.send(ChunkRadiusUpdated(radius))
        self._publish()

    def _publish(self) -> None:
        area = self.flow.tracking
        self._peer.send(NetworkChunkPublisherUpdate(area.position, area.publisher_radius_blocks))

    def hear(self, message: Deed, now: float) -> None:
        """The player says where it is and how it looks, where it wants to be, or that it is there."""
        if isinstance(message, PlayerAction):
            self._crossing.hear(message)
        elif isinstance(message, CommandRequest):
            self._obey(message, now)
        elif is_near(eye := message.position) and not self._crossing.still_there(now):
            if self.at.step(eye, now):
                self.flow.interest.observe(now, eye, message.yaw, message.pitch)
                self.follow(now)
                self.at.note(message.yaw, message.pitch)
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

    def _obey(self, request: CommandRequest, now: float) -> None:
        try:
            wish = read_command(request.command, self._realms)
            if not self._quota.crossings.take(1, now):
                raise WrongCommand("That is too soon after the last time.")
        except WrongCommand as error:
            self.reply(answer(request, str(error), done=False), now)
            return
        self.wish(wish)
        self.reply(answer(request, f"You go to the {wish.realm.dimension.name}.", done=True), now)

    def wish(self, wish: Wish) -> None:
        """The player is to go there as soon as it may."""
        self._crossing.wish = wish

    def go_on(self) -> None:
        """The player is to go into the next dimension, by their numbers; nowhere where there is but one."""
        around = sorted(self._realms, key=lambda realm: realm.dimension.number)
        following = around[(around.index(self.at.realm) + 1) % len(around)]
        if following is not self.at.realm:
            self.wish(Wish(following, None))

    def cross(self) -> bool:
        """The player may go where it is wished to be; True when it left its dimension."""
        wish, self._crossing.wish = self._crossing.wish, None
        if wish is None:
            return False
        self.at.cross(*wish)
        if wish.realm is self.flow.realm:
            self._peer.send(self.at.put(self._runtime_id))
            return False
        self.flow.realm.provision.leave(self._runtime_id)
        protocol = self._peer.codec.protocol
        self._peer.send(self._crossing.begin(wish.realm.dimension.number, self.at.eye, protocol))
        self._enter()
        self._publish()
        return True

    def let_in(self, now: float) -> None:
        """The client was told that it has what it needs."""
        for message in self._crossing.let_in(self._peer.codec.protocol, now):
            self._peer.send(message)
