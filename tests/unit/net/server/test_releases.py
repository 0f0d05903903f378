"""Our own server at other releases: its worlds are spelled in their words, and our client shows the same blocks."""

import pytest

from net.palette import BlockState, Palette
from net.server.block_ids import UnknownState
from net.server.worlds import open_world
from tests.support.one_form import form_of


@pytest.mark.parametrize("protocol", [486, 503, 527, 582, 618, 649, 686, 712, 819, 944, 1001, 2193])
@pytest.mark.parametrize("world", ["hills:1", "bench:1", "flat"])
def test_every_block_of_every_world_exists_at_every_release(protocol: int, world: str) -> None:
    palette = Palette.for_protocol(protocol)
    world_states = open_world(world).states
    form = form_of(palette, world_states)
    for state in world_states:
        form.check(state)
    assert all(palette.state_of(number) is not None for number in form.runtime_ids.tolist())


def test_a_block_is_served_under_the_name_of_the_release() -> None:
    palette = Palette.for_protocol(2193)
    air, granite, oak = (
        BlockState("minecraft:air"),
        stone("granite"),
        BlockState("minecraft:planks", (("wood_type", "oak"),)),
    )
    form = form_of(palette, (air, granite, oak))
    names = [palette.state_of(number) for number in form.runtime_ids.tolist()]
    assert names == [air, BlockState("minecraft:granite"), BlockState("minecraft:oak_planks")]


def test_a_block_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownState, match="no such"):
        form_of(Palette.for_protocol(2193), (BlockState("minecraft:air"),)).check(BlockState("minecraft:no such"))


def stone(kind: str) -> BlockState:
    return BlockState("minecraft:stone", (("stone_type", kind),))
