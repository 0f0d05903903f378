"""What a look-out wants: what its own eye sees, in its own columns."""

import numpy as np

from client.player import Eye
from client.streaming.anchors import Anchor
from net.bedrock import ChangeDimension, ChunkRadiusUpdated, PlayStatus, SubChunk, SubChunkEntry
from net.space import ColumnPos, SubChunkPos
from tests.support.session.driven import Driven, asked, skeleton

FAR = ColumnPos(7, 0)
COLUMNS = [ColumnPos(x, z) for x in range(5, 10) for z in range(-2, 3)]
LIMIT = 7
"""Sections -4..3 may hold blocks, above is known air."""
TOP = (LIMIT - 3) * 16.0
OVER_FAR = Eye(FAR.x * 16 + 8.0, TOP + 8.0, 8.0)


def joined(radius: int = 8) -> Driven:
    """Far columns are known, each by its skeleton alone; the player's ticking area ends before them."""
    driven = Driven(radius=radius)
    driven.join()
    driven.receive(*(skeleton(column, LIMIT) for column in COLUMNS))
    return driven


def test_an_eye_in_the_open_wants_the_tops_it_sees_and_nothing_below_them() -> None:
    driven = joined()
    driven.session.pin("look-out", Anchor.square(FAR, 1), OVER_FAR)
    assert asked(driven.tick()) == {(x, 3, z) for x in (6, 7, 8) for z in (-1, 0, 1)}


def test_a_pin_without_an_eye_wants_all() -> None:
    driven = joined()
    driven.session.pin("box", Anchor.square(FAR, 1))
    assert asked(driven.tick()) == {(x, y, z) for x in (6, 7, 8) for y in range(-4, 4) for z in (-1, 0, 1)}


def test_an_eye_in_a_placeholder_wants_that_place_alone() -> None:
    driven = joined()
    driven.session.pin("look-out", Anchor.square(FAR, 1), Eye(FAR.x * 16 + 8.0, 0.0, 8.0))
    assert asked(driven.tick()) == {(FAR.x, 0, FAR.z)}


def test_a_look_out_beside_another_adds_to_it_and_takes_nothing() -> None:
    driven = joined()
    driven.session.pin("a", Anchor.square(FAR, 0), OVER_FAR)
    driven.session.pin("b", Anchor(ColumnPos(8, 0), ColumnPos(9, 0)), Eye(8 * 16 + 8.0, TOP + 8.0, 8.0))
    assert asked(driven.tick()) == {(x, 3, 0) for x in (7, 8, 9)}


def test_an_unpinned_look_out_wants_nothing_more() -> None:
    driven = joined()
    driven.session.pin("look-out", Anchor.square(FAR, 1), OVER_FAR)
    driven.session.unpin("look-out")
    assert asked(driven.tick()) == set()
    place = driven.session.dimension.store.place_of(SubChunkPos(FAR.x, 3, FAR.z))
    assert place not in np.asarray(driven.session.dimension.requests.asking.wanted)


def test_requests_end_at_the_granted_radius_whoever_looks() -> None:
    driven = joined(radius=6)  # one more is granted
    driven.session.pin("look-out", Anchor.square(FAR, 1), OVER_FAR)
    assert asked(driven.tick()) == {(x, 3, z) for x in (6, 7) for z in (-1, 0, 1)}
    driven.receive(ChunkRadiusUpdated(4))
    driven.session.pin("box", Anchor.square(FAR, 0))
    assert asked(driven.tick()) == set()
    assert FAR in driven.session.dimension.store.row_of


def walks(driven: Driven) -> int:
    return driven.session.stats(driven.now).requests.walks


def answered(*positions: tuple[int, int, int]) -> SubChunk:
    """Air in all of these."""
    return SubChunk(False, 0, SubChunkPos(0, 0, 0), tuple(SubChunkEntry(*at, 6) for at in positions))


def test_a_look_out_is_walked_again_only_when_something_changes_within_its_reach() -> None:
    driven = joined()
    driven.session.pin("a", Anchor.square(FAR, 1), OVER_FAR)
    driven.session.pin("b", Anchor.square(ColumnPos(7, 9), 1), Eye(7 * 16 + 8.0, TOP + 8.0, 9 * 16 + 8.0))
    driven.tick()
    before = walks(driven)
    assert before >= 3  # the player and both
    driven.receive(answered((5, 3, -2)))  # beside what both see; the player sees all columns, "a" not that far
    assert walks(driven) == before + 1
    driven.receive(answered((7, 3, 0)))
    assert walks(driven) == before + 3
    driven.receive(skeleton(ColumnPos(7, 9), LIMIT))
    assert walks(driven) == before + 5
    driven.session.unpin("a")
    driven.session.pin("b", Anchor.square(ColumnPos(7, 9), 1), Eye(7 * 16 + 9.0, TOP + 8.0, 9 * 16 + 8.0))
    driven.tick()
    assert walks(driven) == before + 6  # who goes is not walked for, who moves alone


def test_what_a_look_out_saw_goes_with_the_dimension() -> None:
    driven = joined()
    driven.session.pin("look-out", Anchor.square(FAR, 1), OVER_FAR)
    driven.tick()
    driven.receive(ChangeDimension(1, (8.0, 70.0, 8.0), False), PlayStatus(3))
    said = driven.receive(*(skeleton(column, 1) for column in COLUMNS))
    assert asked(said) == {(x, 1, z) for x in (6, 7, 8) for z in (-1, 0, 1)}
