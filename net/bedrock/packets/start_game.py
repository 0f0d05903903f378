"""StartGame: the world, the player's start, and tables of the server's own (wire.md 2.8).

Rules:
1. ``FIELDS`` has every field that any release has had, in wire order. Few of them matter to a viewer, but all before
   those must be read exactly: a field's length is known only by reading it.
2. A fault after the world's time is not fatal: the message keeps the fields before it and has the fault in
   ``tail_fault``.
3. Attributes that a release does not send have their default; ``movement_mode`` is then the server's, as in the
   vendor's client from protocol 818 on.

Game rules: an integer rule is an unsigned varint (minecraft-data says zigzag before 844, two others unsigned; the
length is the same). From 2168 on it is four bytes.

Join information: the vendor's services' data about a server. A viewer reads it only to reach the fields after it.
"""

from typing import Final

import msgspec

from net.bedrock.packets.packet import Message, Sender, packet
from net.bedrock.packets.resource_packs import EXPERIMENTS, Experiment
from net.nbt import ROOT, Compound
from net.releases import HASHED_IDS
from net.space import BlockPos
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    ANGLE,
    BLOCK_POS,
    BOOL,
    F32LE,
    I16LE,
    I32LE,
    I64LE,
    POSITION,
    STRING,
    U8,
    U64LE,
    UUID,
    UV32,
    UV64,
    ZZ32,
    ZZ64,
    Dialect,
    Field,
    Kind,
    Record,
    by_dialect,
    listed,
    optional,
)

__all__ = ["CustomBlock", "GameRule", "Gathering", "ItemType", "JoinInfo", "Presence", "StartGame", "StoreEntry"]


class GameRule(msgspec.Struct, frozen=True):
    """One game rule."""

    name: str  # as commands spell it, in lower case
    editable: bool  # whether players may change it
    value: bool | int | float  # on or off, a number of at least 0, or a fraction


_RULE_BOOL: Final = 1
_RULE_INT: Final = 2
_RULE_FLOAT: Final = 3


def _rule(dialect: Dialect) -> Kind[GameRule]:
    whole = I32LE if dialect.protocol >= 2168 else UV32

    def read(reader: Reader) -> GameRule:
        name, editable, start, form = reader.string(), reader.boolean(), reader.offset, reader.uv32()
        if form == _RULE_BOOL:
            return GameRule(name, editable, reader.boolean())
        if form == _RULE_INT:
            return GameRule(name, editable, whole.read(reader))
        if form == _RULE_FLOAT:
            return GameRule(name, editable, reader.f32le())
        raise reader.fault(f"does not support a game rule of kind {form}", start)

    def write(writer: Writer, rule: GameRule) -> None:
        writer.string(rule.name)
        writer.boolean(rule.editable)
        if isinstance(rule.value, bool):
            writer.uv32(_RULE_BOOL)
            writer.boolean(rule.value)
        elif isinstance(rule.value, int):
            writer.uv32(_RULE_INT)
            whole.write(writer, rule.value)
        else:
            writer.uv32(_RULE_FLOAT)
            writer.f32le(rule.value)

    return Kind(read, write, 4)


GAME_RULES: Final = listed(by_dialect(_rule), UV32)


class CustomBlock(msgspec.Struct, frozen=True):
    """A block that the server defines. It takes part in the sorting of the palette (wire.md 6.1)."""

    name: str  # with its namespace
    nbt: Compound = {}  # its properties and components


class ItemType(msgspec.Struct, frozen=True):
    """An entry of the item table."""

    name: str  # with its namespace
    number: int  # runtime id
    component_based: bool = False  # whether the server defines it


CUSTOM_BLOCKS: Final = listed(Record(CustomBlock, (Field("name", STRING), Field("nbt", ROOT))).kind, UV32)
ITEMS: Final = listed(
    Record(ItemType, (Field("name", STRING), Field("number", I16LE), Field("component_based", BOOL))).kind, UV32
)

NOBODY: Final = "00000000-0000-0000-0000-000000000000"


