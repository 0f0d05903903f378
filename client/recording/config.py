"""A session's configuration as a recording's header holds it, read back leniently: what is missing has its default."""

from typing import Any, TypeVar

from client.player import PlayerConfig
from client.session.config import SessionConfig
from client.streaming.limits import RequestLimits
from net.recording import Header

MOST_RADIUS = 126
"""The player's anchor then has as many columns as one may have (``client.streaming.anchors``)."""
MOST = 1e9
"""Of any other number, seconds and blocks a second among them."""
MOST_WHOLE = 1 << 20
"""Of one that counts: packets, places, columns."""
POSITIVE = frozenset(
    {"tick_s", "level_speed_blocks_s", "climb_speed_blocks_s", "packet_interval_s", "entries_per_packet"}
)
"""What is divided by."""

Part = TypeVar("Part", PlayerConfig, RequestLimits)
Number = TypeVar("Number", int, float)


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
    for name in plain.__struct_fields__:
        default = getattr(plain, name)
        value = _number(said, name, default)
        values[name] = _possible(name, int(value), MOST_WHOLE) if isinstance(default, int) else value
    return type(plain)(**values)


def _number(said: Any, name: str, default: float) -> float:
    value = said.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is {value!r}")
    return _possible(name, value, MOST)


def _possible(name: str, value: Number, most: float) -> Number:
    """The value, if a session can have it; so written that NaN cannot be."""
    least = -most if name == "started_at" else 0
    if not least <= value <= most or (name in POSITIVE and value == 0):
        raise ValueError(f"{name} is {value!r}")
    return value
