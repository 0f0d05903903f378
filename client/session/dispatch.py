"""Passes each received message to the component that handles it.

Rules:
1. ``receive`` takes one event of the peer, in the order of the wire. A message without a handler is only counted.
2. A packet that does not decode is counted and skipped.
3. After the session is closed messages are only counted.
4. Terrain is applied as soon as a dimension is known, whatever the order of the other packets (ecosystem.md 2.4).
"""

import copy
from collections.abc import Callable
from typing import Any, Final

from client.entities import Entities
from client.session.chat import Chat, Commands
from client.session.config import SessionConfig
from client.session.dimension_state import DimensionState
from client.session.join_steps import JoinSteps
from client.session.movement import Motion
from client.session.outbox import Outbox
from client.session.spawn import SpawnPhase, SpawnSequence
from client.session.terrain import leaves_blocks_alone
from client.session.weather import Environment
from net.bedrock import (
    BiomeDefinitionList,
    BlockActorData,
    Blocks,
    ChangeDimension,
    ChunkRadiusUpdated,
    CommandOutput,
    CorrectPlayerMovePrediction,
    DimensionData,
    Disconnect,
    LevelChunk,
    LevelEvent,
    Message,
    MovePlayer,
    NetworkChunkPublisherUpdate,
    NetworkStackLatency,
    PlayStatus,
    Respawn,
    SetTime,
    StartGame,
    SubChunk,
    Text,
    Transfer,
    UpdateBlock,
    UpdateBlockSynced,
    UpdateSubChunkBlocks,
)
from net.peer import Closed, Event, Faulty, Received

Handler = Callable[[Any, float], None]
"""Called with the message and the time. Any: each handler takes its own message type."""


