"""A checkpoint is its moment, packed or not, and leaves nothing in memory that only a collection would find.

Checkpoints: where ways leave them, which stay, and that they are begun from.
"""

import gc
import math
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.connection.opening import open_replay
from client.options import Options
from client.recording import checkpoints
from client.recording.checkpoints import (
    APART_US,
    BEFORE_GOAL_US,
    NEAR,
    Checkpoint,
    ReplayCheckpoint,
    ReplayCheckpoints,
    SeekPlace,
    SeekTarget,
    SessionCopy,
    Traffic,
)
from client.session.session import Session
from net.palette import BlockState
from net.space import BlockPos
from tests.support.session.driven import shown
from tests.support.session.past import fly
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- checkpoint


@pytest.fixture(scope="module")
def virtual() -> VirtualSession:
    """A world that is all there."""
    virtual = VirtualSession("hills:1")
    assert virtual.settle()
    return virtual


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nobody looks for cycles, as in a window."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def histories(session: Session) -> list[object]:
    store = session.dimension.store
    return [store.history.of(place) for place in range(len(store.state))]


@pytest.mark.parametrize("packed", [False, True])
def test_what_begins_from_it_is_the_session_of_then(virtual: VirtualSession, packed: bool) -> None:
    then, lived = shown(virtual.session), histories(virtual.session)
    checkpoint = Checkpoint(virtual.session)
    if packed:
        checkpoint.pack()
    feet = BlockPos.containing(*virtual.world.spawn.feet)
    virtual.host.set_block(feet, BlockState("minecraft:glowstone"))
    for _ in range(30):
        virtual.turn()
    assert shown(virtual.session) != then
    for _ in range(2):
        begun = checkpoint.begin()
        assert shown(begun) == then
        assert histories(begun) == lived
        begun.dimension.store.pools.blocks[: 2 * begun.dimension.store.pools.stats().slots] = 0  # all would be 1 GiB
    virtual.host.set_block(feet, BlockState("minecraft:air"))
    for _ in range(30):
        virtual.turn()


def test_packed_it_takes_a_fraction(virtual: VirtualSession) -> None:
    checkpoint = Checkpoint(virtual.session)
    assert checkpoint.size_bytes == 0
    checkpoint.pack()
    slots = virtual.session.dimension.store.pools.stats().slots
    assert 0 < checkpoint.size_bytes < slots * 8192 // 4


@pytest.mark.usefixtures("uncollected")
def test_copies_go_as_soon_as_nobody_needs_them(virtual: VirtualSession) -> None:
    checkpoint = Checkpoint(virtual.session)
    tables = weakref.ref(checkpoint._copy.session.dimension.store)
    assert tables() is not None
    checkpoint.pack()
    assert tables() is None
    packed = weakref.ref(checkpoint._copy.session.dimension.store)
    assert packed() is not None
    del checkpoint
    assert packed() is None


def test_letting_a_copy_go_harms_nobody(virtual: VirtualSession) -> None:
    before = shown(virtual.session)
    SessionCopy(virtual.session).let_go()
    Checkpoint(virtual.session).begin()
    assert shown(virtual.session) == before
    virtual.turn()


# ---------------------------------------------------------------- replay checkpoints

ROOM = 1 << 20


class Weight:
    """A checkpoint that takes a quarter of the room once it is packed."""

    size_bytes = ROOM // 4

    def pack(self) -> None:
        """Small already."""


def at(time_us: float) -> ReplayCheckpoint:
    return ReplayCheckpoint(SeekPlace(time_us=round(time_us)), Weight(), Traffic())  # type: ignore[arg-type] # a fake


def left_on_a_way(checkpoints: ReplayCheckpoints, first_us: float, goal_us: float) -> list[float]:
    """Where a way from one time to another stops."""
    stops, here_us = [], first_us
    for _ in range(100):
        here_us, near = checkpoints.next_stop(here_us, goal_us)
        if here_us > goal_us:
            return stops
        stops.append(here_us)
        checkpoints.leave(at(here_us), near)
    raise AssertionError(f"a way that stops again and again: {stops[-3:]}")


def test_a_way_leaves_one_every_so_often_and_more_before_its_goal() -> None:
    goal_us = 2.5 * APART_US
    expected = [APART_US, 2 * APART_US, *(goal_us - before for before in BEFORE_GOAL_US)]
    assert left_on_a_way(ReplayCheckpoints((), 100 * ROOM), 0, goal_us) == expected


def test_none_is_left_without_room_or_where_one_stands_already() -> None:
    assert left_on_a_way(ReplayCheckpoints((), 0), 0, 10 * APART_US) == []
    given = [at(APART_US * 1.1), at(APART_US * 2.2)]
    checkpoints = ReplayCheckpoints(given, 100 * ROOM)
    assert checkpoints.next_stop(0, None) == (APART_US * 3.2, False)
    assert checkpoints.next_stop(5 * APART_US, None) == (5 * APART_US + 1, False)


