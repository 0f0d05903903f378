"""PlayerAuthInput: what the player does, each tick, where the server rules movement (wire.md 2.6).

Rules:
1. Flags are bits of one number here; from protocol 2168 the wire lists the numbers of those that are set.
2. Item transactions, item stack requests, block actions and vehicles are neither written nor read: a viewer does none.
   What stands behind them is read only where there are none.
"""

from typing import Any, Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import (
    ANGLE,
    POSITION,
    UV32,
    UV64,
    UV128,
    VEC2,
    VEC3,
    ZZ32,
    Field,
    Kind,
    Values,
    listed,
)
from net.wire.profile import Dialect
from net.wire.reader import Reader
from net.wire.writer import Writer

PLAY_MODE_REALITY: Final = 4
FLAGS: Final = 128
"""No release knows more."""
DEEDS: Final = 1 << 34 | 1 << 35 | 1 << 36 | 1 << 45
"""Flags of parts that stand between ``delta`` and the fields behind it."""
DEED_PARTS: Final = 5


@frozen
class PlayerAuthInput:
    """One tick of one player.

    Attributes:
        pitch: degrees, positive = down.
        yaw: degrees, 0 = +Z, 90 = -X.
        position: eyes.
        move: (sideways, forward), each -1..1.
        head_yaw: degrees.
        flags: bits: 6 jumping, 8 sneaking, 10 up, 11 down, 12 left, 13 right, 16 want up, 17 want down, 37 a teleport
            was taken (567), 42 and 43 flying starts and stops (618).
        input_mode: 1 = mouse.
        play_mode: 0 = normal; 4 adds ``gaze``.
        gaze: direction, play mode 4 and before protocol 748 only.
        tick: counts up from the first of the session.
        delta: movement since the tick before, in blocks.
        interaction: 0 touch, 1 crosshair, 2 classic; from protocol 527.
        interact: (pitch, yaw) of what is pointed at, degrees; from protocol 748.
        analogue_move: as ``move``, before it is rounded; from protocol 575.
        camera: direction of sight; from protocol 748.
        raw_move: as ``move``, before anything is done to it; from protocol 766.
    """

    pitch: float
    yaw: float
    position: tuple[float, float, float]
    move: tuple[float, float]
    head_yaw: float
    flags: int = 0
    input_mode: int = 1
    play_mode: int = 0
    gaze: tuple[float, float, float] = (0.0, 0.0, 0.0)
    tick: int = 0
    delta: tuple[float, float, float] = (0.0, 0.0, 0.0)
    interaction: int = 1
    interact: tuple[float, float] = (0.0, 0.0)
    analogue_move: tuple[float, float] = (0.0, 0.0)
    camera: tuple[float, float, float] = (0.0, 0.0, 0.0)
    raw_move: tuple[float, float] = (0.0, 0.0)


def _read_numbers(reader: Reader) -> int:
    flags = 0
    for number in NUMBERS.read(reader):
        if 0 <= number < FLAGS:  # others are of a release nobody knows
            flags |= 1 << number
    return flags


def _write_numbers(writer: Writer, flags: int) -> None:
    NUMBERS.write(writer, tuple(number for number in range(FLAGS) if flags >> number & 1))


def _read_optional_numbers(reader: Reader) -> int:
    return _read_numbers(reader) if reader.boolean() else 0


def _write_optional_numbers(writer: Writer, flags: int) -> None:
    writer.boolean(True)
    _write_numbers(writer, flags)


def _no_deeds(marked: bool) -> Kind[bool]:
    """Whether none of the five parts is there; each is ``opt``, with another bool before it where ``marked``."""

    def read(reader: Reader) -> bool:
        for _ in range(DEED_PARTS):
            if marked and not reader.boolean():
                continue
            if reader.boolean():
                return False
        return True

    def write(writer: Writer, _absent: bool) -> None:
        writer.raw((b"\x01\x00" if marked else b"\x00") * DEED_PARTS)

    return Kind(read, write, DEED_PARTS)


def _readable(values: Values) -> bool:
    return bool(values.get("no_deeds", not values["flags"] & DEEDS))


def _build(values: Values, _dialect: Dialect) -> PlayerAuthInput:
    return PlayerAuthInput(**{name: value for name, value in values.items() if name != "no_deeds"})


def _split(message: PlayerAuthInput, dialect: Dialect) -> dict[str, Any]:
    values = {field.name: getattr(message, field.name) for field in PACKET.fields if field.name != "no_deeds"}
    return values | ({"no_deeds": True} if dialect.protocol >= 2168 else {})


NUMBERS = listed(ZZ32, UV32)

PACKET = Packet(
    144,
    PlayerAuthInput,
    (
        Field("pitch", ANGLE),
        Field("yaw", ANGLE),
        Field("position", POSITION),
        Field("move", VEC2),
        Field("head_yaw", ANGLE),
        Field("flags", UV64, until=766),
        Field("flags", UV128, since=766, until=2168),
        Field("flags", Kind(_read_optional_numbers, _write_optional_numbers), since=2168, until=2193),
        Field("flags", Kind(_read_numbers, _write_numbers), since=2193),
        Field("input_mode", UV32),
        Field("play_mode", UV32),
        Field("interaction", ZZ32, since=527),
        Field("gaze", VEC3, until=748, when=lambda v: v["play_mode"] == PLAY_MODE_REALITY),
        Field("interact", VEC2, since=748),
        Field("tick", UV64),
        Field("delta", VEC3),
        Field("no_deeds", _no_deeds(marked=True), since=2168, until=2193),
        Field("no_deeds", _no_deeds(marked=False), since=2193),
        Field("analogue_move", VEC2, since=575, when=_readable),
        Field("camera", VEC3, since=748, when=_readable),
        Field("raw_move", VEC2, since=766, when=_readable),
    ),
    _build,
    _split,
)