class PacketDispatcher:
    """The handler table; owned by the session."""

    def __init__(self, entering: SpawnSequence, motion: Motion, post: Outbox, config: SessionConfig) -> None:
        """Nothing was received yet.

        ``entering``: the phase of the session. ``post``: counts received messages, takes immediate answers. ``config``:
        holds the radius to ask for, of which the server can only grant less.
        """
        # granted: the radius that the server grants, in columns; at most the radius asked for.
        self.granted = self._asked_radius = config.activity_radius
        self._entering = entering
        self._motion = motion
        self._post = post
        self.steps = JoinSteps()  # of the join, and of the last change of dimension
        self._told_at = 0.0  # time of the last message about blocks
        self.commands = Commands(post)  # commands sent to the server, and their answers
        self.entities = Entities(config.protocol)  # all entities but the player
        self.chat = Chat()  # the chat lines
        self.environment = Environment(config.protocol)  # time, weather and names of biomes, as last received
        self._handlers: Final[dict[type, Handler]] = self._of_entering() | self._of_terrain() | self._of_the_rest()

    def __deepcopy__(self, memo: dict[int, object]) -> "PacketDispatcher":
        """A copy whose handlers call the copied components."""
        made = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            if name != "_handlers":
                setattr(made, name, copy.deepcopy(value, memo))
        made.__dict__["_handlers"] = made._of_entering() | made._of_terrain() | made._of_the_rest()
        return made

    def receive(self, event: Event, now: float) -> None:
        match event:
            case Received(message=message, number=number):
                self._take(message, number, now)
            case Faulty(error=error):
                self._post.record(str(error))
            case Closed(reason=reason):
                self._entering.close(reason)

    def _take(self, message: Message, number: int, now: float) -> None:
        self._post.receive(message)
        if self.entities.takes(message):  # up to a thousand a second, and no other component needs them
            if self._entering.begun and self._entering.phase is not SpawnPhase.CLOSED:
                self.entities.receive(message, number, now)
            return
        self.steps.receive(message, now)
        self._dimension.events.record(message, number, now)
        if isinstance(message, Text):
            self.commands.receive_chat(self.chat.receive(message, number, now))
        handler = self._handlers.get(type(message))
        if handler is None or self._entering.phase is SpawnPhase.CLOSED:
            return
        if not leaves_blocks_alone(message):
            if message.BLOCKS is not Blocks.CHANGED or now != self._told_at:  # those of one moment are applied together
                self._dimension.terrain.apply_changes()
            self._told_at = now
            self._dimension.store.begin_packet(number, now)
        handler(message, now)

    @property
    def _dimension(self) -> DimensionState:
        return self._entering.dimension

    # ------------------------------------------------------------ handlers

    def _of_entering(self) -> dict[type, Handler]:
        entering = self._entering
        return {
            DimensionData: lambda message, _: entering.receive_ranges(message),
            StartGame: self._on_start,
            PlayStatus: lambda message, _: entering.spawn(message),
            ChangeDimension: lambda message, _: self._on_dimension(message),
            Respawn: lambda message, _: entering.respawn(message),
            Transfer: lambda m, _: entering.close(f"the server transfers its players to {m.address}:{m.port}"),
            Disconnect: lambda m, _: entering.close(
                m.message or "the server closed the session without giving a reason"
            ),
        }

    def _of_terrain(self) -> dict[type, Handler]:
        return {
            NetworkChunkPublisherUpdate: self._on_publisher,
            LevelChunk: self._on_column,
            SubChunk: self._on_answers,
            UpdateBlock: lambda message, _: self._dimension.terrain.changes.block(message),
            UpdateBlockSynced: lambda message, _: self._dimension.terrain.changes.block(message),
            UpdateSubChunkBlocks: lambda message, _: self._dimension.terrain.changes.blocks(message),
            BlockActorData: lambda message, _: self._dimension.terrain.entity(message),
            LevelEvent: self._on_event,
        }

    def _of_the_rest(self) -> dict[type, Handler]:
        return {
            SetTime: lambda message, _: self.environment.set_time(message),
            ChunkRadiusUpdated: self._on_radius,
            MovePlayer: self._on_move,
            CorrectPlayerMovePrediction: lambda message, _: self._motion.corrected(message),
            NetworkStackLatency: self._on_latency,
            BiomeDefinitionList: lambda message, _: self._on_biomes(message),
            CommandOutput: lambda message, _: self.commands.receive(message),
        }

    def _on_start(self, message: StartGame, now: float) -> None:
        begun = self._entering.begun
        if not begun:
            self.environment.start(message)
        self._entering.start(message, now)
        if not begun:
            self.entities.begin(message.runtime_id, message.entity_unique_id, self._dimension.table)
            self.steps.ask(self._asked_radius, now)

    def _on_dimension(self, message: ChangeDimension) -> None:
        self._entering.change_dimension(message)
        self.entities.leave()

    def _on_biomes(self, message: BiomeDefinitionList) -> None:
        fault = self.environment.name_biomes(message)
        if fault is not None:
            self._post.record(fault)

    def _on_radius(self, message: ChunkRadiusUpdated, now: float) -> None:
        self.granted = min(self._asked_radius, max(message.radius, 1))
        self._dimension.requests.invalidate()

    def _on_publisher(self, message: NetworkChunkPublisherUpdate, now: float) -> None:
        gone = self._dimension.terrain.publish(message, self._dimension.requests.anchors)
        self.entities.columns_gone(gone, now)
        self._dimension.requests.invalidate()

    def _on_column(self, message: LevelChunk, now: float) -> None:
        if not self._entering.begun:
            return  # the dimension that it belongs to is not known
        self._dimension.terrain.column(message, now)
        self._dimension.requests.invalidate()

    def _on_event(self, message: LevelEvent, now: float) -> None:
        self.environment.change_weather(message)
        self._dimension.terrain.cracks(message, now)

    def _on_answers(self, message: SubChunk, now: float) -> None:
        self._dimension.terrain.answers(message, now)
        self._dimension.requests.invalidate()

    def _on_move(self, message: MovePlayer, now: float) -> None:
        if self._motion.moved_by_server(message):
            self._dimension.requests.invalidate()

    def _on_latency(self, message: NetworkStackLatency, now: float) -> None:
        if message.wants_reply:
            self._post.say(NetworkStackLatency(message.time, wants_reply=False))
