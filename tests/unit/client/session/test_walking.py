"""A player who walks: nothing is asked twice over a border, and a long way leaves nothing behind."""

import numpy as np

from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.session import Session
from client.world.lifecycle import SubChunkState
from tests.support.session.virtual import SWIFT, VirtualSession

COLUMN_BLOCKS = 16.0
FAR_COLUMNS = 64
RADIUS = 2


def joined() -> tuple[VirtualSession, Eye]:
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=RADIUS, player=SWIFT))
    assert virtual.run(lambda: virtual.session.spawn.phase.value == "playing")
    settle(virtual)
    return virtual, virtual.session.movement.view.eye


def settle(virtual: VirtualSession) -> None:
    assert virtual.run(lambda: virtual.session.unsettled(virtual.now) is None)


def walk(virtual: VirtualSession, start: Eye, columns: int) -> None:
    virtual.session.set_view(View(Eye(start.x + COLUMN_BLOCKS * columns, start.y, start.z)))
    settle(virtual)


def slots(session: Session) -> int:
    session.dimension.store.pools.reclaim(session.dimension.store.pools.epoch)
    return session.dimension.store.pools.stats().slots


def test_to_and_fro_over_a_border_asks_for_nothing_twice() -> None:
    virtual, start = joined()
    for columns in (1, 2):
        walk(virtual, start, columns)
    asked = virtual.session.ledger.stats().asked
    for columns in [1, 0, 1, 2] * 5:
        walk(virtual, start, columns)
    assert virtual.session.ledger.stats().asked == asked
    walk(virtual, start, 3)
    assert virtual.session.ledger.stats().asked > asked


def test_a_walk_of_64_columns_leaves_no_more_than_the_margin_of_standing_there() -> None:
    virtual, start = joined()
    for columns in range(1, FAR_COLUMNS + 1):
        walk(virtual, start, columns)
    anchors, store = virtual.session.anchors, virtual.session.dimension.store
    side = 2 * (RADIUS + 1) + 1
    assert len(anchors.loaded_columns()) == side * (side + 2)
    blocks = store.state.reshape(-1, store.dimension.sections) == int(SubChunkState.DATA)
    filled = store.columns[np.flatnonzero(blocks.any(axis=1))]
    assert len(filled) > side
    assert anchors.loaded(filled).all()
    there, _ = joined()
    for columns in (FAR_COLUMNS - 2, FAR_COLUMNS - 1, FAR_COLUMNS):  # the margin of who comes from there
        walk(there, start, columns)
    assert slots(virtual.session) == slots(there.session)


def test_a_player_who_moved_is_not_settled_before_the_server_has_heard_of_it() -> None:
    virtual, start = joined()
    walk(virtual, start, 3)
    session = virtual.session
    here = session.movement.eye.column
    assert all((x, here.z) in session.dimension.store.row_of for x in range(here.x - RADIUS - 1, here.x + RADIUS + 2))
