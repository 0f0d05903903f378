"""A session's configuration as a recording's header holds it, read back leniently: what is missing has its default."""

from dataclasses import fields
from typing import Any, TypeVar

from client.player import PlayerConfig
from client.session.config import SessionConfig
from client.streaming.limits import RequestLimits
from net.transport.recording import Header

MOST_RADIUS = 1024

Part = TypeVar("Part", PlayerConfig, RequestLimits)


def config_of(header: Header) -> tuple[SessionConfig, float]:
    """How the session was configured, and when it was made (its own monotonic seconds).

    Raises:
        ValueError: a value that no session can have.
    """
    said = header.session
    plain = SessionConfig()
    radius = int(_number(said, "radius", plain.radius))
    if not 1 <= radius <= MOST_RADIUS:
        raise ValueError(f"a radius of {radius} columns")
    config = SessionConfig(
        radius=radius,
        limits=_part(said.get("limits"), plain.limits),
        player=_part(said.get("player"), plain.player),
        tick_s=_number(said, "tick_s", plain.tick_s),
        quiet_s=_number(said, "quiet_s", plain.quiet_s),
        protocol=header.protocol,
    )
    return config, _number(said, "started_at", 0.0)


def _part(said: Any, plain: Part) -> Part:  # Any: JSON
    if not isinstance(said, dict):
        return plain
    values: dict[str, Any] = {}
    for field in fields(plain):
        default = getattr(plain, field.name)
        value = _number(said, field.name, default)
        values[field.name] = int(value) if isinstance(default, int) else value
    return type(plain)(**values)


def _number(said: Any, name: str, default: float) -> float:
    value = said.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        raise ValueError(f"{name} is {value!r}")
    return value
