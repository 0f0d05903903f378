"""Strategies for every message, taken from the packets' own field descriptions.

``MESSAGES`` maps a message class to a strategy of values that survive a round trip in both profiles. A packet with
hooks (``build`` and ``split``) has its strategy written out here; all others follow from the kinds of their fields,
so that a new packet is tested without a word.
"""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from net import bedrock, nbt
from net.bedrock.catalogue import PACKETS
from net.bedrock.client_cache_miss_response import PACKET as MISS_RESPONSE
from net.bedrock.client_cache_miss_response import Blob
from net.bedrock.experiment import EXPERIMENTS
from net.bedrock.resource_pack_client_response import PACKET as PACK_RESPONSE
from net.bedrock.resource_pack_stack import STACKED_PACKS
from net.bedrock.resource_packs_info import PACKET as PACKS_INFO
from net.bedrock.start_game import CUSTOM_BLOCKS, EXPERIMENTAL, GAME_RULES, ITEMS
from net.bedrock.update_subchunk_blocks import CHANGES
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from net.wire import fields as wire

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
"""Any tag that holds no other."""


def same_type(elements: Strategy) -> Strategy:
    return st.lists(elements, max_size=4).map(lambda tags: [tag for tag in tags if type(tag) is type(tags[0])])


TAGS = st.recursive(
    SCALAR_TAGS, lambda inner: same_type(inner) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12
)
COMPOUNDS = st.dictionaries(TEXT, TAGS, max_size=5)

PACK = {"uuid": TEXT, "version": TEXT, "size_bytes": U64, "content_key": TEXT, "sub_pack": TEXT}
PACK |= {"content_identity": TEXT, "scripts": st.booleans()}
BEHAVIOUR_PACK = st.builds(bedrock.PackInfo, **PACK)
TEXTURE_PACK = st.builds(bedrock.PackInfo, **PACK, rtx=st.booleans())
CHANGE = st.builds(bedrock.BlockChange, BLOCK, U32, U32, U64, U32)
RULE = st.builds(bedrock.GameRule, TEXT, st.booleans(), st.booleans() | U32 | F32)

OF_KIND: dict[int, Strategy] = {
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
        (GAME_RULES, few(RULE)),
        (CUSTOM_BLOCKS, few(st.builds(bedrock.CustomBlock, TEXT, COMPOUNDS))),
        (ITEMS, few(st.builds(bedrock.ItemType, TEXT, whole(16, signed=True), st.booleans()))),
        (PACKS_INFO.fields[3].kind, few(BEHAVIOUR_PACK)),
        (PACKS_INFO.fields[4].kind, few(TEXTURE_PACK)),
        (PACK_RESPONSE.fields[1].kind, few(TEXT)),
        (MISS_RESPONSE.fields[0].kind, few(st.builds(Blob, U64, BYTES))),
    )
}

OFFSET = st.integers(-128, 127)
HEIGHTS = st.binary(min_size=256, max_size=256).map(lambda raw: bytes(value % 17 for value in raw))
"""0..16: below 0 the documented profile has one value where the bedrock one has two."""


@st.composite
def entries(draw: st.DrawFn, cached: bool) -> bedrock.SubChunkEntry:
    result = draw(st.integers(0, 6) | U8)
    payload = draw(BYTES) if result == 1 else b""
    kind = draw(st.sampled_from(bedrock.HeightKind))
    heights = draw(HEIGHTS) if kind == bedrock.HeightKind.DATA else None
    blob_id = draw(U64) if cached else None
    return bedrock.SubChunkEntry(draw(OFFSET), draw(OFFSET), draw(OFFSET), result, payload, int(kind), heights, blob_id)


@st.composite
def subchunks(draw: st.DrawFn) -> bedrock.SubChunk:
    cached = draw(st.booleans())
    return bedrock.SubChunk(cached, draw(I32), draw(CENTRE), draw(few(entries(cached))))


@st.composite
def level_chunks(draw: st.DrawFn) -> bedrock.LevelChunk:
    inline = draw(st.none() | st.integers(0, 64))
    limit = draw(st.none() | U16) if inline is None else None
    column = draw(st.builds(ColumnPos, I32, I32))
    return bedrock.LevelChunk(column, 0, inline, limit, draw(st.none() | few(U64)), draw(BYTES))


@st.composite
def requests(draw: st.DrawFn) -> bedrock.SubChunkRequest:
    raw = draw(st.lists(st.tuples(OFFSET, OFFSET, OFFSET), max_size=5))
    return bedrock.SubChunkRequest(draw(I32), draw(CENTRE), np.array(raw, np.int8).reshape(len(raw), 3))


HOOKED: dict[type, Strategy] = {
    bedrock.Login: st.builds(bedrock.Login, I32, TEXT, TEXT),
    bedrock.ClientCacheBlobStatus: st.builds(bedrock.ClientCacheBlobStatus, few(U64), few(U64)),
    bedrock.SubChunk: subchunks(),
    bedrock.LevelChunk: level_chunks(),
    bedrock.SubChunkRequest: requests(),
}


@st.composite
def from_fields(draw: st.DrawFn, packet: Any) -> Any:
    values: dict[str, Any] = {}
    for field in packet.fields:
        if field.when is None or field.when(values):
            values[field.name] = draw(OF_KIND[id(field.kind)])
    return packet.message(**values)


MESSAGES: dict[type, Strategy] = {
    packet.message: HOOKED[packet.message] if packet.message in HOOKED else from_fields(packet) for packet in PACKETS
}
ANY_MESSAGE: Strategy = st.one_of(list(MESSAGES.values()))
