"""A box read at once holds what its blocks say one by one; so does what is counted and found in it."""

from collections import Counter
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from client.connection.boxes import count_blocks
from client.connection.connection import Connection
from client.options import box_of
from net.space import BlockPos
from tests.support.session.virtual import VirtualSession

EDGE = 56
"""Half a world of radius 2 and some of what is unknown around it."""
BOXES = st.tuples(
    *(st.integers(low, high) for low, high in ((-EDGE, EDGE), (-64, 300), (-EDGE, EDGE))),
    *(st.integers(1, most) for most in (6, 18, 6)),
).map(lambda box: (*box[:3], *(low + size for low, size in zip(box[:3], box[3:], strict=True))))


@cache
def world() -> Connection:
    """A world that stays open for all examples, with hidden sub-chunks left unknown."""
    connection = VirtualSession("hills:1").connection()
    assert connection.wait_settled()
    return connection


@given(BOXES)
def test_a_box_equals_its_blocks(box: tuple[int, int, int, int, int, int]) -> None:
    there, (x0, y0, z0, x1, y1, z1) = world(), box
    places = [(x, y, z) for x in range(x0, x1) for z in range(z0, z1) for y in range(y0, y1)]
    views = [there.block(place) for place in places]
    lights = [there.light(place) for place in places]
    assert there.blocks(box).ravel().tolist() == [view.dense for view in views]
    unknown = there.unknown_id
    second = [unknown if view.dense == unknown else view.layer1_dense for view in views]
    assert there.blocks(box, 1).ravel().tolist() == second
    read = there.light(box)
    for name in ("red", "green", "blue", "daylight", "lit"):
        assert getattr(read, name).ravel().tolist() == [getattr(light, name) for light in lights], name
    some = next((view.name for view in views if view.dense != unknown), "minecraft:air")
    found = [place for place, view in zip(places, views, strict=True) if view.name == some and view.dense != unknown]
    assert np.array_equal(there.find(some, box), np.array(found, np.int32).reshape(-1, 3))
    store, ids = there.session.dimension.store, there.ids(some)
    counted = count_blocks(store, ids, box_of(box), 0)
    at = Counter(BlockPos(*place).subchunk for place in found)
    assert (
        dict(zip(map(tuple, store.positions_of(counted.places).tolist()), counted.counts.tolist(), strict=True)) == at
    )
    of_ids = Counter(view.dense for view in views if view.name == some and view.dense != unknown)
    assert {one: counted.by_id[one] for one in np.flatnonzero(counted.by_id).tolist()} == of_ids