def test_the_last_one_before_a_goal_is_begun_from() -> None:
    checkpoints = ReplayCheckpoints([at(1000)], ROOM)
    checkpoints.leave(at(3000), near=True)
    checkpoints.leave(at(2000), near=False)
    found = [checkpoints.before(SeekTarget(time_us=time_us)) for time_us in (500, 1500, 2500, 3500)]
    assert [one.time_us if one else None for one in found] == [None, 1000, 2000, 3000]


def test_they_keep_to_their_room_and_to_their_number() -> None:
    checkpoints = ReplayCheckpoints((), ROOM)
    for number in range(1, 10):
        checkpoints.leave(at(number * APART_US), near=False)
    assert checkpoints.size_bytes <= ROOM
    times_us = [
        found.time_us for number in range(1, 10) if (found := checkpoints.before(SeekTarget(time_us=number * APART_US)))
    ]
    assert times_us[-1] == 9 * APART_US, "the last one is before nobody else"
    near = ReplayCheckpoints((), 100 * ROOM)
    for number in range(3 * NEAR):
        near.leave(at(number), near=True)
    assert near.size_bytes == NEAR * Weight.size_bytes
    assert near.before(SeekTarget(time_us=math.inf)) is not None


def test_one_that_finds_no_room_is_not_tried_again_at_once() -> None:
    goal_us = 4.5 * APART_US
    expected = [*(count * APART_US for count in range(1, 5)), *(goal_us - before for before in BEFORE_GOAL_US)]
    assert left_on_a_way(ReplayCheckpoints((), 1), 0, goal_us) == expected


def test_one_that_is_not_packed_yet_is_not_given_up_for_room() -> None:
    checkpoints = ReplayCheckpoints((), ROOM)
    unpacked = Weight()
    unpacked.size_bytes = 0
    checkpoints.leave(ReplayCheckpoint(SeekPlace(time_us=APART_US), unpacked, Traffic()), near=False)  # type: ignore[arg-type] # a fake
    for number in range(2, 10):
        checkpoints.leave(at(number * APART_US), near=False)
    found = checkpoints.before(SeekTarget(time_us=1.5 * APART_US))
    assert found is not None
    assert found.checkpoint is unpacked
    assert checkpoints.size_bytes <= ROOM


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds over hills."""
    path = tmp_path_factory.mktemp("recording") / "a.cscope"
    with VirtualSession("hills:1").connection(Options(radius=1, light=False, record=path)) as live:
        live.wait_settled()
        fly(live, 600, 0.1)
    return path


def ticks_lived_through(path: Path, space_bytes: int) -> list[int]:
    """How many ticks each of three ways back takes: to the last second, then two ticks more."""
    replay = open_replay(path, space_bytes)
    replay.play(None)
    while not replay.resting:
        replay.run()
    lived = []
    ways: list[Callable[[], None]] = [
        lambda: replay.seek(replay.duration_s - 1.0),
        *2 * [lambda: replay.step_ticks(-1)],
    ]
    for way in ways:
        way()
        before = replay.on_the_way
        while replay.on_the_way is not None:
            replay.run()
        assert before is not None
        lived.append(replay.position.ticks - before.ticks)
    replay.close("compared")
    return lived


@pytest.mark.parametrize("space_bytes", [1, 64 << 20])
def test_a_way_leaves_one_a_turn_at_most_however_close_they_shall_stand(
    path: Path, space_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns are ten times as far apart as checkpoints; packing is over at once, so that nothing depends on threads."""
    left: list[int] = []

    def pack(_name: str, work: Callable[[], None]) -> None:
        work()
        left.append(replay.position.ticks)
        assert len(left) <= 100, f"a way that stands still, after ticks {left[-3:]}"

    monkeypatch.setattr(checkpoints, "APART_US", 1000)
    monkeypatch.setattr(checkpoints, "BackgroundTask", pack)
    replay = open_replay(path, space_bytes)
    replay.seek_packet(replay.position.packets + 1)
    while replay.on_the_way is not None:
        replay.run(0.0)
    begun = replay.position.ticks
    replay.step_ticks(20)
    runs = 0
    while replay.on_the_way is not None:
        replay.run(0.0)
        runs += 1
    assert replay.position.ticks == begun + 20
    assert len(left) <= replay.position.ticks
    assert runs > 20, "the deadline is looked at"
    replay.close("compared")


def test_steps_back_begin_near_where_the_last_one_ended(path: Path) -> None:
    all_of_it = ticks_lived_through(path, 0)
    assert min(all_of_it) > 400
    with_room = ticks_lived_through(path, 64 << 20)
    assert with_room[0] == all_of_it[0], "nothing was left before"
    assert max(with_room[1:]) < 50


def test_a_step_back_from_where_a_way_ahead_ended_is_short(path: Path) -> None:
    replay = open_replay(path, 64 << 20)
    replay.seek(replay.duration_s - 0.5)
    while replay.on_the_way is not None:
        replay.run()
    replay.step_ticks(-1)
    begun = replay.on_the_way
    assert begun is not None
    assert 0 <= replay.position.ticks - begun.ticks < 50
    replay.close("compared")
