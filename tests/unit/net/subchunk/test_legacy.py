"""Terrain, extra blocks and biomes of the first world folders, beside what plain loops find in the same bytes.

Even biomes: Biomes of whole columns whose headers lack the lowest bit, as two servers write them (rule 4 of
``biomes``).

Block entities: Block entities of a column as a world folder keeps them: what is found, and what is told of the rest.
"""

import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from net.errors import DecodeError
from net.nbt import DISK, NETWORK, Byte, Compound, Int, Short, encode_root
from net.space import BlockPos, ColumnPos
from net.subchunk.biomes import ColumnBiomes, read_biomes, write_tail
from net.subchunk.block_entities import position_of, read_saved_entities
from net.subchunk.decode import scan, unpack
from net.subchunk.legacy import BIOMES_AT, read_coloured_biomes, read_extra_blocks, read_whole_terrain
from net.subchunk.storage import SubChunkFault
from tests.support.reference.wire import read_roots

# ---------------------------------------------------------------- legacy

RNG = np.random.default_rng(11)


def test_whole_terrain_lies_by_x_z_and_128_heights() -> None:
    numbers, pairs = RNG.bytes(32768), RNG.bytes(16384)
    found = read_whole_terrain(numbers + pairs, "column")
    assert found.shape == (8, 4096)
    for x, y, z in RNG.integers(0, (16, 128, 16), (500, 3)).tolist():
        at = x << 11 | z << 7 | y
        small = pairs[at >> 1] >> (at & 1) * 4 & 15
        assert found[y >> 4, x << 8 | z << 4 | y & 15] == numbers[at] << 4 | small


@pytest.mark.parametrize("size", [0, 1, 49151])
def test_terrain_that_is_cut_is_an_error(size: int) -> None:
    with pytest.raises(DecodeError, match=rf"^column\.terrain at byte 0: needs 49152 bytes, but {size} are left"):
        read_whole_terrain(bytes(size), "column")


PLACES = st.dictionaries(
    st.tuples(st.integers(0, 15), st.integers(0, 127), st.integers(0, 15)),
    st.tuples(st.integers(1, 255), st.integers(0, 15)),
    max_size=30,
)


@given(PLACES, st.booleans())
def test_extra_blocks_are_where_they_say(wanted: dict[tuple[int, int, int], tuple[int, int]], low: bool) -> None:
    data = struct.pack("<I", len(wanted))
    for (x, y, z), (number, small) in wanted.items():
        data += struct.pack("<IH", x << 11 | z << 7 | y if low else x << 12 | z << 8 | y, number | small << 8)
    found = read_extra_blocks(data, "column", low=low)
    told = {
        (cell >> 8, section << 4 | cell & 15, cell >> 4 & 15): (int(values[cell]) >> 4, int(values[cell]) & 15)
        for section, values in found.items()
        for cell in np.flatnonzero(values).tolist()
    }
    assert told == wanted


@given(st.binary(max_size=40), st.booleans())
def test_extra_blocks_that_are_cut_are_an_error_and_nothing_else(data: bytes, low: bool) -> None:
    announced = int.from_bytes(data[:4], "little")
    if len(data) < 4 or announced * 6 > len(data) - 4:
        with pytest.raises(DecodeError, match="are announced, but only"):
            read_extra_blocks(data, "column", low=low)
    else:
        read_extra_blocks(data, "column", low=low)


def test_biomes_with_colours_lie_by_z_and_are_told_by_x() -> None:
    rows = RNG.integers(0, 256, (16, 16, 4), np.uint8)
    found = read_coloured_biomes(rows.tobytes())
    assert found is not None
    assert [found[x << 4 | z] for x, z in ((3, 9), (15, 0))] == [rows[9, 3, 0], rows[0, 15, 0]]
    behind = read_coloured_biomes((bytes(32768 + 16384 + 32768 + 256) + rows.tobytes())[BIOMES_AT:])
    np.testing.assert_array_equal(behind, found)
    assert read_coloured_biomes(rows.tobytes()[1:]) is None


# ---------------------------------------------------------------- even biomes

ENTITY = b"\x0a\x00\x00"
SURFACE = np.random.default_rng(1).integers(0, 5, 256).astype(np.uint16)


def uniform(biomes: ColumnBiomes) -> list[int]:
    assert all(len(np.unique(biomes.section(section))) == 1 for section in range(len(biomes)))
    return [int(biomes.section(section)[0]) for section in range(len(biomes))]


@pytest.mark.parametrize("behind", [b"", ENTITY])
def test_varints_for_each_section(behind: bytes) -> None:
    tail = b"\x00\x02" * 23 + b"\x00\x04" + b"\x00"
    biomes = read_biomes(tail + behind, 24, inline_count=5)
    assert uniform(biomes) == [1] * 23 + [2]
    assert biomes.end == len(tail)


@pytest.mark.parametrize("count", [1, 5, 10, 24])
@pytest.mark.parametrize("behind", [b"", ENTITY])
def test_whole_numbers_for_each_sub_chunk(count: int, behind: bytes) -> None:
    tail = b"".join(b"\x00" + biome.to_bytes(4, "little") for biome in range(count)) + b"\x00"
    biomes = read_biomes(tail + behind, 24, inline_count=count)
    assert uniform(biomes) == list(range(count))
    assert biomes.end == len(tail)
    assert (biomes.section(count) == 65535).all()


@pytest.mark.parametrize("first", [b"\x00\x07\x00\x00\x00", b"\x00\x0e"])
def test_storages_of_several_biomes_are_those_of_odd_headers(first: bytes) -> None:
    honest = write_tail(SURFACE, 1)[:-1]
    biomes = read_biomes(first + bytes([honest[0] & 0xFE]) + honest[1:] + b"\x00", 24, inline_count=2)
    assert (len(biomes), int(biomes.section(0)[0])) == (2, 7)
    np.testing.assert_array_equal(biomes.section(1), np.repeat(SURFACE, 16))


