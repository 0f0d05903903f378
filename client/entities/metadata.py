"""Names of the keys and flags of entity metadata, and how metadata is stored.

Rules:
1. It is stored as bytes, not objects: a server sends some forty values an entity. They are decoded when some change,
   and when they are read.
2. An unknown key has its number as its name.
3. Flags are two numbers of 64 bits, counted through. Protocol 560 inserted ``can_dash`` at bit 46, so later ones are
   one higher from there on.

Sources: npm minecraft-data 3.117.0, gophertunnel.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from net.bedrock import EntityValue
from net.bedrock.packets.entity_values import METADATA
from net.wire.cursor import Reader, Writer
from net.wire.fields import Dialect

FLAGS, VARIANT, NAME, MINECART_BLOCK, HAS_BLOCK, SCALE = 0, 2, 4, 16, 18, 38
WIDTH, HEIGHT, SEAT, NAME_ALWAYS, MORE_FLAGS = 53, 54, 56, 81, 92
NAME_ALWAYS_FLAG: Final = 1 << 15
INVISIBLE_FLAG: Final = 1 << 5


def _numbered(text: str) -> dict[int, str]:
    """Names by number, from a table of both."""
    words = text.split()
    return {int(number): name for number, name in zip(words[::2], words[1::2], strict=True)}


KEYS: Final[Mapping[int, str]] = _numbered("""
    0 flags 1 health 2 variant 3 colour 4 name 5 owner 6 target 7 air 11 hurt_time 12 hurt_direction 15 experience
    16 minecart_block 17 minecart_block_offset 18 minecart_has_block 19 horse_type 20 creeper_swell 23 carried_block
    24 age 26 player_flags 28 bed_position 36 potion 37 leash_holder 38 scale 39 interact_text 40 npc_skin 42 most_air
    43 mark_variant 44 container_type 45 container_size 47 block_target 53 width 54 height 55 fuse_ticks 56 seat
    57 rider_rotation_locked 61 cloud_radius 64 shulker_peek 65 shulker_face 67 shulker_block 70 has_command_block
    71 command 75 strength 76 most_strength 78 limited_life 79 armour_stand_pose 81 name_always 82 second_colour
    84 score 86 pufferfish_size 92 more_flags 101 trade_tier 104 skin 112 name_text 118 hit_boxes 119 buoyant
    130 collision_box 143 name_distance
""")
"""Keys that mean something to a reader; the others are shown by number."""

FLAG_NAMES: Final[Mapping[int, str]] = _numbered("""
    0 on_fire 1 sneaking 2 riding 3 sprinting 4 using_item 5 invisible 8 saddled 9 powered 10 ignited 11 baby
    14 name_shown 15 name_always 16 immobile 17 silent 20 climbing 24 sitting 25 angry 27 charged 28 tamed 29 orphaned
    30 leashed 31 sheared 32 gliding 33 elder 35 breathing 36 chested
""")
CAN_DASH: Final = 46
DASH_SINCE: Final = 560
LATER_FLAGS: Final[Mapping[int, str]] = _numbered(
    "47 has_collision 48 has_gravity 49 fire_immune 56 swimming 75 sleeping"
)
"""Numbers before protocol 560."""

_FORM: Final = METADATA.of(Dialect(486))
Values = dict[int, EntityValue]


def packed(values: Values) -> bytes:
    writer = Writer("metadata")
    _FORM.write(writer, tuple(values.values()))
    return writer.take()


def unpacked(kept: bytes) -> Values:
    return {value.key: value for value in _FORM.read(Reader(kept, "metadata"))} if kept else {}


def number(values: Values, key: int, default: float) -> float:
    """A number; ``default`` if the server sent none, or one that is not finite."""
    found = values.get(key)
    if found is None or not isinstance(found.value, int | float) or not isfinite(found.value):
        return default
    return found.value


def text(values: Values, key: int) -> str:
    found = values.get(key)
    return found.value if found is not None and isinstance(found.value, str) else ""


def named(values: Values, protocol: int) -> dict[str, Any]:
    """Values by name, in types of JSON: flags as the names of those that are set."""
    found = {KEYS.get(key, str(key)): _plain(value.value) for key, value in sorted(values.items())}
    low, high = (int(number(values, key, 0)) & (1 << 64) - 1 for key in (FLAGS, MORE_FLAGS))
    if "flags" in found or "more_flags" in found:
        found["flags"] = flags_of(low | high << 64, protocol)
        found.pop("more_flags", None)
    return found


def flags_of(bits: int, protocol: int) -> list[str]:
    """Names of set flags; numbers of those without a name here."""
    names = dict(FLAG_NAMES)
    shift = protocol >= DASH_SINCE
    names |= {bit + shift: name for bit, name in LATER_FLAGS.items()}
    if shift:
        names[CAN_DASH] = "can_dash"
    return [names.get(bit, str(bit)) for bit in range(bits.bit_length()) if bits >> bit & 1]


def _plain(value: Any) -> Any:
    """Any: a value of metadata."""
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0.0 else str(value)
    if isinstance(value, dict):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    return [_plain(member) for member in value]
