"""What is walked for ahead of a player who moves."""

from itertools import product

import numpy as np
import pytest

from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.request_visibility import MovementPrediction
from client.session.requests import PLAYER_ANCHOR
from client.visibility.walk import Walk
from client.world.interface import World
from net.bedrock import SubChunkRequest
from net.palette import BlockState
from net.server.options import ColumnMode, HostOptions
from net.space.layout import Bytes, Places
from net.space.positions import BlockPos, ColumnPos
from net.visibility import PriorityWeights
from tests.support.session.virtual import SWIFT, VirtualSession

STEPS = 6


def walks_of_a_short_walk(attention: bool) -> int:
    """Walks while the player takes a few steps of a quarter of a block, within one sub-chunk."""
    config = SessionConfig(radius=2, player=SWIFT, weights=PriorityWeights(attention=attention))
    virtual = VirtualSession("hills:1", config=config)
    assert virtual.settle()
    start = virtual.session.movement.eye
    towards_the_middle = 0.25 if start.x % 16 < 8 else -0.25
    before = virtual.session.stats(virtual.now).requests.walks
    for step in range(1, STEPS + 1):
        virtual.session.set_view(View(Eye(start.x + step * towards_the_middle, start.y, start.z)))
        for _ in range(5):
            virtual.turn()
    assert virtual.session.movement.eye.subchunk == start.subchunk
    return virtual.session.stats(virtual.now).requests.walks - before


def test_where_a_player_is_likely_to_be_is_walked_from_while_it_moves() -> None:
    without, ahead = walks_of_a_short_walk(False), walks_of_a_short_walk(True)
    likely = len(PriorityWeights().soon_after_s) + 1
    assert ahead >= without + likely
    assert ahead <= without + 3 * likely, "again only where the likely sub-chunks change"


def foreseen(virtual: VirtualSession) -> tuple[MovementPrediction, ColumnPos]:
    """A player in the middle of a sub-chunk, moving along x at 4 blocks a second."""
    eye = virtual.session.movement.eye
    foresight = MovementPrediction(PriorityWeights(), Walk())
    for step in range(3):
        at = (eye.subchunk.x + 0.4 + 0.025 * step, eye.y / 16, eye.subchunk.z + 0.5)
        foresight.attention.observe(0.1 * step, at, (1.0, 0.0, 0.0))
    return foresight, eye.column


def test_what_was_foreseen_is_used_until_something_that_walks_read_changes() -> None:
    virtual = VirtualSession("hills:1")
    assert virtual.settle()
    foresight, column = foreseen(virtual)
    store = virtual.session.dimension.store
    presumed = np.zeros(len(store.slot), np.uint8)

    def walks(column: ColumnPos = column, radius: int = 3, presumed: Bytes | None = None) -> int:
        before = foresight.walks
        found = foresight.look_ahead(store, column, radius, presumed)
        assert found is not None
        assert len(found) > 0
        return foresight.walks - before

    likely = len(PriorityWeights().soon_after_s) + 1
    assert [walks(), walks()] == [likely, 0]
    assert [walks(radius=2), walks(radius=2)] == [likely, 0]
    assert walks(ColumnPos(column.x + 1, column.z)) == likely
    assert [walks(presumed=presumed), walks(presumed=presumed.copy()), walks(presumed=presumed + 1)] == [
        likely,
        0,
        likely,
    ]
    foresight.forget()
    assert [walks(presumed=presumed), walks(presumed=presumed)] == [likely, 0]


def test_a_change_of_the_world_and_blocks_dropped_end_what_was_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    virtual = VirtualSession("hills:1")
    assert virtual.settle()
    forgotten: list[float] = []
    monkeypatch.setattr(MovementPrediction, "forget", lambda _: forgotten.append(virtual.now))
    for _ in range(50):
        virtual.turn()
    assert not forgotten
    feet = BlockPos.containing(*virtual.world.spawn.feet)
    virtual.host.set_block(feet, BlockState("minecraft:glowstone"))
    for _ in range(10):
        virtual.turn()
    assert not forgotten  # nobody sees more or less for one block
    low = feet.subchunk.origin
    for x, z in product(range(16), range(16)):
        virtual.host.set_block(BlockPos(low.x + x, low.y + 15, low.z + z), BlockState("minecraft:stone"))
    for _ in range(10):
        virtual.turn()
    assert forgotten
    monkeypatch.setattr(virtual.session.dimension.requests, "invalidate", lambda: None)
    forgotten.clear()
    evicted = virtual.session.dimension.release.evicted
    virtual.session.anchors.release(PLAYER_ANCHOR)
    assert virtual.run(lambda: virtual.session.dimension.release.evicted > evicted, 1.0)
    assert forgotten


def asked_on_a_way() -> tuple[list[tuple[int, int, int]], int]:
    """All that is asked on a way of 40 blocks over hills without a limit, with an edit on it; and all walks."""
    config = SessionConfig(radius=3, player=SWIFT)
    virtual = VirtualSession("hills:1", HostOptions(mode=ColumnMode.LIMITLESS), config)
    assert virtual.settle()
    start = virtual.session.movement.eye
    for step in range(1, 161):
        virtual.session.set_view(View(Eye(start.x + step * 0.25, start.y + 8.0, start.z)))
        if step == 80:
            virtual.host.set_block(BlockPos.containing(*virtual.world.spawn.feet), BlockState("minecraft:glowstone"))
        for _ in range(5):
            virtual.turn()
    requests = [message for message in virtual.sent if isinstance(message, SubChunkRequest)]
    asked = np.concatenate([request.offsets + np.asarray(request.centre, np.int32) for request in requests])
    return sorted(map(tuple, asked.tolist())), virtual.session.stats(virtual.now).requests.walks


def test_the_same_is_asked_as_if_each_plan_walked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    again, walks = asked_on_a_way()
    look_ahead = MovementPrediction.look_ahead

    def anew(
        self: MovementPrediction, world: World, column: ColumnPos, radius: int, presumed: Bytes | None
    ) -> Places | None:
        self.forget()
        return look_ahead(self, world, column, radius, presumed)

    monkeypatch.setattr(MovementPrediction, "look_ahead", anew)
    expected, more_walks = asked_on_a_way()
    assert again == expected
    assert walks < more_walks