def test_border_bytes_are_border_bytes_where_they_can_be() -> None:
    for tail in (b"\x00", b"\x00" + ENTITY, b"\x02\x11\x12", b"\x02\x11\x12" + ENTITY):
        assert len(read_biomes(tail, 24, inline_count=1)) == 0


@pytest.mark.parametrize("tail", [b"\x00\x02\x00\x02", b"\x00\x00\x00\x00", b"\x00\x02" * 23 + b"\x00"])
def test_storages_that_are_not_all_there_are_none(tail: bytes) -> None:
    biomes = read_biomes(tail, 24, inline_count=3)
    assert (len(biomes), biomes.end) == (0, 1)


def test_skeletons_have_odd_headers_alone() -> None:
    assert len(read_biomes(b"\x00\x02" * 24 + b"\x00", 24)) == 0
    with pytest.raises(DecodeError, match="border"):
        read_biomes(b"\x04\x00", 24)


def test_a_column_keeps_a_few_hundred_bytes() -> None:
    biomes = read_biomes(b"\x01\x02" * 24 + b"\x00", 24)
    assert biomes.buffer.nbytes + biomes.rows.nbytes + biomes.palette.nbytes < 500


# ---------------------------------------------------------------- block entities

HERE = ColumnPos(-2, 3)


def sign(x: int, y: int, z: int, text: str = "") -> Compound:
    return {"id": "Sign", "x": Int(x), "y": Int(y), "z": Int(z), "Text": text, "small": Short(-3), "list": [Byte(1)]}


def saved(*entities: Compound) -> bytes:
    return b"".join(encode_root(one, DISK) for one in entities)


def test_they_are_told_in_the_networks_nbt_with_all_their_tags() -> None:
    told: list[str] = []
    first, second = sign(-32, -60, 48, "ä"), sign(-17, 300, 63)
    found = read_saved_entities(saved(first, second), HERE, told.append)
    assert list(found) == [BlockPos(-32, -60, 48), BlockPos(-17, 300, 63)]
    assert read_roots(b"".join(found.values()), NETWORK) == [first, second]
    assert [type(tag) for tag in read_roots(found[BlockPos(-32, -60, 48)], NETWORK)[0].values()] == [
        type(tag) for tag in first.values()
    ]
    assert told == []


def test_the_later_of_two_at_a_place_is_told() -> None:
    found = read_saved_entities(saved(sign(-32, 1, 48, "old"), sign(-32, 1, 48, "new")), HERE, [].append)
    assert [one["Text"] for one in read_roots(b"".join(found.values()), NETWORK)] == ["new"]


def test_those_astray_are_counted_and_the_others_there() -> None:
    told: list[str] = []
    found = read_saved_entities(saved({"id": "Chest"}, sign(0, 0, 0), sign(-32, 1, 48)), HERE, told.append)
    assert list(found) == [BlockPos(-32, 1, 48)]
    assert told == ["column -2,3: 2 of 3 block entities have no position in it and are omitted."]


@given(st.integers(0, 200), st.integers(0, 255))
@example(45, 98)  # a name's length: the name takes in the second and half of the third, and all of it makes sense
def test_damage_costs_what_lies_behind_it(at: int, value: int) -> None:
    whole = saved(sign(-32, 1, 48), sign(-31, 1, 48), sign(-30, 1, 48))
    data = bytearray(whole)
    data[at % len(data)] = value
    told: list[str] = []
    found = read_saved_entities(bytes(data), HERE, told.append)
    sound = at % len(data) * 3 // len(data)
    assert len(found) >= sound
    assert len(told) <= 2
    assert all(place.column == HERE for place in found)
    if not told:
        assert set(found) == {position_of(one) for one in read_roots(bytes(data), DISK)}, "nothing was lost in silence"


# ---------------------------------------------------------------- palettes


def varint(value: int) -> bytes:
    """A non-negative number as a zigzag varint."""
    value <<= 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def subchunk(entries: int) -> bytes:
    """Block i is palette entry i + 1 (modulo the entries), whose runtime id is ten more than its number."""
    indices = ((np.arange(4096) + 1) % entries).astype("<u2")
    return b"\x09\x01\x00\x21" + indices.tobytes() + varint(entries) + b"".join(varint(10 + i) for i in range(entries))


@pytest.mark.parametrize("entries", [4096, 4097, 8192, 65536])
def test_a_palette_may_hold_more_than_there_are_blocks(entries: int) -> None:
    """Dragonfly keeps air in front of 4,096 other states, and whatever was once set."""
    data = subchunk(entries)
    scanned = scan([data])
    assert scanned.status.tolist() == [SubChunkFault.NONE]
    assert scanned.ends.tolist() == [len(data)]
    blocks, flags = np.zeros((1, 4096), np.uint16), np.zeros(1, np.uint32)
    mapped = (scanned.palette - 10).astype(np.uint16)
    unpack(scanned, np.array([0]), 0, np.zeros(1, np.int32), mapped, np.zeros(65536, np.uint32), blocks, flags)
    np.testing.assert_array_equal(blocks[0], (np.arange(4096) + 1) % entries)


@pytest.mark.parametrize("entries", [0, 65537])
def test_a_palette_that_no_index_could_use_is_a_fault(entries: int) -> None:
    data = b"\x09\x01\x00\x21" + bytes(8192) + varint(entries) + bytes(entries)
    assert scan([data]).status.tolist() == [SubChunkFault.PALETTE_SIZE]