class Gathering(msgspec.Struct, frozen=True):
    """An event that players are invited to; its optional texts may be missing from protocol 2168 on."""

    experience_id: str = NOBODY  # a text at protocol 924, a UUID from 944 on
    experience_name: str = ""  # of the event
    # a text at 924, a UUID from 944; like all fields with ``| None`` it may be missing from 2168 on
    world_id: str | None = NOBODY
    world_name: str | None = ""  # of its world
    creator_id: str = ""  # its creator
    store_id: str = ""  # at 924 only
    target_id: str | None = NOBODY  # a UUID; this and the following fields from 944 on
    scenario_id: str | None = ""  # of its scenario
    server_id: str | None = ""  # of its server


class StoreEntry(msgspec.Struct, frozen=True):
    """A page of the vendor's shop."""

    identifier: str  # of the page
    name: str  # of the page


class Presence(msgspec.Struct, frozen=True):
    """The presence text that friends see."""

    experience_name: str | None = ""  # of the event; like the others it may be missing from protocol 1001 on
    world_name: str | None = ""  # of its world
    rich_id: str | None = None  # of the text; from protocol 1001


class JoinInfo(msgspec.Struct, frozen=True):
    """The join information."""

    gathering: Gathering | None = None  # an event, or None
    store: StoreEntry | None = None  # from protocol 944
    presence: Presence | None = None  # from protocol 944


TEXT_OR_NONE = optional(STRING)
UUID_OR_NONE = optional(UUID)

GATHERING = Record(
    Gathering,
    (
        Field("experience_id", STRING, until=944),
        Field("experience_id", UUID, since=944),
        Field("experience_name", STRING),
        Field("world_id", STRING, until=944),
        Field("world_id", UUID, since=944, until=2168),
        Field("world_id", UUID_OR_NONE, since=2168),
        Field("world_name", STRING, until=2168),
        Field("world_name", TEXT_OR_NONE, since=2168),
        Field("creator_id", STRING),
        Field("store_id", STRING, until=944),
        Field("target_id", UUID, since=944, until=2168),
        Field("target_id", UUID_OR_NONE, since=2168),
        Field("scenario_id", STRING, since=944, until=2168),
        Field("scenario_id", TEXT_OR_NONE, since=2168),
        Field("server_id", STRING, since=944, until=2168),
        Field("server_id", TEXT_OR_NONE, since=2168),
    ),
).kind
STORE = Record(StoreEntry, (Field("identifier", STRING), Field("name", STRING))).kind
PRESENCE = Record(
    Presence,
    (
        Field("experience_name", STRING, until=1001),
        Field("experience_name", TEXT_OR_NONE, since=1001),
        Field("world_name", STRING, until=1001),
        Field("world_name", TEXT_OR_NONE, since=1001),
        Field("rich_id", TEXT_OR_NONE, since=1001),
    ),
).kind
JOIN_INFO = Record(
    JoinInfo,
    (
        Field("gathering", optional(GATHERING)),
        Field("store", optional(STORE), since=944),
        Field("presence", optional(PRESENCE), since=944),
    ),
).kind
GATHERING_OR_NONE = optional(GATHERING)
JOIN_INFO_OR_NONE = optional(JOIN_INFO)

EXPERIMENTAL: Final = optional(BOOL)

ORIGIN: Final = BlockPos(0, 0, 0)


