"""Wherever the player goes and however the server answers: requests keep to the rules of the wire and to their own.

Batches cover: Requests name exactly what was wanted, once each, in offsets that fit a signed byte.

Anchors: Anchors count as sets of columns would, whatever is pinned, moved, resized and released.

Plain anchors: Anchors with sets of columns, counted anew at each drain: the plain twin of ``client.streaming.anchors``.
"""

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.player import Eye, View
from client.session.config import SessionConfig
from client.streaming.anchors import Anchor, Anchors
from client.streaming.limits import RequestLimits
from client.streaming.planner import REACH, order_by, pack
from net.bedrock import SubChunk, SubChunkRequest
from net.peer import Received
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.space import ColumnPos, SubChunkPos
from net.visibility.priority import PlayerView, PriorityWeights, need
from tests.support.session.virtual import SWIFT, VirtualSession

# ---------------------------------------------------------------- requests keep their rules

Place = tuple[int, ...]

moves = st.lists(
    st.tuples(st.floats(-40, 40), st.floats(-90, 340), st.floats(-40, 40), st.floats(-180, 180)), min_size=1, max_size=5
)
faults = st.builds(
    ServerFaults,
    refusals=st.tuples(st.builds(RefusalFault, st.just(2), st.floats(0, 0.5), st.integers(1, 3))),
    delay_s=st.floats(0, 0.8),
    reverse=st.booleans(),
)


def named(request: SubChunkRequest) -> list[Place]:
    return [tuple(place) for place in (request.offsets.astype(np.int64) + np.asarray(request.centre)).tolist()]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(moves, faults, st.sampled_from([ColumnMode.LIMITED, ColumnMode.LIMITLESS]), st.integers(20, 400))
def test_every_request_keeps_the_rules(
    ways: list[tuple[float, float, float, float]], faults: ServerFaults, mode: ColumnMode, outstanding: int
) -> None:
    limits = RequestLimits(outstanding=outstanding, entries_per_packet=64)
    config = SessionConfig(radius=1, player=SWIFT, limits=limits)
    virtual = VirtualSession("hills:1", HostOptions(mode=mode, faults=faults), config)
    held: set[Place] = set()
    for way in [None, *ways]:
        if way is not None:
            x, y, z, yaw_deg = way
            virtual.session.set_view(View(Eye(x, y, z), yaw_deg, 0.0))
        for _ in range(120):
            _turn(virtual, held, limits)
    end = virtual.now + 120.0
    while virtual.session.unsettled(virtual.now) is not None and virtual.now < end:
        _turn(virtual, held, limits)
    assert virtual.session.unsettled(virtual.now) is None
    assert not held
    assert virtual.session.ledger.stats().timed_out == 0
    assert virtual.session.ledger.outstanding == 0


def _turn(virtual: VirtualSession, held: set[Place], limits: RequestLimits) -> None:
    already = len(virtual.sent)
    for event in virtual.turn():
        if isinstance(event, Received) and isinstance(event.message, SubChunk):
            centre = event.message.centre
            held -= {tuple(a + b for a, b in zip(entry[:3], centre, strict=True)) for entry in event.message.entries}
    store, player = virtual.session.dimension.store, virtual.session.movement.eye.subchunk
    held -= {place for place in held if (place[0], place[2]) not in store.row_of}  # let go: an "unrequest"
    for message in virtual.sent[already:]:
        if isinstance(message, SubChunkRequest):
            places = named(message)
            assert len(set(places)) == len(places) <= limits.entries_per_packet
            assert not held & set(places)
            assert message.dimension == store.dimension.number
            assert np.abs(message.offsets.astype(int)).max() <= 127
            for x, y, z in places:
                assert store.dimension.holds_section(y)
                assert max(abs(x - player.x), abs(z - player.z)) <= 2
            held |= set(places)
    assert len(held) <= limits.outstanding


