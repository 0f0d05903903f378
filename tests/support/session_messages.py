"""Messages as a server would send them, for tests of the session."""

from typing import Any

from net.bedrock import Message, StartGame
from net.peer import Received


def start_game(**fields: Any) -> StartGame:
    """A StartGame with what matters set, the rest by default."""
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
    """The peer's event for a message."""
    return Received(message, at, 0, 0)
