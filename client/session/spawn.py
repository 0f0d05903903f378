"""Phases of a session: join, spawn, change of dimension, respawn, end.

    JOINING ──StartGame──▶ SPAWNING ──PlayStatus 3──▶ PLAYING
                              ▲                          │
                              └──────ChangeDimension─────┘
    any ──Closed or Disconnect──▶ CLOSED

Rules:
1. A step that is not legal in the present phase is the server's fault and is ignored.
2. StartGame's blocks may replace the ``DimensionState``; before it that holds nothing that could be lost. Pinned
   anchors stay.
3. Only the server and the transport end a session; the first reason is kept.
4. Columns may come before the spawn status and even before the radius request (ecosystem.md 2.4), so they are applied
   from SPAWNING on. Requests are sent from then on too, as several servers wait for them before they spawn the player.
"""

import math
from enum import Enum
from typing import Final

from client.errors import WorldError
from client.player import Eye
from client.session.config import SessionConfig
from client.session.dimension_state import DimensionState
from client.session.movement import Motion
from client.session.outbox import Outbox
from client.streaming.anchors import Anchors
from client.streaming.ledger import Ledger
from net import bedrock
from net.bedrock.packets.login import FIRST_PROTOCOL
from net.errors import LocalProtocolError
from net.palette import Palette
from net.space import IDENTIFIERS, VANILLA, Dimension, by_number


class SpawnPhase(Enum):
    """Phases of a session."""

    JOINING = "joining"  # the login runs; no dimension is known
    SPAWNING = "spawning"  # the dimension is known; columns may come
    PLAYING = "playing"  # the server let the player in
    CLOSED = "closed"  # over; the reason is kept


TRANSITIONS: Final = {
    SpawnPhase.JOINING: {SpawnPhase.SPAWNING, SpawnPhase.CLOSED},
    SpawnPhase.SPAWNING: {SpawnPhase.SPAWNING, SpawnPhase.PLAYING, SpawnPhase.CLOSED},
    SpawnPhase.PLAYING: {SpawnPhase.PLAYING, SpawnPhase.SPAWNING, SpawnPhase.CLOSED},
    SpawnPhase.CLOSED: {SpawnPhase.CLOSED},
}


APPEARS: Final = 1
GONE: Final = 2


class LoadingScreen:
    """Reports a loading screen to the server (ServerboundLoadingScreen, wire.md 2.5); none is drawn.

    The packet exists from protocol 712 on. The screen begins with StartGame and with each ChangeDimension, whose id it
    repeats; it ends when the server spawned the player. A server may accept no movement before the end (dragonfly). A
    screen that another one replaces is not ended: an id that the server no longer expects may be an error to it
    (dragonfly).
    """

    def __init__(self, protocol: int) -> None:
        self._spoken = protocol >= FIRST_PROTOCOL
        self._id: int | None = None
        self._shown = False

    def appear(self, loading_screen_id: int | None = None) -> list[bedrock.Message]:
        self._id, self._shown = loading_screen_id, True
        return self._say(APPEARS)

    def vanish(self) -> list[bedrock.Message]:
        shown, self._shown = self._shown, False
        return self._say(GONE) if shown else []

    def _say(self, kind: int) -> list[bedrock.Message]:
        return [bedrock.ServerboundLoadingScreen(kind, self._id)] if self._spoken else []


NUMBER_OF: Final = {identifier: number for number, identifier in IDENTIFIERS.items()}
LOWEST_SECTION, ROOF_SECTION = -128, 128
"""Range of a signed byte: 4096 blocks in all."""
LEAST_SECTIONS: Final = 3  # the least height that the store can hold (client.world.places)
SKYLESS_GENERATORS: Final = (3, 4)  # nether and end