# ---------------------------------------------------------------- batches cover


def looker(player: tuple[int, int, int]) -> PlayerView:
    x, y, z = player
    return PlayerView((x + 0.5, y + 0.5, z + 0.5))


def order(positions: np.ndarray, view: PlayerView) -> np.ndarray:
    return order_by(need(positions, view, PriorityWeights()), positions)


position = st.tuples(st.integers(-400, 400), st.integers(-32, 32), st.integers(-400, 400))


@given(st.sets(position, max_size=300), position, st.integers(1, 64))
def test_batches_cover_exactly_the_wanted_set(
    wanted: set[tuple[int, int, int]], player: tuple[int, int, int], entries_per_packet: int
) -> None:
    positions = np.array(sorted(wanted), np.int32).reshape(-1, 3)
    positions = positions[order(positions, looker(player))]
    batches = pack(positions, SubChunkPos(*player), entries_per_packet)
    named = [tuple(p) for batch in batches for p in batch.positions.tolist()]
    assert len(named) == len(set(named))
    assert set(named) == wanted
    for batch in batches:
        assert (positions[batch.indices] == batch.positions).all()
        assert 1 <= len(batch.offsets) <= entries_per_packet
        assert batch.offsets.dtype == np.int8
        assert np.abs(batch.offsets.astype(int)).max() <= REACH


@given(st.sets(position, min_size=1, max_size=100), position)
def test_what_the_player_reaches_goes_around_the_player(
    wanted: set[tuple[int, int, int]], player: tuple[int, int, int]
) -> None:
    positions = np.array(sorted(wanted), np.int32)
    near = {p for p in wanted if max(abs(a - b) for a, b in zip(p, player, strict=True)) <= REACH}
    around = [b for b in pack(positions, SubChunkPos(*player), 512) if b.centre == player]
    named = {tuple(p) for batch in around for p in batch.positions.tolist()}
    assert near <= named


@given(st.lists(position, max_size=100, unique=True), position)
def test_near_comes_before_far_and_equals_by_position(
    wanted: list[tuple[int, int, int]], player: tuple[int, int, int]
) -> None:
    positions = np.array(wanted, np.int32).reshape(-1, 3)
    indices, needs = (
        order(positions, looker(player)),
        need(positions, looker(player), PriorityWeights()),
    )
    plain = sorted(range(len(wanted)), key=lambda i: (needs[i], wanted[i][0], wanted[i][2], wanted[i][1]))
    assert indices.tolist() == plain
    away = [sum((a - b) ** 2 for a, b in zip(wanted[i], player, strict=True)) for i in plain]
    assert away == sorted(away)


@given(st.permutations([(x, y, z) for x in range(3) for y in range(3) for z in range(3)]))
def test_the_order_does_not_depend_on_the_order_of_the_tables(wanted: list[tuple[int, int, int]]) -> None:
    def ordered(places: list[tuple[int, int, int]]) -> list[list[int]]:
        positions = np.array(places, np.int32)
        return positions[order(positions, looker((1, 1, 1)))].tolist()

    assert ordered(wanted) == ordered(sorted(wanted))


# ---------------------------------------------------------------- anchors

# ---------------------------------------------------------------- plain anchors

Column = tuple[int, int]


class PlainAnchors:
    """One set of anchors; ``loaded`` is what was loaded and not released since."""

    def __init__(self, margin: int) -> None:
        self._margin = margin
        self._anchors: dict[str, set[Column]] = {}
        self._grown: dict[str, set[Column]] = {}
        self.loaded: set[Column] = set()

    def pin(self, name: str, anchor: Anchor) -> None:
        self._anchors[name] = columns(anchor)
        self._grown[name] = columns(anchor.grown(self._margin)) if self._anchors[name] else set()

    def release(self, name: str) -> None:
        self._anchors.pop(name, None)
        self._grown.pop(name, None)

    def count(self, column: Column) -> int:
        return sum(column in held for held in self._anchors.values())

    def keeps(self, column: Column) -> bool:
        return any(column in kept for kept in self._grown.values())

    def drain(self) -> bool:
        before = self.loaded
        held = set().union(*self._anchors.values())
        self.loaded = {column for column in before | held if self.keeps(column)}
        return self.loaded != before


