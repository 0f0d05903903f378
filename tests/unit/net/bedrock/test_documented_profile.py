"""Payloads of the documented profile: palettes and heights turned, all else untouched."""

import pytest

from net.bedrock.documented_profile import HEIGHTS_TO_BEDROCK, HEIGHTS_TO_DOCUMENTED, to_unsigned, to_zigzag
from net.nbt import NETWORK, Int, encode_root
from tests.support.reference.wire import uv, zz

WORDS = bytes(range(256)) * 2  # 512 bytes: one bit a block
ENTITY = encode_root({"id": "Sign", "x": Int(1)}, NETWORK)


def storage(number, ids: list[int]) -> bytes:
    if len(ids) == 1:
        return b"\x01" + number(ids[0])
    return b"\x03" + WORDS + number(len(ids)) + b"".join(map(number, ids))


def subchunk(number, version: int) -> bytes:
    layers = storage(number, [7177, 134]) + storage(number, [7666])
    head = {1: b"\x01", 8: b"\x08\x02", 9: b"\x09\x02\xfc"}[version]
    return head + (storage(number, [7177, 134]) if version == 1 else layers)


@pytest.mark.parametrize("version", [1, 8, 9])
def test_palettes_of_a_sub_chunk_are_turned_and_entities_kept(version: int) -> None:
    real, documented = subchunk(zz, version) + ENTITY, subchunk(uv, version) + ENTITY
    assert to_zigzag(documented, 1, biomes=False) == real
    assert to_unsigned(real, 1, biomes=False) == documented


def test_a_whole_column_with_biomes_border_and_entities() -> None:
    def column(number) -> bytes:
        biomes = storage(number, [44]) + b"\xff" + storage(number, [1, 2]) + b"\x00"
        return subchunk(number, 9) + subchunk(number, 8) + biomes + ENTITY

    assert to_zigzag(column(uv), 2, biomes=True) == column(zz)
    assert to_unsigned(column(zz), 2, biomes=True) == column(uv)


def test_a_legacy_sub_chunk_has_no_palette() -> None:
    legacy = b"\x00" + bytes(6144)
    assert to_zigzag(legacy + subchunk(uv, 9), 2, biomes=False) == legacy + subchunk(zz, 9)


def test_a_palette_of_compounds_turns_its_count_alone() -> None:
    entries = encode_root({"name": "minecraft:air"}, NETWORK) * 2
    turned = to_zigzag(b"\x01" + b"\x02" + WORDS + uv(2) + entries, 1, biomes=False)
    assert turned == b"\x01" + b"\x02" + WORDS + zz(2) + entries


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"\x63",
        b"\x09",
        b"\x01\x05" + bytes(9),
        b"\x01\xfd",
        b"\x01\x03" + WORDS + b"\x05\x01",
        b"\x01\x02" + WORDS + b"\x01\x08",
    ],
)
def test_what_makes_no_sense_is_left_as_it_is(broken: bytes) -> None:
    assert to_zigzag(broken, 1, biomes=True) == broken
    good = subchunk(uv, 9)
    assert to_zigzag(good + broken, 2, biomes=False) == subchunk(zz, 9) + broken


def test_ids_above_31_bits_keep_their_bits() -> None:
    assert to_unsigned(b"\x01\x01" + zz(-5), 1, biomes=False) == b"\x01\x01" + uv(0xFFFFFFFB)
    assert to_zigzag(b"\x01\x01" + uv(0xFFFFFFFB), 1, biomes=False) == b"\x01\x01" + zz(-5)


def test_heights_are_the_top_blocks_y_in_the_text_and_one_more_on_the_wire() -> None:
    documented = bytes([255, 0, 7, 15, 16])
    assert documented.translate(HEIGHTS_TO_BEDROCK) == bytes([0, 1, 8, 16, 16])
    assert bytes([255, 0, 1, 8, 16]).translate(HEIGHTS_TO_DOCUMENTED) == bytes([255, 255, 0, 7, 15])
    # Values that no server sends must not wrap into others.
    assert bytes([128, 127]).translate(HEIGHTS_TO_BEDROCK) == bytes([0, 16])
