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
from net.bedrock import (
    ChangeDimension,
    DimensionData,
    DimensionDefinition,
    Message,
    PlayerAction,
    PlayStatus,
    RequestChunkRadius,
    Respawn,
    ServerboundLoadingScreen,
    SetLocalPlayerAsInitialized,
    StartGame,
)
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


def may_become(now: SpawnPhase, then: SpawnPhase) -> bool:
    """Whether the step is legal."""
    return then in TRANSITIONS[now]


APPEARS: Final = 1
GONE: Final = 2


class LoadingScreen:
    """Reports a loading screen to the server (ServerboundLoadingScreen, wire.md 2.5); none is drawn.

    1. The packet exists from protocol 712 on; before, nothing is sent.
    2. The screen begins with StartGame, after the radius request, and with each ChangeDimension, whose id it repeats;
       the first one has no id. It ends when the server spawned the player, before the player reports its own
       initialization. Real clients send all of it, and a server may accept no movement before the end (dragonfly).
    3. A screen that another one replaces is not ended: the server waits for the last id, and an id that it no longer
       expects may be an error to it (dragonfly).
    """

    def __init__(self, protocol: int) -> None:
        self._spoken = protocol >= FIRST_PROTOCOL
        self._id: int | None = None
        self._shown = False

    def appear(self, loading_screen_id: int | None = None) -> list[Message]:
        """Begins a screen; returns the messages to send."""
        self._id, self._shown = loading_screen_id, True
        return self._say(APPEARS)

    def vanish(self) -> list[Message]:
        """Ends the screen, if there is one; returns the messages to send."""
        shown, self._shown = self._shown, False
        return self._say(GONE) if shown else []

    def _say(self, kind: int) -> list[Message]:
        return [ServerboundLoadingScreen(kind, self._id)] if self._spoken else []


NUMBER_OF: Final = {identifier: number for number, identifier in IDENTIFIERS.items()}
LOWEST_SECTION, ROOF_SECTION = -128, 128
"""Range of a signed byte: 4096 blocks in all."""
LEAST_SECTIONS: Final = 3  # the least height that the store can hold (client.world.places)
SKYLESS_GENERATORS: Final = (3, 4)  # nether and end


class Dimensions:
    """The dimensions of this server: the usual vertical ranges, and those that DimensionData defines (wire.md 2.5).

    1. A definition's number follows from its name, ``minecraft:nether`` for example, else it is the number in the
       packet (from protocol 975 on). A definition without either is a fault: no ChangeDimension can name it.
    2. A range that does not end between two sub-chunks is widened to the next border.
    3. A range that no store can hold, or whose sub-chunk indices do not fit a signed byte (wire.md 3.1), is a fault,
       and the earlier definition stays.
    4. A usual dimension keeps its sky, or its lack of one; another one has no sky if its generator is the nether's or
       the end's.
    """

    def __init__(self) -> None:
        self._announced: dict[int, Dimension] = {}

    def of(self, number: int) -> Dimension:
        return self._announced.get(number) or by_number(number)

    def receive(self, message: DimensionData) -> list[str]:
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


def _number(definition: DimensionDefinition) -> int | None:
    number = NUMBER_OF.get(definition.identifier)
    if number is None and definition.kind not in VANILLA:
        return definition.kind
    return number


def _sections(definition: DimensionDefinition) -> tuple[int, int]:
    """The lowest section, and the one above the highest."""
    return definition.low >> 4, -(-definition.high >> 4)


def _fault(definition: DimensionDefinition) -> str | None:
    floor, roof = _sections(definition)
    blocks = f"reaches from {definition.low} to {definition.high}"
    if definition.high <= definition.low:
        return f"{blocks}, which is empty"
    if floor < LOWEST_SECTION or roof > ROOF_SECTION:
        return f"{blocks}, beyond the possible sub-chunks, {LOWEST_SECTION * 16} to {ROOF_SECTION * 16}"
    if roof - floor < LEAST_SECTIONS:
        return f"{blocks}, fewer than {LEAST_SECTIONS} sub-chunks"
    return None


