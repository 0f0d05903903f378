"""A session that receives messages from a test, in virtual time, and its state as plain values for comparisons."""

from typing import Any

import numpy as np

from client.session.config import SessionConfig
from client.session.session import Session
from client.session.stats import states_of
from client.world.lifecycle import SubChunkState
from net.bedrock import LevelChunk, Message, PlayStatus, StartGame, SubChunkRequest
from net.peer import Received
from net.space import ColumnPos, SubChunkPos
from tests.support.session.virtual import palette

# ---------------------------------------------------------------- session messages


def start_game(**fields: Any) -> StartGame:
    """A StartGame with the fields that sessions use, changed by ``fields``."""
    return StartGame(
        **{
            "entity_unique_id": 1,
            "runtime_id": 1,
            "position": (8.0, 70.0, 8.0),
            "movement_mode": 2,
            "world_name": "test",
            **fields,
        }
    )


def received(message: Message, at: float = 0.0) -> Received:
    """The peer's event for a received message."""
    return Received(message, at, 0, 0)


# ---------------------------------------------------------------- driven session

HERE = ColumnPos(0, 0)
TAIL = b"\x01\x02" * 25 + b"\x00"  # 25 biome sections of one value, no border blocks


class Driven:
    """A session with its clock; each method returns the messages that the session sends."""

    def __init__(self, **config: Any) -> None:
        self.now = 0.0
        self.session = Session(SessionConfig(**{"radius": 2, **config}), palette(486), 0.0)

    def receive(self, *messages: Message) -> list[Message]:
        for message in messages:
            self.session.handle(received(message, self.now), self.now)
        return self.tick()

    def tick(self, elapsed_s: float = 0.05) -> list[Message]:
        self.now += elapsed_s
        self.session.tick(self.now)
        return self.session.outbox.take()

    def join(self, **start: Any) -> list[Message]:
        return self.receive(start_game(**start), PlayStatus(3))

    def state(self, x: int, y: int, z: int) -> SubChunkState:
        store = self.session.dimension.store
        return SubChunkState(int(store.state[store.place_of(SubChunkPos(x, y, z))]))


def skeleton(column: ColumnPos = HERE, limit: int | None = 7) -> LevelChunk:
    return LevelChunk(column, None, None, limit, None, TAIL)  # before 649 the packet has no dimension


def asked(messages: list[Message]) -> set[tuple[int, ...]]:
    return {
        tuple(np.add(offset, request.centre).tolist())
        for request in messages
        if isinstance(request, SubChunkRequest)
        for offset in request.offsets
    }


# ---------------------------------------------------------------- session facts


def shown(session: Session) -> dict[str, Any]:
    """The visible state of a session as plain values, without revisions, which depend on how it was reached."""
    store = session.dimension.store
    rows = sorted(store.row_of.items())
    places = np.array([row for _, row in rows], np.int32)[:, None] * store.dimension.sections
    places = (places + np.arange(store.dimension.sections)).ravel()
    return {
        "columns": [column for column, _ in rows],
        "states": states_of(session.dimension.store),
        "blocks": store.pools.blocks[store.slot[places]].tobytes(),
        "masks": store.pools.opaque[store.slot[places]].tobytes(),
        "state": store.state[places].tolist(),
        "ledger": session.ledger.stats(),
        "player": session.movement.eye,
    }
