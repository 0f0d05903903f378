"""What a look-out wants: what its own eye sees, in its own columns."""

import numpy as np

from client.player import Eye
from client.streaming.anchors import Anchor
from net.space.positions import ColumnPos, SubChunkPos
from tests.support.driven_session import Driven, asked, skeleton

FAR = ColumnPos(7, 0)
COLUMNS = [ColumnPos(x, z) for x in range(5, 10) for z in range(-2, 3)]
LIMIT = 7
"""Sections -4..3 may hold blocks, above is known air."""
TOP = (LIMIT - 3) * 16.0


def joined() -> Driven:
    """Far columns are known, each by its skeleton alone; the player's ticking area ends before them."""
    driven = Driven(radius=3)
    driven.join()
    driven.hear(*(skeleton(column, LIMIT) for column in COLUMNS))
    return driven


def test_an_eye_in_the_open_wants_the_tops_it_sees_and_nothing_below_them() -> None:
    driven = joined()
    driven.session.pin("look-out", Anchor.square(FAR, 1), Eye(FAR.x * 16 + 8.0, TOP + 8.0, 8.0))
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
    driven.session.pin("a", Anchor.square(FAR, 0), Eye(FAR.x * 16 + 8.0, TOP + 8.0, 8.0))
    driven.session.pin("b", Anchor(ColumnPos(8, 0), ColumnPos(9, 0)), Eye(8 * 16 + 8.0, TOP + 8.0, 8.0))
    assert asked(driven.tick()) == {(x, 3, 0) for x in (7, 8, 9)}


def test_an_unpinned_look_out_wants_nothing_more() -> None:
    driven = joined()
    driven.session.pin("look-out", Anchor.square(FAR, 1), Eye(FAR.x * 16 + 8.0, TOP + 8.0, 8.0))
    driven.session.unpin("look-out")
    assert asked(driven.tick()) == set()
    place = driven.session.store.place_of(SubChunkPos(FAR.x, 3, FAR.z))
    assert place not in np.asarray(driven.session.wanted_places)
