"""LevelEvent: something happened at a place: particles, a sound, cracks in a block, weather.

The layout is the same at every protocol (minecraft-data, gophertunnel); what ``argument`` means depends on the event.
"""

from enum import IntEnum
from typing import Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import POSITION, ZZ32, Field


class LevelEventNumber(IntEnum):
    """Events that speak of a block; there are some two hundred others."""

    DESTROY_BLOCK = 2001  # particles and sound of a block that breaks; argument: runtime id
    CROP_EATEN = 2011  # argument: runtime id
    CRACK_BLOCK = 2014  # particles where somebody hits a block; argument: runtime id | face << 24
    DESTROY_ARMOR_STAND = 2017  # argument: runtime id
    DESTROY_BLOCK_SILENTLY = 2021  # as DESTROY_BLOCK without the sound
    START_CRACKING = 3600  # argument: 65535 / ticks until the block breaks
    STOP_CRACKING = 3601
    UPDATE_CRACKING = 3602  # the speed changed; argument as of START_CRACKING
    CRACK_DOWN = 3603  # particles on one face; argument: runtime id; likewise the next five
    CRACK_UP = 3604
    CRACK_NORTH = 3605
    CRACK_SOUTH = 3606
    CRACK_WEST = 3607
    CRACK_EAST = 3608
    TERRAIN_PARTICLE = 16404  # 0x4000 | 20; argument: runtime id
    FALLING_DUST = 16416  # 0x4000 | 32; argument: runtime id


class WeatherEvent(IntEnum):
    """Events of the sky: their position says nothing."""

    START_RAIN = 3001  # argument: how much, 65535 for all of it
    START_THUNDER = 3002  # the same
    STOP_RAIN = 3003
    STOP_THUNDER = 3004


CRACK_FACE_SHIFT: Final = 24
"""Above it CRACK_BLOCK's argument holds the face, where ids are indices."""


@frozen
class LevelEvent:
    """One event.

    Attributes:
        event: a LevelEventNumber, a WeatherEvent, or another number.
        position: where, in blocks; mostly a block's corner or centre.
        argument: see the event.
    """

    event: int
    position: tuple[float, float, float]
    argument: int = 0


PACKET = Packet(
    25,
    LevelEvent,
    (
        Field("event", ZZ32),
        Field("position", POSITION),
        Field("argument", ZZ32),
    ),
)