def columns(anchor: Anchor) -> set[Column]:
    xs, zs = range(anchor.low.x, anchor.high.x + 1), range(anchor.low.z, anchor.high.z + 1)
    return {(x, z) for x in xs for z in zs}


# ---------------------------------------------------------------- anchors

NEAR = st.integers(-6, 6)
RADIUS = st.integers(-1, 4)  # -1: an anchor without columns
RECTANGLES = st.builds(Anchor.rectangle, st.builds(ColumnPos, NEAR, NEAR), RADIUS, RADIUS)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("pin"), st.sampled_from("abc"), RECTANGLES),
        st.tuples(st.just("release"), st.sampled_from("abc")),
        st.tuples(st.just("drain")),
    ),
    max_size=30,
)
ALL = Anchor.square(ColumnPos(0, 0), 14).columns()


def as_set(found: Any) -> set[tuple[int, int]]:
    return {(x, z) for x, z in found.tolist()}


def obey(anchors: Anchors | PlainAnchors, step: Any) -> None:
    if step[0] == "pin":
        anchors.pin(*step[1:])
    elif step[0] == "release":
        anchors.release(step[1])


@settings(deadline=None)
@given(STEPS, st.integers(0, 3))
def test_counts_and_lists_are_those_of_plain_sets(steps: list[Any], margin: int) -> None:
    anchors, plain = Anchors(margin), PlainAnchors(margin)
    for step in [*steps, ("drain",)]:
        obey(anchors, step)
        obey(plain, step)
        assert anchors.counts(ALL).tolist() == [plain.count((x, z)) for x, z in ALL.tolist()]
        assert anchors.released(ALL).tolist() == [not plain.keeps((x, z)) for x, z in ALL.tolist()]
        if step[0] != "drain":
            continue
        assert anchors.drain() == plain.drain()
        assert as_set(ALL[anchors.loaded(ALL)]) == as_set(anchors.loaded_columns()) == plain.loaded
        assert len(anchors.loaded_columns()) == len(plain.loaded)  # each once


@settings(deadline=None)
@given(STEPS)
def test_whatever_is_visible_has_its_eight_neighbours_in_memory(steps: list[Any]) -> None:
    activity, visibility = Anchors(), Anchors()
    for step in steps:
        obey(activity, step)
        activity.drain()
        visibility.follow(activity, -1)
        visibility.drain()
        for x, z in visibility.loaded_columns().tolist():
            assert activity.loaded(Anchor.square(ColumnPos(x, z), 1).columns()).all()


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), RECTANGLES), min_size=1, max_size=6), st.randoms())
def test_what_is_pinned_between_two_drains_counts_alike_in_any_order(pins: list[Any], random: Any) -> None:
    last = dict(pins)
    straight, winding = Anchors(), Anchors()
    for name, anchor in pins:
        winding.pin(name, anchor)
    shuffled = list(last.items())
    random.shuffle(shuffled)
    for name, anchor in shuffled:
        straight.pin(name, anchor)
    assert straight.drain() == winding.drain()
    assert np.array_equal(straight.loaded_columns(), winding.loaded_columns())


@settings(deadline=None)
@given(RECTANGLES, RECTANGLES)
def test_what_one_rectangle_holds_without_another_is_a_set_difference(whole: Anchor, hole: Anchor) -> None:
    parts = [columns(part) for part in whole.without(hole)]
    assert set().union(*parts) == columns(whole) - columns(hole)
    assert sum(map(len, parts)) == len(columns(whole) - columns(hole))  # they do not overlap