@packet(11, Sender.SERVER, required="time")
class StartGame(Message, frozen=True, kw_only=True):
    """The start of the game."""

    entity_unique_id: int  # the player's, permanent
    runtime_id: int  # the player's, in this session; other packets use it
    game_mode: int = 1  # 0 survival, 1 creative, 2 adventure, 5 the world's, 6 spectator
    position: tuple[float, float, float]  # eyes
    pitch: float = 0.0  # degrees, positive = down
    yaw: float = 0.0  # degrees, 0 = +Z, 90 = -X
    seed: int = 0  # of the world's generator
    biome_kind: int = 0  # 0 = default biomes
    biome_name: str = "plains"  # for user-defined biomes
    dimension: int = 0  # 0 overworld, 1 nether, 2 end
    generator: int = 1  # 1 = infinite
    world_game_mode: int = 1  # of new players
    difficulty: int = 0  # 0 peaceful .. 3 hard
    spawn: BlockPos = ORIGIN  # of the world
    achievements_disabled: bool = True
    day_cycle_lock: int = 0
    education_offer: int = 0
    education: bool = False
    education_product: str = ""
    rain: float = 0.0  # 0..1
    lightning: float = 0.0  # 0..1
    platform_locked: bool = False
    multiplayer: bool = True
    lan_broadcast: bool = True
    xbox_broadcast: int = 4
    platform_broadcast: int = 4
    commands: bool = True
    packs_required: bool = False
    game_rules: tuple[GameRule, ...] = ()
    experiments: tuple[Experiment, ...] = ()
    experiments_used: bool = False
    bonus_chest: bool = False
    start_map: bool = False
    permission: int = 1
    tick_range: int = 4  # radius in columns around a player that is ticked
    locked_behaviours: bool = False
    locked_resources: bool = False
    locked_template: bool = False
    msa_tags_only: bool = False
    from_template: bool = False
    template_options_locked: bool = False
    v1_villagers_only: bool = False
    base_version: str = "*"  # game whose rules apply, ``*`` for the newest
    limited_width: int = 0
    limited_depth: int = 0
    new_nether: bool = True
    education_button: str = ""
    education_link: str = ""
    experimental: bool | None = None
    level_id: str = ""  # identifier, used for files
    world_name: str = ""  # displayed name
    template_id: str = ""
    trial: bool = False
    movement_mode: int = 2  # 0 by the client, 1 by the server, 2 by the server with rewind; before protocol 818
    rewind_size: int = 0
    server_breaks_blocks: bool = False
    time: int = 0  # of the world, in ticks
    enchantment_seed: int = 0
    custom_blocks: tuple[CustomBlock, ...] = ()  # blocks that the server defines
    items: tuple[ItemType, ...] = ()  # the item table; before protocol 776
    correlation_id: str = ""
    server_inventory: bool = True
    engine: str = ""
    block_checksum: int = 0  # of the palette, 0 = not checked
    editor: int = 0  # 0 no editor, 1 a project, 2 a test of one; from protocol 534, a bool before 618
    created_in_editor: bool = False  # from protocol 582, like the next field
    exported_from_editor: bool = False  # whether the editor exported it
    hardcore: bool = False  # whether death is permanent; from protocol 671
    persona_disabled: bool = False  # from protocol 544, like the next field
    custom_skins_disabled: bool = False  # whether all players look alike
    emote_chat_muted: bool = False  # from protocol 567
    chat_restriction: int = 0  # 0 none, 1 dropped, 2 disabled; from protocol 544, like the next field
    interactions_disabled: bool = False  # of players
    editor_connections: int = 0  # who may join an editor's world; from protocol 1001, like the next field
    anonymous_drops: bool = False  # of blocks in such worlds
    server_id: str = ""  # from protocol 685, as the next two
    world_id: str = ""  # of the vendor's
    scenario_id: str = ""  # of the vendor's
    owner_id: str = ""  # from protocol 818
    properties: Compound = msgspec.field(default_factory=dict)  # of entities; from protocol 527
    template_uuid: str = NOBODY  # from protocol 527
    client_generates: bool = False  # whether the client generates columns itself; from protocol 544
    ids_are_hashes: bool = False  # whether block ids are hashes of states, not indices (wire.md 6.2); from protocol 582
    ticks_death: bool = False  # protocols 827 to 897
    server_sounds: bool = False  # whether the server makes all sounds; from protocol 589
    chat_logged: bool = False  # protocols 1001 to 2167
    join_info: JoinInfo | None = None  # from protocol 924
    tail_fault: str | None = None  # the fault that ended decoding early, or None

    FIELDS = (
        Field("entity_unique_id", ZZ64),
        Field("runtime_id", UV64),
        Field("game_mode", ZZ32),
        Field("position", POSITION),
        Field("pitch", ANGLE),
        Field("yaw", ANGLE),
        Field("seed", ZZ32, until=503),
        Field("seed", U64LE, since=503),
        Field("biome_kind", I16LE),
        Field("biome_name", STRING),
        Field("dimension", ZZ32),
        Field("generator", ZZ32),
        Field("world_game_mode", ZZ32),
        Field("hardcore", BOOL, since=671),
        Field("difficulty", ZZ32),
        Field("spawn", BLOCK_POS),
        Field("achievements_disabled", BOOL),
        Field("editor", U8, since=534, until=618),
        Field("editor", ZZ32, since=618),
        Field("created_in_editor", BOOL, since=582),
        Field("exported_from_editor", BOOL, since=582),
        Field("day_cycle_lock", ZZ32),
        Field("education_offer", ZZ32, until=2168),
        Field("education_offer", UV32, since=2168),
        Field("education", BOOL),
        Field("education_product", STRING),
        Field("rain", F32LE),
        Field("lightning", F32LE),
        Field("platform_locked", BOOL),
        Field("multiplayer", BOOL),
        Field("lan_broadcast", BOOL),
        Field("xbox_broadcast", ZZ32),
        Field("platform_broadcast", ZZ32),
        Field("commands", BOOL),
        Field("packs_required", BOOL),
        Field("game_rules", GAME_RULES),
        Field("experiments", EXPERIMENTS),
        Field("experiments_used", BOOL),
        Field("bonus_chest", BOOL),
        Field("start_map", BOOL),
        Field("permission", ZZ32, until=534),
        Field("permission", U8, since=534),
        Field("tick_range", I32LE),
        Field("locked_behaviours", BOOL),
        Field("locked_resources", BOOL),
        Field("locked_template", BOOL),
        Field("msa_tags_only", BOOL),
        Field("from_template", BOOL),
        Field("template_options_locked", BOOL),
        Field("v1_villagers_only", BOOL),
        Field("persona_disabled", BOOL, since=544),
        Field("custom_skins_disabled", BOOL, since=544),
        Field("emote_chat_muted", BOOL, since=567),
        Field("base_version", STRING),
        Field("limited_width", I32LE),
        Field("limited_depth", I32LE),
        Field("new_nether", BOOL),
        Field("education_button", STRING),
        Field("education_link", STRING),
        Field("experimental", EXPERIMENTAL),
        Field("chat_restriction", U8, since=544),
        Field("interactions_disabled", BOOL, since=544),
        Field("editor_connections", ZZ32, since=1001),
        Field("anonymous_drops", BOOL, since=1001),
        Field("server_id", STRING, since=685, until=924),
        Field("world_id", STRING, since=685, until=924),
        Field("scenario_id", STRING, since=685, until=924),
        Field("owner_id", STRING, since=818, until=924),
        Field("level_id", STRING),
        Field("world_name", STRING),
        Field("template_id", STRING),
        Field("trial", BOOL),
        Field("movement_mode", ZZ32, until=818),
        Field("rewind_size", ZZ32),
        Field("server_breaks_blocks", BOOL),
        Field("time", I64LE),
        Field("enchantment_seed", ZZ32),
        Field("custom_blocks", CUSTOM_BLOCKS),
        Field("items", ITEMS, until=776),
        Field("correlation_id", STRING),
        Field("server_inventory", BOOL),
        Field("engine", STRING),
        Field("properties", ROOT, since=527),
        Field("block_checksum", U64LE),
        Field("template_uuid", UUID, since=527),
        Field("client_generates", BOOL, since=544),
        Field("ids_are_hashes", BOOL, since=HASHED_IDS),
        Field("ticks_death", BOOL, since=827, until=898),
        Field("server_sounds", BOOL, since=589),
        Field("chat_logged", BOOL, since=1001, until=2168),
        Field("join_info", JOIN_INFO_OR_NONE, since=924),
        Field("server_id", STRING, since=924),
        Field("scenario_id", STRING, since=924),
        Field("world_id", STRING, since=924),
        Field("owner_id", STRING, since=924),
    )
