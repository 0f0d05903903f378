"""Which columns a server left out: holes amid what it announced, within what it granted and its circle holds."""

import numpy as np

from client.session.publisher_area import enclosed
from client.session.session import Session
from net.bedrock import ChunkRadiusUpdated, NetworkChunkPublisherUpdate
from net.space.positions import BlockPos, ColumnPos
from tests.support.driven_session import Driven, skeleton

SQUARE = {(x, z) for x in range(-3, 4) for z in range(-3, 4)}


def sent(*but: tuple[int, int]) -> Driven:
    """A session of radius 2, to which three columns around the player come, without some."""
    driven = Driven()
    driven.join()
    driven.hear(*(skeleton(ColumnPos(*at)) for at in sorted(SQUARE - set(but))))
    return driven


def left_out(session: Session) -> set[tuple[int, int]]:
    return {(x, z) for x, z in session.unsent.tolist()}


def test_a_column_amid_others_is_left_out_until_it_comes() -> None:
    driven = sent((1, 1), (1, 2))
    assert left_out(driven.session) == {(1, 1), (1, 2)}
    driven.hear(skeleton(ColumnPos(1, 2)))
    assert left_out(driven.session) == {(1, 1)}


def test_nothing_is_left_out_while_all_is_on_its_way_or_where_a_world_ends() -> None:
    driven = Driven()
    driven.join()
    assert left_out(driven.session) == set()
    assert left_out(sent((3, 0), (2, 0)).session) == set(), "the rim, and what hangs together with it"


def test_what_was_not_granted_or_lies_outside_of_the_circle_is_not_owed() -> None:
    driven = sent((1, 1))
    driven.hear(NetworkChunkPublisherUpdate(BlockPos(0, 64, 0), 16))
    assert left_out(driven.session) == set()
    driven = sent((1, 1))
    driven.hear(ChunkRadiusUpdated(1))
    assert left_out(driven.session) == set()


def test_no_way_leads_into_a_hole_over_a_corner() -> None:
    plan = ["kkkkk", "kohkk", "khokk", "kkkko", "kkkkk"]
    owed = np.array([[one in "oh" for one in line] for line in plan])
    assert np.argwhere(enclosed(owed, ~owed)).tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
