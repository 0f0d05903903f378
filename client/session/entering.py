"""How the server lets the player in, into another dimension, back to life, and out: the steps of ``phase``.

Rules:
1. A step that is not legal now is the server's confusion and is ignored.
2. What StartGame brings of blocks replaces the realm; before it there is nothing in it that could be lost, but for
   what was pinned, which goes on.
3. Only an end that the server or the transport told ends a session; the first reason is kept.
"""

from client.player import Eye
from client.session.config import SessionConfig
from client.session.dimensions import Dimensions
from client.session.loading_screen import LoadingScreen
from client.session.motion import Motion
from client.session.phase import Phase, may_become
from client.session.post import Post
from client.session.realm import Realm
from client.streaming.anchors import Anchors
from client.streaming.ledger import Ledger
from client.world.errors import WorldError
from net.bedrock import (
    ChangeDimension,
    DimensionData,
    PlayerAction,
    PlayStatus,
    RequestChunkRadius,
    Respawn,
    SetLocalPlayerAsInitialized,
    StartGame,
)
from net.errors import LocalProtocolError
from net.palette import Palette

PLAYER_SPAWN = 3
DIMENSION_CHANGE_DONE = 14
RESPAWN_READY, RESPAWN_CLIENT_READY = 1, 2


class Entering:
    """Where the session stands, and in which realm; owned by it.

    Attributes:
        phase: where it stands.
        realm: what is known and wanted; another one from StartGame on, where the server has blocks of its own.
        closed_reason: why it is over, in one sentence; None while it is not.
    """

    def __init__(
        self, config: SessionConfig, palette: Palette, post: Post, ledger: Ledger, motion: Motion, now: float
    ) -> None:
        """Before StartGame.

        Args:
            config: frozen.
            palette: block states of the protocol spoken.
            post: takes what is said.
            ledger: of requests.
            motion: the player.
            now: monotonic seconds.
        """
        self.phase = Phase.JOINING
        self._anchors = Anchors()
        self.realm = Realm(palette, config, ledger, self._anchors, now)
        self.closed_reason: str | None = None
        self._config = config
        self._palette = palette
        self._post = post
        self._ledger = ledger
        self._motion = motion
        self._start: StartGame | None = None
        self._dimensions = Dimensions()
        self._loading_screen = LoadingScreen(config.protocol)
        self._changing_dimension = self._initialized = False

    @property
    def begun(self) -> bool:
        """Whether StartGame came, so that a dimension is known."""
        return self._start is not None

    @property
    def world_name(self) -> str:
        """As the server calls it; empty before StartGame."""
        return self._start.world_name if self._start else ""

    def start(self, message: StartGame, now: float) -> None:
        """The game starts: which blocks, which dimension, where; asks for a radius."""
        if self._start is not None or not self._become(Phase.SPAWNING):
            return
        self._start = message
        if message.tail_fault is not None:
            self._post.note(message.tail_fault)
        self._take_palette(message, now)
        self._change_dimension(message.dimension)
        self._motion.start(message)
        self._post.say(RequestChunkRadius(self._config.activity_radius), *self._loading_screen.appear())

    def spawn(self, message: PlayStatus) -> None:
        """The server lets the player in."""
        if message.status != PLAYER_SPAWN or self._start is None or not self._become(Phase.PLAYING):
            return
        self._ledger.resume()
        self.realm.requests.invalidate()
        self._post.say(*self._loading_screen.vanish())
        if self._changing_dimension:
            self._changing_dimension = False
            self._post.say(PlayerAction(self._start.runtime_id, DIMENSION_CHANGE_DONE))
        elif not self._initialized:
            self._initialized = True
            self._post.say(SetLocalPlayerAsInitialized(self._start.runtime_id))

    def change_dimension(self, message: ChangeDimension) -> None:
        """The player is taken elsewhere; what was known is dropped."""
        if self._start is None or not self._become(Phase.SPAWNING):
            return
        self._changing_dimension = True
        self._post.say(*self._loading_screen.appear(message.loading_screen_id))
        self._change_dimension(message.dimension)
        self._motion.enter(Eye(*message.position))

    def hear_ranges(self, message: DimensionData) -> None:
        """Ranges are told before StartGame; later ones hold at once as long as no column was measured by the old."""
        for fault in self._dimensions.hear(message):
            self._post.note(fault)
        store = self.realm.store
        current = self._dimensions.of(store.dimension.number)
        if self._start is None or current == store.dimension:
            return
        if store.row_of:
            late = f"a range of {current.name} that comes after its columns holds when it is left"
            self._post.note(f"DimensionData: {late}")
        else:
            self.realm.enter(current)

    def respawn(self, message: Respawn) -> None:
        """The server would have the player back."""
        if message.state == RESPAWN_READY and self.phase is Phase.SPAWNING:
            self._post.say(Respawn(message.position, RESPAWN_CLIENT_READY, message.runtime_id))

    def close(self, reason: str) -> None:
        """It is over."""
        if self._become(Phase.CLOSED) and self.closed_reason is None:
            self.closed_reason = reason

    def _become(self, phase: Phase) -> bool:
        legal = may_become(self.phase, phase)
        if legal:
            self.phase = phase
        return legal

    def _take_palette(self, message: StartGame, now: float) -> None:
        """Ids as this server means them: hashes where it says so, its own blocks sorted in.

        Without these ids mean other blocks, so a list that cannot be meant is told, not silently dropped.
        """
        vanilla = self._palette.hashed() if message.ids_are_hashes else self._palette
        try:
            palette = vanilla.with_custom(message.custom_blocks)
            if palette is not self._palette:
                self.realm = Realm(palette, self._config, self._ledger, self._anchors, now)
        except (WorldError, LocalProtocolError) as error:
            self._post.note(f"StartGame.custom_blocks: {error}")
            if vanilla is not self._palette:
                self.realm = Realm(vanilla, self._config, self._ledger, self._anchors, now)

    def _change_dimension(self, number: int) -> None:
        self.realm.enter(self._dimensions.of(number))
        self.realm.terrain.reset()
