"""A session fed with messages by hand, in its own time."""

from typing import Any

import numpy as np

from client.session.config import SessionConfig
from client.session.session import Session
from client.world.lifecycle import SubChunkState
from net.bedrock import LevelChunk, Message, PlayStatus, SubChunkRequest
from net.space.positions import ColumnPos, SubChunkPos
from tests.support.session_messages import received, start_game
from tests.support.virtual_session import palette

HERE = ColumnPos(0, 0)
TAIL = b"\x01\x02" * 25 + b"\x00"  # 25 biome sections of one value, no border blocks


class Driven:
    """A session, its clock, and what it sent."""

    def __init__(self, **config: Any) -> None:
        self.now = 0.0
        self.session = Session(SessionConfig(**{"radius": 2, **config}), palette(486), 0.0)

    def hear(self, *messages: Message) -> list[Message]:
        for message in messages:
            self.session.handle(received(message, self.now), self.now)
        return self.tick()

    def tick(self, elapsed_s: float = 0.05) -> list[Message]:
        self.now += elapsed_s
        self.session.tick(self.now)
        return self.session.outbox.take()

    def join(self, **start: Any) -> list[Message]:
        return self.hear(start_game(**start), PlayStatus(3))

    def state(self, x: int, y: int, z: int) -> SubChunkState:
        store = self.session.dimension.store
        return SubChunkState(int(store.state[store.place_of(SubChunkPos(x, y, z))]))


def skeleton(column: ColumnPos = HERE, limit: int | None = 7) -> LevelChunk:
    return LevelChunk(column, None, None, limit, None, TAIL)  # no release says which dimension before 649


def asked(messages: list[Message]) -> set[tuple[int, ...]]:
    return {
        tuple(np.add(offset, request.centre).tolist())
        for request in messages
        if isinstance(request, SubChunkRequest)
        for offset in request.offsets
    }
