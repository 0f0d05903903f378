"""What somebody who walks is told of holes, once."""

from client.player import Eye
from client.world.block_table import PLACEHOLDER_NAME
from net.space.positions import BlockPos
from render.viewer.control.camera_control import EYE, FORGOTTEN_S, Body, Stops

HOLE, OTHER = BlockPos(3, 64, 0), BlockPos(16, 64, 0)
FREE = Body(Eye(0.5, 64 + EYE, 0.5))


def stops() -> Stops:
    """From x = 3 on nothing is known; below 60 there is stone."""

    def name_at(block: BlockPos) -> str:
        return PLACEHOLDER_NAME if block.x >= 3 else "minecraft:stone" if block.y < 60 else "minecraft:air"

    return Stops(name_at, lambda block: f"Refused at {block.x}.")


def against(block: BlockPos) -> Body:
    return Body(FREE.eye, against=block)


def test_a_hole_that_stops_one_is_told_once_until_it_was_left() -> None:
    told = stops()
    assert told.news(FREE, 0.0) is None
    assert told.news(against(HOLE), 1.0) == "A hole stops you. Refused at 3."
    assert told.news(against(HOLE), 1.1) is None
    assert told.news(FREE, 1.2) is None
    assert told.news(against(HOLE), 1.2 + FORGOTTEN_S / 2) is None, "one slides along it"
    assert told.news(FREE, 3.0 + FORGOTTEN_S) is None
    assert told.news(against(HOLE), 7.0) == "A hole stops you. Refused at 3."
    assert told.news(against(OTHER), 7.1) == "A hole stops you. Refused at 16."
    assert told.news(against(HOLE), 7.2) is None, "one goes to and fro between two"


def test_a_hole_below_and_around_are_told_too() -> None:
    assert stops().news(Body(Eye(3.5, 64 + EYE, 0.5), stands=True), 0.0) == "A hole holds you up. Refused at 3."
    assert stops().news(Body(Eye(3.5, 64 + EYE, 0.5)), 0.0) is None, "it still falls"
    within = Body(FREE.eye, within=HOLE)
    assert stops().news(within, 0.0) == "A hole is around you, so you do not fall. Refused at 3."


def test_a_wall_is_no_news_but_a_block_around_one_is() -> None:
    told = stops()
    assert told.news(against(BlockPos(0, 59, 0)), 0.0) is None
    assert told.news(Body(FREE.eye, stands=True), 0.0) is None
    inside = Body(FREE.eye, within=BlockPos(0, 50, 0))
    assert told.news(inside, 0.0) == "You are inside of stone: walk out of it, or fly again."
    assert told.news(inside, 1.0) is None


def test_nothing_is_told_while_one_flies() -> None:
    assert stops().news(None, 0.0) is None
