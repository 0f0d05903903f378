"""Readers of single values of a scene file: each gives the value or says what it must be (``WrongValue``)."""

import math
from collections.abc import Sequence
from typing import Any

from client.errors import UsageError
from client.options import Moment, Options, parse_moment
from net.config import Read, WrongValue
from net.space.dimensions import VANILLA
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from render.capture.channels import CHANNELS

FARTHEST_BLOCKS = 30_000_000
"""Beyond it no server has terrain."""


def number(low: float, high: float, what: str) -> Read:
    """A number within bounds, both inclusive."""

    def read(value: Any) -> float:
        if not _is_number(value) or not low <= value <= high:
            raise WrongValue(what)
        return float(value)

    return read


def whole(low: int, high: int) -> Read:
    """A whole number within bounds, both inclusive."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise WrongValue(f"a whole number from {low} to {high}")
        return value

    return read


def numbers(count: int, what: str) -> Read:
    """A list of so many numbers."""

    def read(value: Any) -> tuple[float, ...]:
        fits = isinstance(value, list) and len(value) == count
        if not fits or not all(_is_number(part) and abs(part) <= FARTHEST_BLOCKS for part in value):
            raise WrongValue(what)
        return tuple(float(part) for part in value)

    return read


def look(value: Any) -> tuple[float, ...]:
    """Yaw and pitch."""
    what = "[yaw, pitch] in degrees, the pitch from -90 to 90"
    read: tuple[float, ...] = numbers(2, what)(value)
    if not -90 <= read[1] <= 90:
        raise WrongValue(what)
    return read


def texts(what: str) -> Read:
    """A list of texts."""

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(part, str) and part for part in value):
            raise WrongValue(what)
        return tuple(value)

    return read


def size(value: Any) -> tuple[int, int]:
    """Width and height in pixels."""
    read = _whole_numbers(value, 2, "[width, height], each from 16 to 4096 pixels")
    if not all(16 <= side <= 4096 for side in read):
        raise WrongValue("[width, height], each from 16 to 4096 pixels")
    return read[0], read[1]


def block(value: Any) -> BlockPos:
    """A block's position."""
    return BlockPos(*_whole_numbers(value, 3, "[x, y, z] of a block, whole numbers"))


def subchunk(value: Any) -> SubChunkPos:
    """A sub-chunk's position."""
    return SubChunkPos(*_whole_numbers(value, 3, "[x, y, z] of a sub-chunk, blocks divided by 16"))


def column(value: Any) -> ColumnPos:
    """A column's position."""
    return ColumnPos(*_whole_numbers(value, 2, "[x, z] of a column, blocks divided by 16"))


def text(value: Any) -> str:
    """Some text."""
    if not isinstance(value, str) or not value.strip():
        raise WrongValue("a text")
    return value


def one_of(words: Sequence[str]) -> Read:
    """One of these words."""

    def read(value: Any) -> str:
        if value not in words:
            raise WrongValue(f"one of {', '.join(words)}")
        return str(value)

    return read


def several_of(words: Sequence[str]) -> Read:
    """A list of some of these words, in their own order."""

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(part in words for part in value):
            raise WrongValue(f"a list of some of {', '.join(words)}")
        return tuple(word for word in words if word in value)

    return read


def yes_or_no(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def channels(value: Any) -> tuple[str, ...]:
    """Channels of a shot, at least one."""
    read: tuple[str, ...] = several_of(CHANNELS)(value)
    if not read:
        raise WrongValue(f"a list of some of {', '.join(CHANNELS)}")
    return read


def dimension(value: Any) -> int:
    """A dimension's name or number."""
    by_name = {known.name: known.number for known in VANILLA.values()}
    if isinstance(value, str) and value in by_name:
        return by_name[value]
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongValue(f"one of {', '.join(by_name)}, or a number")
    return value


def protocol(value: Any) -> int:
    """A protocol number that is spoken here."""
    number = int(whole(1, 1 << 31)(value))
    try:
        Options(protocol=number)
    except UsageError as error:
        raise WrongValue(f"another one: {error}") from None
    return number


def moment(value: Any) -> Moment:
    """Seconds, or the text forms of ``--start``."""
    if _is_number(value) and value >= 0:
        return Moment(float(value))
    try:
        return parse_moment(value if isinstance(value, str) else "")
    except UsageError:
        raise WrongValue("seconds into the recording, or '1:05'") from None


def block_states(value: Any) -> dict[str, int | str | bool]:
    """A table of a block's states."""
    if not isinstance(value, dict) or not all(isinstance(part, int | str) for part in value.values()):
        raise WrongValue("a table of names and values, as { direction = 2 }")
    return dict(value)


def _whole_numbers(value: Any, count: int, what: str) -> tuple[int, ...]:
    fits = isinstance(value, list) and len(value) == count
    if not fits or not all(isinstance(part, int) and not isinstance(part, bool) for part in value):
        raise WrongValue(what)
    if not all(abs(part) <= FARTHEST_BLOCKS for part in value):
        raise WrongValue(what)
    return tuple(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
