"""Terrain, extra blocks and biomes of the first world folders, beside what plain loops find in the same bytes."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.errors import DecodeError
from net.subchunk.legacy import read_biomes_of_terrain, read_coloured_biomes, read_extra_blocks, read_whole_terrain

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
    with pytest.raises(DecodeError, match=rf"^column\.terrain at byte {size}: {size} bytes are too few"):
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
        with pytest.raises(DecodeError, match="are announced in"):
            read_extra_blocks(data, "column", low=low)
    else:
        read_extra_blocks(data, "column", low=low)


def test_biomes_with_colours_lie_by_z_and_are_told_by_x() -> None:
    rows = RNG.integers(0, 256, (16, 16, 4), np.uint8)
    found = read_coloured_biomes(rows.tobytes())
    assert found is not None
    assert [found[x << 4 | z] for x, z in ((3, 9), (15, 0))] == [rows[9, 3, 0], rows[0, 15, 0]]
    behind = read_biomes_of_terrain(bytes(32768 + 16384 + 32768 + 256) + rows.tobytes())
    np.testing.assert_array_equal(behind, found)
    assert read_coloured_biomes(rows.tobytes()[1:]) is None
