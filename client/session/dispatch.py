"""Passes each received message to the component that handles it, in the order of the wire.

A message without a handler, and any after the end of the session, is only counted; a packet that does not decode is
counted and skipped. Terrain is applied as soon as a dimension is known (ecosystem.md 2.4).
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
from net import bedrock
from net.peer import Closed, Event, Faulty, Received

Handler = Callable[[Any, float], None]
"""Called with the message and the time. Any: each handler takes its own message type."""


class PacketDispatcher:
    """The handler table; owned by the session."""

    def __init__(self, entering: SpawnSequence, motion: Motion, post: Outbox, config: SessionConfig) -> None:
        """``post``: counts received messages, takes immediate answers. ``config``: holds the radius to ask for."""
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
        self.environment = Environment(config.protocol)  # time, weather, fogs and names of biomes, as last received
        self._handlers: Final[dict[type, Handler]] = self._table()

    def __deepcopy__(self, memo: dict[int, object]) -> "PacketDispatcher":
        """A copy whose handlers call the copied components."""
        made = memo[id(self)] = object.__new__(type(self))
        for name, value in vars(self).items():
            if name != "_handlers":
                setattr(made, name, copy.deepcopy(value, memo))
        made.__dict__["_handlers"] = made._table()
        return made

    def receive(self, event: Event, now: float) -> None:
        match event:
            case Received(message=message, number=number, at=at):
                self._take(message, number, now, at)
            case Faulty(error=error):
                self._post.record(str(error))
            case Closed(reason=reason):
                self._entering.close(reason)

    def _take(self, message: bedrock.Message, number: int, now: float, at: float) -> None:
        self._post.receive(message)
        if self.entities.takes(message):  # up to a thousand a second, and no other component needs them
            if self._entering.begun and self._entering.phase is not SpawnPhase.CLOSED:
                self.entities.receive(message, number, now)
            return
        self.steps.receive(message, now, at)
        self._dimension.events.record(message, number, now)
        if isinstance(message, bedrock.Text):
            self.commands.receive_chat(self.chat.receive(message, number, now))
        handler = self._handlers.get(type(message))
        if handler is None or self._entering.phase is SpawnPhase.CLOSED:
            return
        if not leaves_blocks_alone(message):
            if (
                message.BLOCKS is not bedrock.Blocks.CHANGED or now != self._told_at
            ):  # those of one moment are applied together
                self._dimension.terrain.apply_changes()
            self._told_at = now
            self._dimension.store.begin_packet(number, now)
        handler(message, now)

    @property
    def _dimension(self) -> DimensionState:
        return self._entering.dimension

    # ------------------------------------------------------------ handlers

    def _table(self) -> dict[type, Handler]:
        entering, environment = self._entering, self.environment
        return {
            bedrock.DimensionData: lambda message, _: entering.receive_ranges(message),
            bedrock.StartGame: self._on_start,
            bedrock.PlayStatus: lambda message, _: entering.spawn(message),
            bedrock.ChangeDimension: lambda message, _: self._on_dimension(message),
            bedrock.Respawn: lambda message, _: entering.respawn(message),
            bedrock.Transfer: lambda m, _: entering.close(f"the server transfers its players to {m.address}:{m.port}"),
            bedrock.Disconnect: lambda message, _: entering.close(message.sentence()),
            bedrock.NetworkChunkPublisherUpdate: self._on_publisher,
            bedrock.LevelChunk: self._on_column,
            bedrock.SubChunk: self._on_answers,
            bedrock.UpdateBlock: lambda message, _: self._dimension.terrain.changes.block(message),
            bedrock.UpdateBlockSynced: lambda message, _: self._dimension.terrain.changes.block(message),
            bedrock.UpdateSubChunkBlocks: lambda message, _: self._dimension.terrain.changes.blocks(message),
            bedrock.BlockActorData: lambda message, _: self._dimension.terrain.entity(message),
            bedrock.LevelEvent: self._on_event,
            bedrock.SetTime: lambda message, _: environment.set_time(message),
            bedrock.PlayerFog: lambda message, _: environment.set_fogs(message),
            bedrock.ChunkRadiusUpdated: self._on_radius,
            bedrock.MovePlayer: self._on_move,
            bedrock.CorrectPlayerMovePrediction: lambda message, _: self._motion.corrected(message),
            bedrock.NetworkStackLatency: self._on_latency,
            bedrock.BiomeDefinitionList: lambda message, _: self._on_biomes(message),
            bedrock.CommandOutput: lambda message, _: self.commands.receive(message),
        }

    def _on_start(self, message: bedrock.StartGame, now: float) -> None:
        begun = self._entering.begun
        if not begun:
            self.environment.start(message)
        self._entering.start(message, now)
        if not begun:
            self.entities.begin(message.runtime_id, message.entity_unique_id, self._dimension.table)
            self.steps.ask(self._asked_radius, now)

    def _on_dimension(self, message: bedrock.ChangeDimension) -> None:
        self._entering.change_dimension(message)
        self.entities.leave()

    def _on_biomes(self, message: bedrock.BiomeDefinitionList) -> None:
        fault = self.environment.name_biomes(message)
        if fault is not None:
            self._post.record(fault)

    def _on_radius(self, message: bedrock.ChunkRadiusUpdated, now: float) -> None:
        self.granted = min(self._asked_radius, max(message.radius, 1))
        self._dimension.requests.invalidate()

    def _on_publisher(self, message: bedrock.NetworkChunkPublisherUpdate, now: float) -> None:
        gone = self._dimension.terrain.publish(message, self._dimension.requests.anchors)
        self.entities.columns_gone(gone, now)
        self._dimension.requests.invalidate()

    def _on_column(self, message: bedrock.LevelChunk, now: float) -> None:
        if not self._entering.begun:
            return  # the dimension that it belongs to is not known
        self._dimension.terrain.column(message, now)
        self._dimension.requests.invalidate()

    def _on_event(self, message: bedrock.LevelEvent, now: float) -> None:
        self.environment.change_weather(message)
        self._dimension.terrain.cracks(message, now)

    def _on_answers(self, message: bedrock.SubChunk, now: float) -> None:
        self._dimension.terrain.answers(message, now)
        self._dimension.requests.invalidate()

    def _on_move(self, message: bedrock.MovePlayer, now: float) -> None:
        if self._motion.moved_by_server(message):
            self._dimension.requests.invalidate()

    def _on_latency(self, message: bedrock.NetworkStackLatency, now: float) -> None:
        if message.wants_reply:
            self._post.say(bedrock.NetworkStackLatency(message.time, wants_reply=False))