class Dimensions:
    """The dimensions of this server: the usual vertical ranges, and those that DimensionData defines (wire.md 2.5).

    A definition's number follows from its name, else it is the number in the packet (from protocol 975 on). A range
    that does not end between two sub-chunks is widened to the next border; one that no store can hold, or whose
    sub-chunk indices do not fit a signed byte (wire.md 3.1), is a fault, as is a definition without a number.
    """

    def __init__(self) -> None:
        self._announced: dict[int, Dimension] = {}

    def of(self, number: int) -> Dimension:
        return self._announced.get(number) or by_number(number)

    def receive(self, message: bedrock.DimensionData) -> list[str]:
        """Adds definitions; returns a sentence for each faulty one."""
        faults = []
        for index, definition in enumerate(message.definitions):
            number = _number(definition)
            fault = "has no dimension number" if number is None else _fault(definition)
            if number is None or fault is not None:
                faults.append(f"DimensionData.definitions[{index}]: {definition.identifier!r} {fault}")
            else:
                self._announced[number] = _dimension(number, definition)
        return faults


def _number(definition: bedrock.DimensionDefinition) -> int | None:
    number = NUMBER_OF.get(definition.identifier)
    if number is None and definition.kind not in VANILLA:
        return definition.kind
    return number


def _sections(definition: bedrock.DimensionDefinition) -> tuple[int, int]:
    """The lowest section, and the one above the highest."""
    return definition.low >> 4, -(-definition.high >> 4)


def _fault(definition: bedrock.DimensionDefinition) -> str | None:
    floor, roof = _sections(definition)
    blocks = f"reaches from {definition.low} to {definition.high}"
    if definition.high <= definition.low:
        return f"{blocks}, which is empty"
    if floor < LOWEST_SECTION or roof > ROOF_SECTION:
        return f"{blocks}, beyond the possible sub-chunks, {LOWEST_SECTION * 16} to {ROOF_SECTION * 16}"
    if roof - floor < LEAST_SECTIONS:
        return f"{blocks}, fewer than {LEAST_SECTIONS} sub-chunks"
    return None


def _dimension(number: int, definition: bedrock.DimensionDefinition) -> Dimension:
    floor, roof = _sections(definition)
    usual = VANILLA.get(number)
    name = usual.name if usual else definition.identifier
    has_sky = usual.has_sky if usual else definition.generator not in SKYLESS_GENERATORS
    return Dimension(number, name, floor, roof - floor, has_sky)


RADIUS_AGAIN_S: Final = 3.0
"""gophertunnel (1.19 to 1.59) never answers a request that comes before it begins to wait for one, after StartGame."""
PLAYER_SPAWN = 3
DIMENSION_CHANGE_DONE = 14
RESPAWN_READY, RESPAWN_CLIENT_READY = 1, 2


