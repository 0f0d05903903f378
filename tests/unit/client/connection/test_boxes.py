"""Boxes as arrays: what they hold, what they refuse, and how blocks of one world are told from those of another."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from client.connection.boxes import MOST_BLOCKS
from client.connection.connection import Connection
from client.errors import UsageError
from client.options import Box, Options, box_of, parse_box
from client.session.config import SessionConfig
from client.world.block_table import PLACEHOLDER_NAME
from net.palette import BlockState
from net.server.options import HostOptions
from net.space import BlockPos
from tests.support.session.virtual import SWIFT, VirtualSession

BOX = (-5, -60, 3, 27, 90, 20)


@pytest.fixture(scope="module")
def hills() -> Iterator[Connection]:
    with VirtualSession("hills:1").connection() as world:
        assert world.wait_settled()
        yield world


def test_axes_are_x_z_y_and_the_second_corner_does_not_belong_to_the_box(hills: Connection) -> None:
    blocks = hills.blocks(BOX)
    assert (blocks.shape, blocks.dtype) == ((32, 17, 150), np.uint16)
    for x, y, z in ((-5, -60, 3), (26, 89, 19), (0, 60, 16), (15, 16, 15)):
        assert blocks[x + 5, z - 3, y + 60] == hills.block((x, y, z)).dense
    light = hills.light(BOX)
    assert light.daylight[5, 0, 149] == hills.light((0, 89, 3)).daylight == 15
    assert {array.shape for array in (light.red, light.green, light.blue, light.lit, hills.biomes(BOX))} == {
        blocks.shape
    }


def test_arrays_of_one_world_compare_and_their_ids_have_names_and_states(hills: Connection) -> None:
    low, high = hills.blocks((0, 0, 0, 8, 70, 8)), hills.blocks((0, 0, 0, 16, 70, 16))
    assert (low == high[:8, :8]).all()
    view = hills.block((3, 63, 5))
    assert hills.block_names[low[3, 5, 63]] == view.name
    assert dict(hills.block_states[low[3, 5, 63]].states) == view.states


def test_what_is_unknown_is_never_air_in_either_layer(hills: Connection) -> None:
    far = (4000, 0, 4000, 4016, 16, 4016)
    for layer in (0, 1):
        assert (hills.blocks(far, layer) == hills.unknown_id).all()
    assert hills.unknown_id != 0
    assert hills.block_names[hills.unknown_id] == PLACEHOLDER_NAME
    assert not hills.light(far).lit.any()
    assert (hills.biomes(far) == 65535).all()
    assert not len(hills.find("air", far))


def test_the_second_layer_of_what_is_known_is_read(hills: Connection) -> None:
    found = hills.find("water", BOX, layer=1)
    second = hills.blocks(BOX, 1)
    assert set(np.unique(second).tolist()) <= {0, *hills.ids("water").tolist(), hills.unknown_id}
    assert len(found) == np.isin(second, hills.ids("water")).sum()


def test_hidden_sub_chunks_are_known_once_a_box_is_requested() -> None:
    virtual = VirtualSession("hills:1", HostOptions(radius_max=6), SessionConfig(radius=5, player=SWIFT), protocol=486)
    box = (64, -64, 0, 96, 64, 32)
    with virtual.connection(Options(radius=5)) as world:
        assert world.wait_settled()
        before = world.blocks(box)
        assert (before == world.unknown_id).any(), "nobody sees what lies deep down there"
        assert world.request(box)
        after = world.blocks(box)
        assert not (after == world.unknown_id).any()
        known = before != world.unknown_id
        assert (before[known] == after[known]).all()
        assert world.light(box).lit.all()


def test_a_request_says_what_it_waited_for_in_vain() -> None:
    with VirtualSession("flat:1").connection() as world:
        world.wait_settled()
        ended = world.request((3200, -64, 3200, 3232, -48, 3232), timeout_s=0.5)
        assert not ended
        assert ended.missing


# ---------------------------------------------------------------- find


def test_blocks_are_found_where_they_are_in_the_order_of_the_axes(hills: Connection) -> None:
    found = hills.find("minecraft:diamond_ore", BOX)
    cells = np.argwhere(np.isin(hills.blocks(BOX), hills.ids("diamond_ore")))
    assert found.dtype == np.int32
    assert len(found)
    assert (found[:, [0, 2, 1]] == np.add(cells, (BOX[0], BOX[2], BOX[1]))).all(), "by x, then z, then y"
    everywhere = {tuple(each) for each in hills.find("diamond_ore").tolist()}
    assert {tuple(each) for each in found.tolist()} < everywhere


def test_one_state_is_found_and_quotes_may_be_left_out(hills: Connection) -> None:
    granite = hills.find("stone[stone_type=granite]", BOX)
    assert len(granite)
    assert (granite == hills.find(' minecraft:stone["stone_type"="granite"]', BOX)).all()
    assert {hills.block(tuple(each)).states["stone_type"] for each in granite[:20].tolist()} == {"granite"}
    assert len(hills.find("stone", BOX)) > len(granite)


def test_more_blocks_than_memory_is_meant_for_are_an_error(hills: Connection) -> None:
    with pytest.raises(UsageError, match="More than 1000 blocks are 'stone': give a box, or a higher number as most"):
        hills.find("stone", most=1000)
    few = hills.find("diamond_ore")
    assert len(hills.find("diamond_ore", most=len(few))) == len(few)
    with pytest.raises(UsageError, match="More than"):
        hills.find("diamond_ore", most=len(few) - 1)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("dimond_ore", r"no block 'minecraft:dimond_ore' in this world's palette \(nearest: diamond_ore\)"),
        ("other:qqqqqqqq", r"no block 'other:qqqqqqqq' in this world's palette\."),
        ("", "no block 'minecraft:'"),
        (
            "stone[stone_type=gold]",
            r"No state of minecraft:stone is 'stone\[stone_type=gold\]'; its states are .*granite",
        ),
        ("stone[", r"'stone\[' is not a block: write NAME or NAME\[PROPERTY=VALUE,\.\.\.\]"),
        ("stone[granite]", "is not a block"),
    ],
)
def test_a_name_that_is_no_block_is_named_with_what_is_there(hills: Connection, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        hills.find(name)


# ---------------------------------------------------------------- two worlds


def test_ids_of_one_world_become_those_of_another_of_another_release() -> None:
    box = (-16, -64, -16, 16, -56, 16)
    with VirtualSession("flat:1").connection() as old, VirtualSession("flat:1", protocol=2193).connection() as new:
        assert old.wait_settled()
        assert new.wait_settled()
        assert (old.blocks(box) != new.blocks(box)).any(), "else this shows nothing"
        translated = new.ids_in(old)[new.blocks(box)]
        assert (translated == old.blocks(box))[:, :, 0].all(), "bedrock is the same in both"
        assert (translated[:, :, 1] == 65535).all(), "dirt had a property then"
        far = (4000, 0, 4000, 4016, 16, 4016)
        assert (old.ids_in(new)[old.blocks(far)] == new.unknown_id).all()


def test_a_changed_block_is_what_differs() -> None:
    box, at = (0, -64, 0, 16, -50, 16), BlockPos(3, -58, 9)
    first, second = VirtualSession("flat:1"), VirtualSession("flat:1")
    second.host.set_block(at, BlockState("minecraft:glowstone"))
    with first.connection() as one, second.connection() as other:
        assert one.wait_settled()
        assert other.wait_settled()
        differs = one.ids_in(other)[one.blocks(box)] != other.blocks(box)
    assert np.argwhere(differs).tolist() == [[at.x, at.z, at.y + 64]]


# ---------------------------------------------------------------- what cannot be meant


@pytest.mark.parametrize(
    ("box", "says"),
    [
        ((0, 0, 0, 0, 5, 5), "box 0,0,0,0,5,5 is empty along x, from 0 to 0"),
        ((0, 5, 0, 5, 0, 5), "box 0,5,0,5,0,5 is empty along y, from 5 to 0"),
        ((0, -65, 0, 5, 5, 5), "reaches out of the overworld: its y is -65 to 4, and the world's is -64 to 319"),
        ((0, 0, 0, 5, 321, 5), "reaches out of the overworld: its y is 0 to 320, and the world's is -64 to 319"),
        ((1 << 31, 0, 0, (1 << 31) + 5, 5, 5), "reaches out of the overworld: its x is 2147483648 to"),
        ((0, 0, 0, 10**6, 100, 10**4), f"has 1000000000000 blocks; at most {MOST_BLOCKS} are read at once"),
        ((0, 0, 0, 1, 1), r"\(0, 0, 0, 1, 1\) is not a box: write \(X0, Y0, Z0, X1, Y1, Z1\) in whole blocks"),
        ((0, 0, 0, 1.5, 1, 1), "is not a box"),
        ("0,0,0,1,1,1", "is not a box"),
        (7, "7 is not a box"),
    ],
)
def test_a_box_that_cannot_be_read_is_refused_with_its_reason(hills: Connection, box: Any, says: str) -> None:
    for read in (hills.blocks, hills.biomes, hills.light, lambda box: hills.find("stone", box)):
        with pytest.raises(UsageError, match=says):
            read(box)


def test_a_request_no_radius_reaches_and_one_of_too_many_blocks_are_refused(hills: Connection) -> None:
    with pytest.raises(UsageError, match="is 25 columns wide, more than a radius of 2 reaches: connect with radius=12"):
        hills.request((0, 0, 0, 400, 10, 10))
    with pytest.raises(UsageError, match="has 1000000000000 blocks"):
        hills.request((0, 0, 0, 10**6, 100, 10**4))


def test_there_are_two_layers(hills: Connection) -> None:
    with pytest.raises(UsageError, match="no layer 2; a block has layers 0 and 1"):
        hills.blocks(BOX, 2)
    with pytest.raises(UsageError, match="no layer -1"):
        hills.find("water", BOX, layer=-1)


def test_a_box_is_written_as_it_is_read() -> None:
    box = Box(BlockPos(-1, -64, 3), BlockPos(2, 0, 5))
    assert str(box) == "-1,-64,3,2,0,5"
    assert parse_box(str(box)) == box_of([np.int64(each) for each in (-1, -64, 3, 2, 0, 5)]) == box_of(box) == box
    with pytest.raises(UsageError, match="empty along z"):
        box_of(Box(BlockPos(0, 0, 0), BlockPos(1, 1, -1)))
