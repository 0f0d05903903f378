"""A body among blocks: it stands, falls, jumps, slides, and never gets into what obstructs."""

from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from client.player import Eye
from net.space.positions import BlockPos
from render.viewer.control.camera_control import EYE, HALF_WIDTH, Body, Obstructs, walked

FLOOR = 64


def floor(block: BlockPos) -> bool:
    return block.y < FLOOR


def room(block: BlockPos) -> bool:
    """3 x 3 blocks wide, 3 high."""
    return not (-1 <= block.x <= 1 and FLOOR <= block.y < FLOOR + 3 and -1 <= block.z <= 1)


def standing(obstructs: Obstructs = floor) -> Body:
    return walked(Body(Eye(0.5, FLOOR + EYE, 0.5)), (0.0, 0.0), False, 0.1, obstructs)


def test_it_falls_to_the_ground_and_stands_there() -> None:
    body = Body(Eye(0.5, FLOOR + 10.0, 0.5))
    for _ in range(30):
        body = walked(body, (0.0, 0.0), False, 0.1, floor)
    assert body.stands
    assert isclose(body.eye.y, FLOOR + EYE)


def test_a_jump_is_higher_than_a_block_and_lower_than_two() -> None:
    body, highest = standing(), 0.0
    for _ in range(120):
        body = walked(body, (0.0, 0.0), body.stands, 1 / 60, floor)
        highest = max(highest, body.eye.y - EYE - FLOOR)
    assert 1.05 < highest < 1.5


def test_it_stops_at_a_wall_slides_along_it_and_hits_its_head() -> None:
    body = standing(room)
    for _ in range(20):
        body = walked(body, (4.0, 1.0), True, 0.1, room)
    assert 2.0 - HALF_WIDTH - 0.05 < body.eye.x <= 2.0 - HALF_WIDTH + 1e-6
    assert body.eye.z > 1.4
    assert body.eye.y - EYE + 1.8 <= FLOOR + 3 + 1e-6


def test_a_jump_takes_it_up_a_block() -> None:
    def step(block: BlockPos) -> bool:
        return block.y < FLOOR + (block.x >= 2)

    body = standing(step)
    for _ in range(20):
        body = walked(body, (4.3, 0.0), True, 0.1, step)
    assert body.eye.x > 3.0
    assert body.eye.y >= FLOOR + 1 + EYE - 1e-9


def test_who_stands_in_an_obstacle_gets_out_and_does_not_fall() -> None:
    body = Body(Eye(0.5, FLOOR - 5.0, 0.5))
    moved = walked(body, (4.0, 0.0), False, 0.25, floor)
    assert isclose(moved.eye.x, 1.5, rel_tol=1e-6)
    assert moved.eye.y == body.eye.y


def test_what_stops_it_and_what_it_stands_in_is_known() -> None:
    body = standing(room)
    assert (body.within, body.against) == (None, None)
    body = walked(body, (4.0, 0.0), False, 0.25, room)
    assert body.against is None
    for _ in range(4):
        body = walked(body, (4.0, 0.0), False, 0.25, room)
    assert body.against is not None
    assert (body.against.x, body.against.y) == (2, FLOOR)
    assert walked(body, (-4.0, 0.0), False, 0.1, room).against is None, "it goes the other way"
    inside = walked(Body(Eye(0.5, FLOOR - 5.0, 0.5)), (0.0, 0.0), False, 0.1, floor)
    assert inside.within == BlockPos(0, FLOOR - 7, 0)
    assert inside.against is None
    out = walked(inside, (0.0, 0.0), False, 0.1, lambda _block: False)
    assert out.within is None


def test_a_pause_is_no_long_fall() -> None:
    assert walked(Body(Eye(0.5, 500.0, 0.5)), (0.0, 0.0), False, 3600.0, floor).eye.y > 498.0


@given(
    st.sets(st.tuples(st.integers(-3, 3), st.integers(FLOOR, FLOOR + 3), st.integers(-3, 3)), max_size=40),
    st.lists(
        st.tuples(st.floats(-6, 6), st.floats(-6, 6), st.booleans(), st.floats(0.0, 0.3)), min_size=1, max_size=12
    ),
)
def test_a_body_that_is_free_stays_out_of_every_block(
    blocks: set[tuple[int, int, int]], moves: list[tuple[float, float, bool, float]]
) -> None:
    solid = {BlockPos(*block) for block in blocks} - {BlockPos(0, FLOOR, 0), BlockPos(0, FLOOR + 1, 0)}

    def obstructs(block: BlockPos) -> bool:
        return block.y < FLOOR or block in solid

    body = standing(obstructs)
    for x, z, jump, elapsed_s in moves:
        body = walked(body, (x, z), jump, elapsed_s, obstructs)
        feet = body.eye.y - EYE
        for bx, by, bz in [*solid, *((x, FLOOR - 1, z) for x in range(-9, 10) for z in range(-9, 10))]:
            apart = max(
                bx - body.eye.x - HALF_WIDTH, body.eye.x - HALF_WIDTH - bx - 1,
                bz - body.eye.z - HALF_WIDTH, body.eye.z - HALF_WIDTH - bz - 1,
                by - feet - 1.8, feet - by - 1,
            )  # fmt: skip
            assert apart >= -1e-5, (bx, by, bz)
