"""Events, sounds, fog, clock and keep-alive.

LevelEvent: an event at a position: particles, a sound, cracks in a block, weather. The layout is the same at every
protocol (minecraft-data, gophertunnel); the meaning of ``argument`` depends on the event.

LevelEventGeneric: an event that needs more than a number: explosions of many blocks, sculk, vibrations. Its content is
NBT without the enclosing compound; ``originX``, ``originY`` and ``originZ`` are a position. No known event contains a
runtime id. The sources disagree on the number's form: gophertunnel has a zigzag varint, like all other event numbers,
minecraft-data an unsigned one.

LevelSoundEvent: a sound at a position, often that of a block.
PlayerFog: the fogs that the server set for the player (the command ``fog``), by the identifiers of resource packs. The
last is the uppermost: ``fog push`` appends (PowerNukkitX, Geyser). The layout is the same at every protocol.

SetTime: the time of day. TickSync: optional exchange of tick counters. NetworkStackLatency: keep-alive above the
transport.
"""

from enum import IntEnum
from typing import Annotated, Final

from net.bedrock.packets.packet import Blocks, Message, Passing, Sender, packet
from net.wire.fields import BOOL, I64LE, POSITION, REST, STRING, U64LE, UV32, ZZ32, listed, optional, wire

__all__ = [
    "LevelEvent",
    "LevelEventGeneric",
    "LevelEventNumber",
    "LevelSoundEvent",
    "NetworkStackLatency",
    "PlayerFog",
    "SetTime",
    "SoundNumber",
    "TickSync",
    "WeatherEvent",
]


class LevelEventNumber(IntEnum):
    """Events about a block; there are some two hundred others."""

    DESTROY_BLOCK = 2001  # particles and sound of a block that breaks; argument: runtime id
    CROP_EATEN = 2011  # argument: runtime id
    CRACK_BLOCK = 2014  # particles where a block is hit; argument: runtime id | face << 24
    DESTROY_ARMOR_STAND = 2017  # argument: runtime id
    DESTROY_BLOCK_SILENTLY = 2021  # as DESTROY_BLOCK without the sound
    START_CRACKING = 3600  # argument: 65535 / ticks until the block breaks
    STOP_CRACKING = 3601
    UPDATE_CRACKING = 3602  # the speed changed; argument as of START_CRACKING
    CRACK_DOWN = 3603  # particles on one face; argument: runtime id; the same for the next five
    CRACK_UP = 3604
    CRACK_NORTH = 3605
    CRACK_SOUTH = 3606
    CRACK_WEST = 3607
    CRACK_EAST = 3608
    TERRAIN_PARTICLE = 16404  # 0x4000 | 20; argument: runtime id
    FALLING_DUST = 16416  # 0x4000 | 32; argument: runtime id


class WeatherEvent(IntEnum):
    """Events of the weather; their position has no meaning."""

    START_RAIN = 3001  # argument: strength, 65535 = full
    START_THUNDER = 3002  # the same
    STOP_RAIN = 3003
    STOP_THUNDER = 3004


CRACK_FACE_SHIFT: Final = 24
"""CRACK_BLOCK's argument holds the face above this bit, where ids are indices."""


@packet(25, Sender.SERVER)
class LevelEvent(Message, frozen=True):
    """One event."""

    event: Annotated[int, ZZ32]  # a LevelEventNumber, a WeatherEvent, or another number
    position: Annotated[tuple[float, float, float], POSITION]  # where, in blocks; mostly a block's corner or centre
    argument: Annotated[int, ZZ32] = 0  # see the event


@packet(124, Sender.SERVER)
class LevelEventGeneric(Message, frozen=True):
    """One event with NBT content."""

    event: Annotated[int, ZZ32]  # its number
    tags: Annotated[bytes, REST] = b""  # named NBT values of the network's flavour, one after the other


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


@packet(123, Sender.EITHER)
class LevelSoundEvent(Passing, frozen=True):
    """One sound: a session keeps the last ones only, and many may come in a second."""

    # a SoundNumber, or another number; a name from protocol 1001
    sound: Annotated[int | str, wire(UV32, until=NAMED_FIRST), wire(STRING, since=NAMED_FIRST)]
    position: Annotated[tuple[float, float, float], POSITION]  # where, in blocks
    argument: Annotated[int, ZZ32] = -1  # of block sounds the runtime id (-1 for none), of notes instrument and pitch
    actor: Annotated[str, STRING] = ""  # kind of the actor that makes it, empty for none
    baby: Annotated[bool, BOOL] = False  # whether the actor is young
    everywhere: Annotated[bool, BOOL] = False  # whether it is heard at any distance
    actor_id: Annotated[int, wire(I64LE, since=786)] = -1  # the actor, -1 for none
    fire_at: Annotated[tuple[float, float, float] | None, wire(FIRE_AT, since=975)] = None


@packet(160, Sender.SERVER, blocks=Blocks.NONE)
class PlayerFog(Message, frozen=True):
    """All fogs that are set; it replaces those of earlier packets."""

    # identifiers, ``minecraft:fog_hell`` for example, the uppermost last
    stack: Annotated[tuple[str, ...], listed(STRING, UV32)]


@packet(10, Sender.SERVER, blocks=Blocks.NONE)
class SetTime(Message, frozen=True):
    """The world's clock."""

    time: Annotated[int, ZZ32]  # in ticks; not limited to 24000


@packet(23, Sender.EITHER)
class TickSync(Message, frozen=True):
    """Sent by the client with its own time; the server returns it with the tick at which it arrived."""

    request_time: Annotated[int, I64LE]  # the client's
    response_time: Annotated[int, I64LE] = 0  # the server's


@packet(115, Sender.EITHER, blocks=Blocks.NONE)
class NetworkStackLatency(Message, frozen=True):
    """The receiver returns it with the same time and ``wants_reply`` false if ``wants_reply`` is true."""

    time: Annotated[int, U64LE]  # the sender's clock; opaque
    wants_reply: Annotated[bool, BOOL]  # whether to return it
