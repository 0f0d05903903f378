"""Positions turn into each other exactly, on both sides of zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.space import OVERWORLD, BlockPos, CellPos, ColumnPos, SubChunkPos, by_number

coordinates = st.integers(-(2**31), 2**31 - 1)


@given(coordinates, coordinates, coordinates)
def test_a_block_is_found_again_from_its_subchunk_and_index(x: int, y: int, z: int) -> None:
    block = BlockPos(x, y, z)
    corner, inside = block.subchunk.origin, block.in_subchunk
    assert BlockPos(corner.x + (inside >> 8), corner.y + (inside & 15), corner.z + (inside >> 4 & 15)) == block


@pytest.mark.parametrize(
    ("block", "subchunk", "cell"),
    [
        (BlockPos(0, -64, 0), SubChunkPos(0, -4, 0), CellPos(0, -2, 0)),
        (BlockPos(-1, -1, -1), SubChunkPos(-1, -1, -1), CellPos(-1, -1, -1)),
        (BlockPos(17, 319, -17), SubChunkPos(1, 19, -2), CellPos(1, 9, -2)),
    ],
)
def test_units_round_down(block: BlockPos, subchunk: SubChunkPos, cell: CellPos) -> None:
    assert block.subchunk == subchunk
    assert block.column == subchunk.column
    assert subchunk.cell == cell
    assert cell.origin.y == block.y >> 5 << 5


def test_the_block_around_a_point_lies_below_it() -> None:
    assert BlockPos.containing(-0.5, 64.999, 3.0) == BlockPos(-1, 64, 3)


def test_anchors_count_distance_as_a_square() -> None:
    assert ColumnPos(3, -2).chebyshev(ColumnPos(0, 0)) == 3


def test_the_overworld_reaches_from_its_floor_to_its_roof() -> None:
    assert (OVERWORLD.floor_y_blocks, OVERWORLD.roof_y_blocks) == (-64, 320)
    assert OVERWORLD.holds_section(-4)
    assert OVERWORLD.holds_section(19)
    assert not OVERWORLD.holds_section(20)


def test_an_unknown_dimension_keeps_its_number() -> None:
    assert by_number(7).number == 7