def _dimension(number: int, definition: DimensionDefinition) -> Dimension:
    floor, roof = _sections(definition)
    usual = VANILLA.get(number)
    name = usual.name if usual else definition.identifier
    has_sky = usual.has_sky if usual else definition.generator not in SKYLESS_GENERATORS
    return Dimension(number, name, floor, roof - floor, has_sky)


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
        """``post``: takes the messages to send. ``anchors``: the session's."""
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
        self._start: StartGame | None = None
        self._dimensions = Dimensions()
        self._loading_screen = LoadingScreen(config.protocol)
        self._changing_dimension = self._initialized = False

    @property
    def begun(self) -> bool:
        """Whether StartGame came, so that the dimension is known."""
        return self._start is not None

    @property
    def world_name(self) -> str:
        """The server's name of the world; empty before StartGame."""
        return self._start.world_name if self._start else ""

    def start(self, message: StartGame, now: float) -> None:
        """Takes blocks, dimension and position from StartGame; asks for a radius."""
        if self._start is not None or not self._become(SpawnPhase.SPAWNING):
            return
        self._start = message
        if message.tail_fault is not None:
            self._post.record(message.tail_fault)
        self._take_palette(message, now)
        self._change_dimension(message.dimension)
        self._motion.start(message)
        self._post.say(RequestChunkRadius(self._config.activity_radius), *self._loading_screen.appear())

    def spawn(self, message: PlayStatus) -> None:
        """Spawns the player, and sends the messages that confirm it."""
        if message.status != PLAYER_SPAWN or self._start is None or not self._become(SpawnPhase.PLAYING):
            return
        self._ledger.resume()
        self.dimension.requests.invalidate()
        self._post.say(*self._loading_screen.vanish())
        if self._changing_dimension:
            self._changing_dimension = False
            self._post.say(PlayerAction(self._start.runtime_id, DIMENSION_CHANGE_DONE))
        elif not self._initialized:
            self._initialized = True
            self._post.say(SetLocalPlayerAsInitialized(self._start.runtime_id))

    def change_dimension(self, message: ChangeDimension) -> None:
        """Empties the store and moves the player to another dimension."""
        if self._start is None or not self._become(SpawnPhase.SPAWNING):
            return
        self._changing_dimension = True
        self._post.say(*self._loading_screen.appear(message.loading_screen_id))
        self._change_dimension(message.dimension)
        self._motion.enter(Eye(*message.position))

    def receive_ranges(self, message: DimensionData) -> None:
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

    def respawn(self, message: Respawn) -> None:
        """Confirms a respawn."""
        if message.state == RESPAWN_READY and self.phase is SpawnPhase.SPAWNING:
            self._post.say(Respawn(message.position, RESPAWN_CLIENT_READY, message.runtime_id))

    def close(self, reason: str) -> None:
        if self._become(SpawnPhase.CLOSED) and self.closed_reason is None:
            self.closed_reason = reason

    def _become(self, phase: SpawnPhase) -> bool:
        legal = may_become(self.phase, phase)
        if legal:
            self.phase = phase
        return legal

    def _take_palette(self, message: StartGame, now: float) -> None:
        """Sets up this server's block ids: hashed if it says so, its own blocks sorted in.

        Without these, ids mean other blocks, so an invalid list is reported as a fault.
        """
        vanilla = self._palette.hashed() if message.ids_are_hashes else self._palette
        try:
            no_space: list[str] = []
            palette = vanilla.with_custom(message.custom_blocks, no_space)
            if no_space:
                left_out = f"{no_space[0]}{f' and {len(no_space) - 1} more' if no_space[1:] else ''}"
                self._post.record(f"StartGame.custom_blocks: no dense ids are left for the states of {left_out}")
            if palette is not self._palette:
                self.dimension = DimensionState(palette, self._config, self._ledger, self._anchors, now)
        except (WorldError, LocalProtocolError) as error:
            self._post.record(f"StartGame.custom_blocks: {error}")
            if vanilla is not self._palette:
                self.dimension = DimensionState(vanilla, self._config, self._ledger, self._anchors, now)

    def _change_dimension(self, number: int) -> None:
        self.dimension.enter(self._dimensions.of(number))
        self.dimension.terrain.reset()
