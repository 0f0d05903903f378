"""Biomes of whole columns whose headers lack the lowest bit, as two servers write them (rule 4 of ``biomes``)."""

import numpy as np
import pytest

from net.errors import DecodeError
from net.subchunk.biomes import ColumnBiomes, read_biomes, write_tail

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