class SpawnSequence:
    """The phase and the dimension of a session; owned by it."""

    def __init__(
        self,
        config: SessionConfig,
        palette: Palette,
        post: Outbox,
        ledger: Ledger,
        anchors: Anchors,
        motion: Motion,
        now: float,
    ) -> None:
        self.phase = SpawnPhase.JOINING
        self._anchors = anchors
        # replaced at StartGame where the server has its own blocks
        self.dimension = DimensionState(palette, config, ledger, self._anchors, now)
        self.closed_reason: str | None = None  # why the session ended, in one sentence; None while it runs
        self._config = config
        self._palette = palette
        self._post = post
        self._ledger = ledger
        self._motion = motion
        self._start: bedrock.StartGame | None = None
        self._radius_at = math.inf  # when the radius was requested last
        self._dimensions = Dimensions()
        self._loading_screen = LoadingScreen(config.protocol)
        self._changing_dimension = self._initialized = False

    @property
    def begun(self) -> bool:
        """Whether StartGame came, so that the dimension is known."""
        return self._start is not None

    @property
    def world_name(self) -> str:
        return self._start.world_name if self._start else ""

    def start(self, message: bedrock.StartGame, now: float) -> None:
        """Takes blocks, dimension and position from StartGame; asks for a radius."""
        if self._start is not None or not self._become(SpawnPhase.SPAWNING):
            return
        self._start = message
        if message.tail_fault is not None:
            self._post.record(message.tail_fault)
        self._take_palette(message, now)
        self._change_dimension(message.dimension)
        self._motion.start(message)
        self._request_radius(now)
        self._post.say(*self._loading_screen.appear())

    def await_radius(self, now: float) -> None:
        """Requests the radius again after ``RADIUS_AGAIN_S``, until it is granted or the player spawns."""
        if now - self._radius_at >= RADIUS_AGAIN_S and not self._initialized:
            self._request_radius(now)

    def _request_radius(self, now: float) -> None:
        self._radius_at = now
        self._post.say(bedrock.RequestChunkRadius(self._config.activity_radius))

    def spawn(self, message: bedrock.PlayStatus) -> None:
        """Spawns the player, and sends the messages that confirm it."""
        if message.status != PLAYER_SPAWN or self._start is None or not self._become(SpawnPhase.PLAYING):
            return
        self._ledger.resume()
        self.dimension.requests.invalidate()
        self._post.say(*self._loading_screen.vanish())
        if self._changing_dimension:
            self._changing_dimension = False
            self._post.say(bedrock.PlayerAction(self._start.runtime_id, DIMENSION_CHANGE_DONE))
        elif not self._initialized:
            self._initialized = True
            self._post.say(bedrock.SetLocalPlayerAsInitialized(self._start.runtime_id))

    def change_dimension(self, message: bedrock.ChangeDimension) -> None:
        if self._start is None or not self._become(SpawnPhase.SPAWNING):
            return
        self._changing_dimension = True
        self._post.say(*self._loading_screen.appear(message.loading_screen_id))
        self._change_dimension(message.dimension)
        self._motion.enter(Eye(*message.position))

    def receive_ranges(self, message: bedrock.DimensionData) -> None:
        """Adds vertical ranges, which come before StartGame; later ones apply at once if no columns are stored."""
        for fault in self._dimensions.receive(message):
            self._post.record(fault)
        store = self.dimension.store
        current = self._dimensions.of(store.dimension.number)
        if self._start is None or current == store.dimension:
            return
        if store.row_of:
            late = f"the new range of {current.name} arrived after its columns and applies on the next visit"
            self._post.record(f"DimensionData: {late}")
        else:
            self.dimension.enter(current)

    def respawn(self, message: bedrock.Respawn) -> None:
        if message.state == RESPAWN_READY and self.phase is SpawnPhase.SPAWNING:
            self._post.say(bedrock.Respawn(message.position, RESPAWN_CLIENT_READY, message.runtime_id))

    def close(self, reason: str) -> None:
        if self._become(SpawnPhase.CLOSED) and self.closed_reason is None:
            self.closed_reason = reason

    def _become(self, phase: SpawnPhase) -> bool:
        legal = phase in TRANSITIONS[self.phase]
        if legal:
            self.phase = phase
        return legal

    def _take_palette(self, message: bedrock.StartGame, now: float) -> None:
        """Sets up this server's block ids, hashed or not, its own blocks sorted in; an invalid list is a fault."""
        vanilla = self._palette.hashed() if message.ids_are_hashes else self._palette
        no_space: list[str] = []
        try:
            self._use(vanilla.with_custom(message.custom_blocks, no_space), now)
        except (WorldError, LocalProtocolError) as error:
            self._post.record(f"StartGame.custom_blocks: {error}")
            self._use(vanilla, now)
        if no_space:
            left_out = f"{no_space[0]}{f' and {len(no_space) - 1} more' if no_space[1:] else ''}"
            self._post.record(f"StartGame.custom_blocks: no dense ids are left for the states of {left_out}")

    def _use(self, palette: Palette, now: float) -> None:
        if palette is not self._palette:
            self.dimension = DimensionState(palette, self._config, self._ledger, self._anchors, now)

    def _change_dimension(self, number: int) -> None:
        self.dimension.enter(self._dimensions.of(number))
        self.dimension.terrain.reset()
