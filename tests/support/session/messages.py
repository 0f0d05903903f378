"""Strategies for every message, taken from the packets' own field descriptions.

``messages_of(protocol)`` maps each message class of a protocol to a strategy of values that survive a round trip in
both profiles. They are derived from the kinds of the packets' fields: values of a kind without a strategy are decoded
from a few small bytes. So a new packet is tested without further code; where that tests too little, add a strategy.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from net import bedrock, nbt
from net.bedrock import Blob, ClientCacheMissResponse, Message, packets
from net.bedrock.packets.blob_cache import IDS
from net.bedrock.packets.blocks import CHANGES
from net.bedrock.packets.chat import (
    CATEGORISED,
    COMMAND_OUTPUT_KINDS,
    DATASET,
    KIND_NUMBER,
    NUMBERED,
    ORIGIN,
    PARAMETERS,
    UNLESS_EMPTY,
    WITH_PLAYER,
    WORDS,
    WORDS_SINCE,
)
from net.bedrock.packets.chat import KINDS as TEXT_KINDS
from net.bedrock.packets.chat import MESSAGES as COMMAND_LINES
from net.bedrock.packets.chunks import COLUMNS, LOADING_SCREEN
from net.bedrock.packets.entities import COORDINATE, LAST_NUMBER, OPTIONAL_COORDINATE, OPTIONAL_TURN
from net.bedrock.packets.entity_values import (
    ABILITIES,
    ATTRIBUTES,
    ENTITY_LINKS,
    FLOAT_PROPERTIES,
    INT_PROPERTIES,
    ITEM,
    LINK,
    METADATA,
    NO_ITEM,
    NOTHING_ELSE,
    TURN,
    ValueType,
)
from net.bedrock.packets.inventory import (
    FIXED_ITEMS_SINCE,
    FLAGGED,
    ITEM_USE,
    USE_ITEM,
    RequestedSlots,
    SlotChange,
    UseItem,
)
from net.bedrock.packets.level_events import FIRE_AT
from net.bedrock.packets.movement import ACTIONS, ACTS_ON_BLOCKS, ANGULAR_VELOCITY, PLAY_MODE_REALITY, USES_ITEM
from net.bedrock.packets.player_list import ENTRIES, SKIN
from net.bedrock.packets.registries import DEFINITIONS
from net.bedrock.packets.resource_packs import (
    BEHAVIOUR_PACKS,
    EXPERIMENTS,
    LINKS,
    MANY_TEXTURE_PACKS,
    STACKED_PACKS,
    TEXTURE_PACKS,
)
from net.bedrock.packets.start_game import (
    CUSTOM_BLOCKS,
    EXPERIMENTAL,
    GAME_RULES,
    GATHERING_OR_NONE,
    ITEMS,
    JOIN_INFO_OR_NONE,
)
from net.space import BlockPos, ColumnPos, SubChunkPos
from net.wire import fields as wire
from net.wire.cursor import Reader
from net.wire.fields import Dialect

Strategy = st.SearchStrategy[Any]


def whole(bits: int, *, signed: bool) -> Strategy:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.integers(low, high) | st.sampled_from([low, high, 0])


I32, I64, U8, U16, U32, U64 = (
    whole(32, signed=True),
    whole(64, signed=True),
    whole(8, signed=False),
    whole(16, signed=False),
    whole(32, signed=False),
    whole(64, signed=False),
)
F32 = st.floats(width=32, allow_nan=False)
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
BYTES = st.binary(max_size=40)
BLOCK = st.builds(BlockPos, I32, I32, I32)
CENTRE = st.builds(SubChunkPos, I32, I32, I32)
VECTOR = st.tuples(F32, F32, F32)
PLACE = st.tuples(*3 * [st.floats(-wire.FARTHEST_BLOCKS, wire.FARTHEST_BLOCKS, width=32)])
ANGLE = st.floats(width=32, allow_nan=False, allow_infinity=False)


def made(kind: Any, *parts: Strategy) -> Strategy:
    """Like ``st.builds`` without its lookup of field types, which fails for the recursive types of NBT."""
    return st.tuples(*parts).map(lambda values: kind(*values))


def few(element: Strategy) -> Strategy:
    return st.lists(element, max_size=4).map(tuple)


SCALAR_TAGS = (
    st.builds(nbt.Byte, st.integers(-128, 127))
    | st.builds(nbt.Short, whole(16, signed=True))
    | st.builds(nbt.Int, I32)
    | st.builds(nbt.Long, I64)
    | st.builds(nbt.Float, F32)
    | st.builds(nbt.Double, st.floats(allow_nan=False))
    | st.builds(nbt.ByteArray, BYTES)
    | st.builds(nbt.IntArray, st.lists(I32, max_size=5))
    | TEXT
)
"""Tags that contain no others."""


def same_type(elements: Strategy) -> Strategy:
    return st.lists(elements, max_size=4).map(lambda tags: [tag for tag in tags if type(tag) is type(tags[0])])


TAGS = st.recursive(
    SCALAR_TAGS, lambda inner: same_type(inner) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12
)
COMPOUNDS = st.dictionaries(TEXT, TAGS, max_size=5)

UUIDS = st.uuids().map(str)
COLUMN = st.builds(ColumnPos, I32, I32)
HEIGHT_RANGE = {"low": st.integers(-512, 0), "high": st.integers(0, 512)}


def since(protocol: int, first: int, strategy: Strategy, default: Any) -> Strategy:
    return strategy if protocol >= first else st.just(default)


def pack(protocol: int, *, texture: bool) -> Strategy:
    return st.builds(
        bedrock.PackInfo,
        uuid=TEXT if protocol < 766 else UUIDS,
        version=TEXT,
        size_bytes=U64,
        content_key=TEXT,
        sub_pack=TEXT,
        content_identity=TEXT,
        scripts=st.booleans(),
        rtx=st.booleans() if texture else st.just(False),
        addon=since(protocol, 712, st.booleans(), False),
        url=since(protocol, 748, TEXT, "") if texture else st.just(""),
    )


def gathering(protocol: int) -> Strategy:
    maybe = st.none() if protocol >= 2168 else st.nothing()
    known = protocol >= 944
    uuid = UUIDS if known else TEXT
    return st.builds(
        bedrock.Gathering,
        experience_id=uuid,
        experience_name=TEXT,
        world_id=uuid | maybe,
        world_name=TEXT | maybe,
        creator_id=TEXT,
        store_id=st.just("") if known else TEXT,
        target_id=UUIDS | maybe if known else st.just(wire.NO_UUID),
        scenario_id=TEXT | maybe if known else st.just(""),
        server_id=TEXT | maybe if known else st.just(""),
    )


def join_info(protocol: int) -> Strategy:
    maybe = st.none() if protocol >= 1001 else st.nothing()
    presence = st.builds(
        bedrock.Presence,
        experience_name=TEXT | maybe,
        world_name=TEXT | maybe,
        rich_id=since(protocol, 1001, st.none() | TEXT, None),
    )
    return st.builds(
        bedrock.JoinInfo,
        gathering=st.none() | gathering(protocol),
        store=since(protocol, 944, st.none() | st.builds(bedrock.StoreEntry, TEXT, TEXT), None),
        presence=since(protocol, 944, st.none() | presence, None),
    )


def definition(protocol: int) -> Strategy:
    return st.builds(
        bedrock.DimensionDefinition,
        identifier=TEXT,
        **HEIGHT_RANGE,
        generator=I32,
        kind=since(protocol, 975, I32, 0),
        pack_id=since(protocol, 2168, UUIDS, wire.NO_UUID),
        default_biome=since(protocol, 2193, TEXT, ""),
    )


def rule(protocol: int) -> Strategy:
    whole_number = U32 if protocol < 2168 else I32
    return st.builds(bedrock.GameRule, TEXT, st.booleans(), st.booleans() | whole_number | F32)


@st.composite
def origin(draw: st.DrawFn, protocol: int) -> bedrock.CommandOrigin:
    words = protocol >= WORDS_SINCE
    kind = draw(TEXT | st.sampled_from(WORDS) if words else st.sampled_from(WORDS))
    player = draw(I64) if words or kind in WITH_PLAYER else 0
    return bedrock.CommandOrigin(kind, draw(UUIDS), draw(TEXT), player)


FLAG_KEYS = (0, 92)
FLOAT_KEYS = (134, 135)
"""Keys whose type other programs assume."""
I16 = whole(16, signed=True)
VALUE_TYPES = (
    (ValueType.BYTE, st.integers(-128, 127)),
    (ValueType.SHORT, I16),
    (ValueType.INT, I32),
    (ValueType.FLOAT, F32),
    (ValueType.STRING, TEXT),
    (ValueType.COMPOUND, COMPOUNDS),
    (ValueType.BLOCK, BLOCK),
    (ValueType.LONG, I64),
    (ValueType.VECTOR, VECTOR),
)
FREE_KEYS = st.integers(1, 119).filter(lambda key: key not in FLAG_KEYS)
VALUE = st.one_of(
    *(made(bedrock.EntityValue, FREE_KEYS, st.just(number), values) for number, values in VALUE_TYPES),
    made(bedrock.EntityValue, st.sampled_from(FLAG_KEYS), st.just(ValueType.LONG), st.integers(0, (1 << 40) - 1)),
    made(bedrock.EntityValue, st.sampled_from(FLOAT_KEYS), st.just(ValueType.FLOAT), F32),
)
COORD = st.floats(-wire.FARTHEST_BLOCKS, wire.FARTHEST_BLOCKS, width=32)
BYTE_TURN = st.integers(0, 255).map(lambda steps: steps * 360 / 256)


@st.composite
def item(draw: st.DrawFn, protocol: int) -> bedrock.ItemStack:
    if protocol < 2168 and draw(st.booleans()):
        return NO_ITEM
    number = draw(I16 if protocol >= 2168 else I32.filter(bool))
    stack_id = draw(st.none() | I32)
    return bedrock.ItemStack(number, draw(U16), draw(U32), stack_id, draw(I32), draw(st.just(NOTHING_ELSE)))


WHOLE_ITEM = st.builds(bedrock.ItemStack, I16, U16, U32, st.none() | I32, I32, st.just(NOTHING_ELSE))


def link(protocol: int) -> Strategy:
    turning = since(protocol, 712, F32, 0.0)
    return st.builds(bedrock.EntityLink, I64, I64, U8, st.booleans(), st.booleans(), turning)


def layer(protocol: int) -> Strategy:
    kinds, upwards = st.integers(0, 3), since(protocol, 776, F32, 1.0)
    rights = st.integers(0, (1 << 17) - 1)  # bits that all releases have
    return st.builds(bedrock.AbilityLayer, kinds, rights, rights, F32, upwards, F32)


def skin(protocol: int) -> Strategy:
    new = protocol >= 2168
    image = st.builds(bedrock.SkinImage, I32, I32, BYTES)
    expression = U32 if new else F32
    animation = st.builds(bedrock.SkinAnimation, image, U32 if new else I32, F32, expression)
    colour = U32.map(lambda number: f"#{number:x}") if new else TEXT
    kind = st.integers(0, 28).map(str) if new else TEXT
    piece = st.builds(bedrock.SkinPiece, TEXT, kind, UUIDS if new else TEXT, st.booleans(), TEXT)
    colours = st.tuples(*4 * [colour]) if new else few(TEXT)
    return st.builds(
        bedrock.Skin,
        *(TEXT, TEXT, TEXT, image, few(animation), image, TEXT, TEXT, TEXT, TEXT, TEXT),
        st.sampled_from(("slim", "wide")) if new else TEXT,
        colour,
        few(piece),
        few(st.builds(bedrock.SkinTint, TEXT, colours)),
        *4 * [st.booleans()],
        since(protocol, 567, st.booleans(), True),
        since(protocol, 2168, TEXT, ""),
        since(protocol, 2168, TEXT, ""),
    )


def player_entries(protocol: int) -> Strategy:
    player = st.builds(
        bedrock.ListedPlayer,
        *(I64, TEXT, TEXT, TEXT, I32, skin(protocol), st.booleans(), st.booleans()),
        since(protocol, 649, st.booleans(), False),
        since(protocol, 800, I32, 0),
        st.just(True) if protocol >= 2168 else st.booleans(),
    )
    joined, left = st.builds(bedrock.PlayerListEntry, UUIDS, player), st.builds(bedrock.PlayerListEntry, UUIDS)
    return few(joined | left) if protocol >= 2168 else few(joined) | few(left)


CHANGE = st.builds(bedrock.BlockChange, BLOCK, U32, U32, U64, U32)

OF_KIND: dict[int, Strategy | Callable[[int], Strategy]] = {
    id(kind): strategy
    for kind, strategy in (
        (wire.U8, U8),
        (wire.I8, st.integers(-128, 127)),
        (wire.BOOL, st.booleans()),
        (wire.U16LE, U16),
        (wire.I16LE, whole(16, signed=True)),
        (wire.U32LE, U32),
        (wire.I32LE, I32),
        (wire.I32BE, I32),
        (wire.U64LE, U64),
        (wire.I64LE, I64),
        (wire.F32LE, F32),
        (wire.UV32, U32),
        (wire.UV64, U64),
        (wire.ZZ32, I32),
        (wire.ZZ64, I64),
        (wire.STRING, TEXT),
        (wire.BYTE_STRING, BYTES),
        (wire.REST, BYTES),
        (wire.UUID, UUIDS),
        (wire.VEC2, st.tuples(F32, F32)),
        (wire.VEC3, VECTOR),
        (wire.POSITION, PLACE),
        (wire.ANGLE, ANGLE),
        (wire.BLOCK_POS, BLOCK),
        (wire.SIGNED_BLOCK_POS, BLOCK),
        (nbt.ROOT, COMPOUNDS),
        (EXPERIMENTS, few(st.builds(bedrock.Experiment, TEXT, st.booleans()))),
        (STACKED_PACKS, few(st.builds(bedrock.StackedPack, TEXT, TEXT, TEXT))),
        (CHANGES, few(CHANGE)),
        (EXPERIMENTAL, st.none() | st.booleans()),
        (GAME_RULES, lambda protocol: few(rule(protocol))),
        (CUSTOM_BLOCKS, few(made(bedrock.CustomBlock, TEXT, COMPOUNDS))),
        (ITEMS, few(st.builds(bedrock.ItemType, TEXT, whole(16, signed=True), st.booleans()))),
        (BEHAVIOUR_PACKS, lambda protocol: few(pack(protocol, texture=False))),
        (TEXTURE_PACKS, lambda protocol: few(pack(protocol, texture=True))),
        (MANY_TEXTURE_PACKS, lambda protocol: few(pack(protocol, texture=True))),
        (LINKS, few(st.builds(bedrock.PackLink, TEXT, TEXT))),
        (COLUMNS, few(COLUMN)),
        (LOADING_SCREEN, st.none() | U32),
        (METADATA, few(VALUE)),
        (INT_PROPERTIES, few(st.builds(bedrock.EntityProperty, U32, I32))),
        (FLOAT_PROPERTIES, few(st.builds(bedrock.EntityProperty, U32, F32))),
        (ATTRIBUTES, few(st.builds(bedrock.EntityAttribute, TEXT, F32, F32, F32))),
        (ABILITIES, lambda protocol: few(layer(protocol))),
        (ITEM, item),
        (LINK, link),
        (ENTITY_LINKS, lambda protocol: few(link(protocol))),
        (TURN, BYTE_TURN),
        (OPTIONAL_TURN, st.none() | BYTE_TURN),
        (COORDINATE, COORD),
        (OPTIONAL_COORDINATE, st.none() | COORD),
        (LAST_NUMBER, st.integers(0, 15)),
        (SKIN, skin),
        (ENTRIES, player_entries),
        (FIRE_AT, st.none() | PLACE),
        (ANGULAR_VELOCITY, st.none() | F32),
        (DEFINITIONS, lambda protocol: few(definition(protocol))),
        (GATHERING_OR_NONE, lambda protocol: st.none() | gathering(protocol)),
        (JOIN_INFO_OR_NONE, lambda protocol: st.none() | join_info(protocol)),
        (IDS, few(U64)),
        (ORIGIN, origin),
        (KIND_NUMBER, st.sampled_from(COMMAND_OUTPUT_KINDS)),
        (DATASET, st.none() | TEXT),
        (COMMAND_LINES, few(st.builds(bedrock.CommandMessage, st.booleans(), TEXT, few(TEXT)))),
        (NUMBERED, st.sampled_from(TEXT_KINDS)),
        (CATEGORISED, st.sampled_from(TEXT_KINDS)),
        (PARAMETERS, few(TEXT)),
        (UNLESS_EMPTY, TEXT),
        (ClientCacheMissResponse.FIELDS[0].kind, few(st.builds(Blob, U64, BYTES))),
    )
}

OFFSET = st.integers(-128, 127)
HEIGHTS = st.binary(min_size=256, max_size=256).map(lambda raw: bytes(value % 17 for value in raw))
"""Values 0..16: below 0 the documented profile has one value and the bedrock profile two."""


@st.composite
def entries(draw: st.DrawFn, protocol: int, cached: bool) -> bedrock.SubChunkEntry:
    kinds = st.sampled_from(bedrock.HeightKind if protocol >= 818 else list(bedrock.HeightKind)[:4])
    result = draw(st.integers(0, 6) | U8)
    payload = draw(BYTES) if result == 1 else b""
    kind = draw(kinds)
    render_kind = draw(since(protocol, 818, kinds, bedrock.HeightKind.ALL_COPIED))
    return bedrock.SubChunkEntry(
        draw(OFFSET),
        draw(OFFSET),
        draw(OFFSET),
        result,
        payload,
        int(kind),
        draw(HEIGHTS) if kind == bedrock.HeightKind.DATA else None,
        draw(U64) if cached else None,
        int(render_kind),
        draw(HEIGHTS) if render_kind == bedrock.HeightKind.DATA else None,
    )


@st.composite
def subchunks(draw: st.DrawFn, protocol: int) -> bedrock.SubChunk:
    cached = draw(st.booleans())
    return bedrock.SubChunk(cached, draw(I32), draw(CENTRE), draw(few(entries(protocol, cached))))


@st.composite
def level_chunks(draw: st.DrawFn, protocol: int) -> bedrock.LevelChunk:
    inline = draw(st.none() | st.integers(0, 64))
    limit = draw(st.none() | U16) if inline is None else None
    dimension = draw(since(protocol, 649, I32, None))
    return bedrock.LevelChunk(draw(COLUMN), dimension, inline, limit, draw(st.none() | few(U64)), draw(BYTES))


@st.composite
def requests(draw: st.DrawFn, protocol: int) -> bedrock.SubChunkRequest:
    raw = draw(st.lists(st.tuples(OFFSET, OFFSET, OFFSET), max_size=5))
    return bedrock.SubChunkRequest(draw(I32), draw(CENTRE), np.array(raw, np.int8).reshape(len(raw), 3))


@st.composite
def moves(draw: st.DrawFn, protocol: int) -> bedrock.MovePlayer:
    mode = draw(st.integers(0, 3))
    cause = draw(st.tuples(I32, I32)) if mode == bedrock.MoveMode.TELEPORT else (0, 0)
    look = (draw(ANGLE), draw(ANGLE), draw(ANGLE))
    ids = (draw(U64), draw(U64), draw(U64))
    return bedrock.MovePlayer(ids[0], draw(PLACE), *look, mode, draw(st.booleans()), ids[1], *cause, tick=ids[2])


def stack(protocol: int) -> Strategy:
    """An item stack of a transaction: from 1001 on all fields are written even if it is empty."""
    return WHOLE_ITEM if protocol >= FIXED_ITEMS_SINCE else item(protocol)


@st.composite
def slot_changes(draw: st.DrawFn, protocol: int) -> SlotChange:
    source = draw(st.sampled_from((0, 1, 2, 3, *FLAGGED)))
    window, flags = draw(st.none() | st.integers(-128, 127)), draw(st.none() | U32)
    if protocol < FIXED_ITEMS_SINCE:  # the source determines which of them is written
        window, flags = draw(I32) if source == 0 else None, draw(U32) if source in FLAGGED else None
    return SlotChange(source, window, flags, draw(U32), draw(stack(protocol)), draw(stack(protocol)))


@st.composite
def transactions(draw: st.DrawFn, protocol: int) -> bedrock.InventoryTransaction:
    request, slots = draw(I32), draw(few(st.builds(RequestedSlots, U8, BYTES)))
    if protocol < FIXED_ITEMS_SINCE:
        slots = slots if request else None
    changes = draw(few(slot_changes(protocol)))
    if draw(st.booleans()):
        kind = draw(U32.filter(lambda number: number != USE_ITEM))
        return bedrock.InventoryTransaction(kind, None, request, slots, changes, draw(BYTES))
    use = UseItem(
        draw(st.integers(0, 3)),
        draw(BLOCK),
        draw(st.integers(0, 5)),
        draw(stack(protocol)),
        draw(VECTOR),
        draw(VECTOR),
        draw(U32),
        draw(I32),
        draw(since(protocol, 712, U8, 1)),
        draw(since(protocol, 712, U8, 1)),
        draw(since(protocol, 944, U8, 0)),
        draw(since(protocol, 2193, U8, 0)),
    )
    return bedrock.InventoryTransaction(USE_ITEM, use, request, slots, changes)


@st.composite
def inputs(draw: st.DrawFn, protocol: int) -> bedrock.PlayerAuthInput:
    use = draw(st.none() | strategy_of(ITEM_USE, Dialect(protocol)))
    acted = draw(few(st.builds(bedrock.BlockAction, st.sampled_from((0, 1, 18, 26, 27)), BLOCK, I32)))
    flags = draw(whole(64 if protocol < 766 else 128, signed=False)) & ~ACTIONS
    flags |= (USES_ITEM if use else 0) | (ACTS_ON_BLOCKS if acted else 0)
    play_mode = draw(st.integers(0, 4))
    two, three = st.tuples(F32, F32), VECTOR
    return bedrock.PlayerAuthInput(
        draw(ANGLE),
        draw(ANGLE),
        draw(PLACE),
        draw(two),
        draw(ANGLE),
        flags,
        draw(U32),
        play_mode,
        gaze=draw(three) if play_mode == PLAY_MODE_REALITY and protocol < 748 else (0.0, 0.0, 0.0),
        tick=draw(U64),
        delta=draw(three),
        interaction=draw(since(protocol, 527, I32, 1)),
        interact=draw(since(protocol, 748, two, (0.0, 0.0))),
        analogue_move=draw(since(protocol, 575, two, (0.0, 0.0))),
        camera=draw(since(protocol, 748, three, (0.0, 0.0, 0.0))),
        raw_move=draw(since(protocol, 766, two, (0.0, 0.0))),
        use=use,
        actions=acted,
    )


@st.composite
def pack_responses(draw: st.DrawFn, protocol: int) -> bedrock.ResourcePackClientResponse:
    status = draw(st.sampled_from(list(bedrock.PackStatus)[1:]))
    lists = protocol < 2168 or status == bedrock.PackStatus.SEND_PACKS
    return bedrock.ResourcePackClientResponse(int(status), draw(few(TEXT)) if lists else ())


HOOKED: dict[type, Callable[[int], Strategy]] = {
    bedrock.Login: lambda _protocol: st.builds(bedrock.Login, I32, TEXT, TEXT),
    bedrock.ClientCacheBlobStatus: lambda _protocol: st.builds(bedrock.ClientCacheBlobStatus, few(U64), few(U64)),
    bedrock.SubChunk: subchunks,
    bedrock.LevelChunk: level_chunks,
    bedrock.SubChunkRequest: requests,
    bedrock.MovePlayer: moves,
    bedrock.PlayerAuthInput: inputs,
    bedrock.InventoryTransaction: transactions,
    bedrock.ResourcePackClientResponse: pack_responses,
}


SMALL_BYTES = st.binary(min_size=2000, max_size=2000).map(lambda raw: bytes(byte & 1 for byte in raw))
"""Bytes that decode as numbers, booleans, counts and texts."""


def strategy_of(kind: wire.Kind[Any], dialect: Dialect) -> Strategy:
    """A strategy for one kind of field."""
    strategy = OF_KIND.get(id(kind))
    if strategy is None:
        read = kind.of(dialect).read
        return SMALL_BYTES.map(lambda raw: read(Reader(raw, "packet")))
    return strategy(dialect.protocol) if callable(strategy) else strategy


@st.composite
def from_fields(draw: st.DrawFn, packet: type[Message], dialect: Dialect) -> Message:
    values: dict[str, Any] = {}
    for field in packet.FIELDS:
        if field.spoken_in(dialect) and (field.when is None or field.when(values)):
            values[field.name] = draw(strategy_of(field.kind, dialect))
    return packet.from_values(values, dialect)


def messages_like(packet: type[Message], protocol: int) -> Strategy:
    """A strategy for one packet."""
    return HOOKED[packet](protocol) if packet in HOOKED else from_fields(packet, Dialect(protocol))


@cache
def messages_of(protocol: int) -> dict[type, Strategy]:
    """A strategy for each message class of the protocol."""
    return {packet: messages_like(packet, protocol) for packet in packets(protocol)}


MESSAGES = messages_of(486)
ANY_MESSAGE: Strategy = st.one_of(list(MESSAGES.values()))
