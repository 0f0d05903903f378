"""LevelSoundEvent: a sound at a place, often that of a block."""

from enum import IntEnum
from typing import Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, I64LE, POSITION, STRING, UV32, ZZ32, Field, optional

FIRE_AT: Final = optional(POSITION)
NAMED_FIRST: Final = 1001


class SoundNumber(IntEnum):
    """Sounds whose argument is a runtime id (minecraft-data; the numbers are the same at every protocol)."""

    ITEM_USE_ON = 0
    HIT = 1
    STEP = 2
    JUMP = 4
    BREAK = 5
    PLACE = 6
    HEAVY_STEP = 7
    LAND = 35
    POWER_ON = 73
    POWER_OFF = 74
    PRESSURE_PLATE_OFF = 448
    PRESSURE_PLATE_ON = 449
    BUTTON_OFF = 450
    BUTTON_ON = 451
    DOOR_OPEN = 452
    DOOR_CLOSE = 453
    TRAPDOOR_OPEN = 454
    TRAPDOOR_CLOSE = 455
    FENCE_GATE_OPEN = 456
    FENCE_GATE_CLOSE = 457


@frozen
class LevelSoundEvent:
    """One sound.

    Attributes:
        sound: a SoundNumber, or another number; a name from protocol 1001.
        position: where, in blocks.
        argument: of block sounds the runtime id (-1 for none), of notes instrument and pitch.
        actor: identifier of the kind of actor that makes it, empty for none.
        baby: whether that is a young one.
        everywhere: whether distance does not matter.
        actor_id: which one, -1 for none; from protocol 786.
        fire_at: from protocol 975.
    """

    sound: int | str
    position: tuple[float, float, float]
    argument: int = -1
    actor: str = ""
    baby: bool = False
    everywhere: bool = False
    actor_id: int = -1
    fire_at: tuple[float, float, float] | None = None


PACKET = Packet(
    123,
    LevelSoundEvent,
    (
        Field("sound", UV32, until=NAMED_FIRST),
        Field("sound", STRING, since=NAMED_FIRST),
        Field("position", POSITION),
        Field("argument", ZZ32),
        Field("actor", STRING),
        Field("baby", BOOL),
        Field("everywhere", BOOL),
        Field("actor_id", I64LE, since=786),
        Field("fire_at", FIRE_AT, since=975),
    ),
)
