"""When requests walk and plan, and when they do not.

Request log: The last answer to each place: the kernel against the events of the history, one by one.

Trail twin: The last answer to each place, event by event: what ``client.world.store_kernels`` has to equal.

Request visibility: What is walked for ahead of a player who moves.

Walking: A player who walks: nothing is asked twice over a border, and a long way leaves nothing behind.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.request_log import ANSWERS, IS_ANSWER
from client.session.request_visibility import MovementPrediction
from client.session.requests import PLAYER_ANCHOR, ReplayedRequests
from client.session.session import Session
from client.streaming.expected_ground import ExpectedGround, GroundEstimator, expect
from client.streaming.limits import RequestLimits
from client.visibility import Walk, sector_of
from client.world.history import KEPT, NO_CODE, History
from client.world.lifecycle import StateEvent, SubChunkState
from client.world.store import Store
from client.world.store_kernels import last_answers
from net.arrays import Bytes, Places
from net.bedrock import ChunkRadiusUpdated, SubChunkRequest
from net.palette import BlockState
from net.server.faults import ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.space import OVERWORLD, BlockPos, ColumnPos
from net.visibility.priority import PriorityWeights
from tests.support.session.driven import Driven, asked, received, skeleton
from tests.support.session.virtual import SWIFT, VirtualSession

# ---------------------------------------------------------------- requests


def settled(config: SessionConfig | None = None) -> VirtualSession:
    virtual = VirtualSession("hills:1", config=config)
    assert virtual.settle()
    return virtual


def counts(virtual: VirtualSession) -> tuple[int, int, int]:
    stats = virtual.session.stats(virtual.now).requests
    return stats.walks, virtual.session.dimension.requests.plans, stats.entries


def look(virtual: VirtualSession, x: float = 0.0, y: float = 0.0, yaw_deg: float = 0.0, turns: int = 30) -> None:
    eye = virtual.session.movement.eye
    virtual.session.set_view(View(Eye(eye.x + x, eye.y + y, eye.z), yaw_deg, 0.0))
    for _ in range(turns):
        virtual.turn()


def test_a_still_camera_plans_nothing() -> None:
    virtual = settled()
    look(virtual)
    before = counts(virtual)
    for _ in range(200):
        virtual.turn()
    assert counts(virtual) == before


def test_a_turn_of_a_player_who_wants_nothing_plans_nothing() -> None:
    virtual = settled()
    look(virtual)
    before = counts(virtual)
    look(virtual, yaw_deg=180.0)
    assert counts(virtual) == before


def test_a_step_within_the_sub_chunk_is_planned_once_where_it_ends_and_walked_where_another_sector_is() -> None:
    virtual = settled()
    player = virtual.session.movement.eye
    towards_the_middle = 1.0 if player.x % 16 < 8 else -1.0
    look(virtual)
    walks, plans, _ = counts(virtual)
    look(virtual, x=towards_the_middle)
    assert virtual.session.movement.eye.subchunk == player.subchunk
    left = sector_of(virtual.session.movement.eye, OVERWORLD) != sector_of(player, OVERWORLD)
    assert counts(virtual)[:2] == (walks + left, plans + 1)
    assert virtual.session.unsettled(virtual.now) is None


def test_a_border_crossed_is_walked_at_once() -> None:
    virtual = settled()
    look(virtual)
    walks = counts(virtual)[0]
    look(virtual, y=20.0)
    assert counts(virtual)[0] > walks


def test_a_tunnel_that_opens_no_face_is_neither_walked_nor_planned_for() -> None:
    """A trench over several sub-chunks of a flat world; then a shaft through its floor, which sight can pass."""
    virtual = VirtualSession("flat:1")
    assert virtual.settle()
    look(virtual)
    before = counts(virtual)
    edits = virtual.session.stats(virtual.now).terrain.block_updates
    feet = BlockPos.containing(*virtual.world.spawn.feet)
    for x in range(-20, 21):
        virtual.host.set_block(BlockPos(feet.x + x, feet.y - 1, feet.z), BlockState("minecraft:air"))
        virtual.turn()
    for _ in range(50):
        virtual.turn()
    assert virtual.session.stats(virtual.now).terrain.block_updates == edits + 41
    assert virtual.session.dimension.store.block(BlockPos(feet.x - 20, feet.y - 1, feet.z)).name == "minecraft:air"
    assert counts(virtual) == before
    for y in range(-64, feet.y - 1):
        virtual.host.set_block(BlockPos(feet.x, y, feet.z), BlockState("minecraft:air"))
    for _ in range(50):
        virtual.turn()
    assert counts(virtual)[:2] == (before[0] + 1, before[1] + 1)


def waiting(weights: PriorityWeights | None = None) -> VirtualSession:
    """A client that may ask for one place a second, of a server that answers nothing for long."""
    limits = RequestLimits(entries_per_packet=1, packet_interval_s=1.0, silence_least_s=100.0, silence_longest_s=100.0)
    config = SessionConfig(radius=2, player=SWIFT, limits=limits, weights=weights or PriorityWeights())
    virtual = VirtualSession("hills:1", HostOptions(faults=ServerFaults(delay_s=90.0)), config)
    assert virtual.run(lambda: len(virtual.session.dimension.store.announced_rows) >= 49)
    for _ in range(200):
        virtual.turn()
    assert len(virtual.session.dimension.requests.asking.wanted) > 100
    return virtual


def test_a_plan_that_has_to_wait_goes_on_where_it_was() -> None:
    virtual = waiting()
    walks, plans, entries = counts(virtual)
    wanted = virtual.session.dimension.requests.asking.wanted
    for _ in range(501):
        virtual.turn()
    assert counts(virtual) == (walks, plans, entries + 5)
    assert virtual.session.dimension.requests.asking.wanted.tolist() == wanted[5:].tolist()


def test_a_turn_orders_what_is_wanted_anew_without_a_walk() -> None:
    virtual = waiting()
    walks, plans, entries = counts(virtual)
    look(virtual, yaw_deg=(virtual.session.movement.view.yaw_deg + 180.0) % 360.0, turns=301)
    assert counts(virtual) == (walks, plans + 1, entries + 3)


@pytest.mark.parametrize("attention", [False, True])
def test_a_turn_guesses_anew_where_it_leads_with_attention_alone(
    attention: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    virtual = waiting(PriorityWeights(attention=attention))
    guessed = []

    def noted(world: Store, player: ColumnPos, guesser: GroundEstimator) -> ExpectedGround:
        guessed.append(guesser.looker.forward)
        return expect(world, player, guesser)

    monkeypatch.setattr("client.session.request_visibility.expect", noted)
    look(virtual, yaw_deg=(virtual.session.movement.view.yaw_deg + 180.0) % 360.0, turns=301)
    assert guessed == ([virtual.session.movement.view.forward] if attention else [])


def states_of(virtual: VirtualSession, column: ColumnPos) -> list[int]:
    store = virtual.session.dimension.store
    first = store.row_of[column] * store.dimension.sections
    state: list[int] = store.state[first : first + store.dimension.sections].tolist()
    return state


def test_a_place_that_nobody_waits_for_or_wants_any_more_is_not_asked_any_more() -> None:
    """Asked, never answered, and beyond the radius after a step: once its time is over the plan says so."""
    config = SessionConfig(radius=2, player=SWIFT, limits=RequestLimits(silence_least_s=2.0, silence_longest_s=4.0))
    virtual = VirtualSession("hills:1", HostOptions(faults=ServerFaults(delay_s=90.0)), config)
    assert virtual.run(lambda: len(virtual.session.dimension.store.announced_rows) >= 49)
    column = virtual.session.movement.eye.column
    beyond = ColumnPos(column.x + 3, column.z)
    assert virtual.run(lambda: SubChunkState.REQUESTED in states_of(virtual, beyond))
    look(virtual, x=-16.0)
    assert SubChunkState.REQUESTED in states_of(virtual, beyond)
    assert virtual.run(lambda: SubChunkState.REQUESTED not in states_of(virtual, beyond))
    store, state = virtual.session.dimension.store, states_of(virtual, beyond)
    assert set(state) <= {SubChunkState.UNKNOWN, SubChunkState.KNOWN_AIR}
    place = store.row_of[beyond] * store.dimension.sections + state.index(SubChunkState.UNKNOWN)
    assert store.history.of(place)[-1].cause is StateEvent.LEFT_PLAN
    requested = np.flatnonzero(store.state == SubChunkState.REQUESTED).astype(np.int32)
    assert virtual.session.ledger.held(requested).all()


def test_another_radius_is_planned_for_whoever_says_so() -> None:
    virtual = settled()
    look(virtual)
    requests, session = virtual.session.dimension.requests, virtual.session
    assert not requests.dirty
    session.handle(received(ChunkRadiusUpdated(2), virtual.now), virtual.now)
    assert requests.dirty, "until the next plan nobody knows whether something is wanted"
    virtual.turn()
    assert not requests.dirty
    plans = session.dimension.requests.plans
    requests.step(session.movement.eye, session.movement.view.forward, 1, virtual.now, 0.05)
    assert session.dimension.requests.plans == plans + 1
    requests.step(session.movement.eye, session.movement.view.forward, 1, virtual.now, 0.05)
    assert session.dimension.requests.plans == plans + 1


def test_what_is_foreseen_beyond_the_granted_radius_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns further out may be announced still: those behind a player who turns back."""
    driven = Driven(radius=2, player=SWIFT, limits=RequestLimits(ticking_radius=0))
    driven.join()
    driven.receive(*(skeleton(ColumnPos(x, 0), limit=1) for x in range(-6, 7)))
    for _ in range(3):
        driven.tick()
    monkeypatch.setattr(
        MovementPrediction,
        "look_ahead",
        lambda _, store, *rest: store.places_of_rows(store.announced_rows) if rest else None,
    )
    driven.session.dimension.requests.invalidate()
    ahead = asked(driven.tick())
    assert ahead
    assert all(abs(x) <= 3 for x, _, _ in ahead)


@pytest.mark.parametrize("at_work", [False, True])
def test_a_server_that_is_sending_columns_is_not_silent(at_work: bool) -> None:
    driven = Driven(radius=2, limits=RequestLimits(silence_least_s=1.0, silence_longest_s=30.0))
    driven.join()
    assert asked(driven.receive(skeleton(limit=None)))
    for number in range(40):
        driven.receive(*([skeleton(ColumnPos(20 + number, 0))] if at_work else []))
    assert (driven.session.ledger.stats().timed_out == 0) == at_work


# ---------------------------------------------------------------- request log

# ---------------------------------------------------------------- trail twin


def test_a_replay_does_not_plan_what_came_after_a_lost_record() -> None:
    session = settled().session
    known = session.dimension
    came = np.flatnonzero(known.store.state == SubChunkState.DATA).astype(np.int32)[:3]
    nothing = np.empty((0, 3), np.int32)
    known.requests.asking.wanted = came  # the record that took them off the list is lost
    known.requests.retrace(session.movement.eye, ReplayedRequests(True, nothing, nothing, nothing, 0), session.now, 0.1)
    assert known.store.state[came].tolist() == [SubChunkState.DATA] * 3
    assert not len(known.requests.asking.wanted)


def plain_last_answers(history: History, places: list[int]) -> list[tuple[float | None, int]]:
    """When the youngest answer to each came, None: never; and its code."""
    found: list[tuple[float | None, int]] = []
    for place in places:
        answers = [event for event in history.of(place) if event.cause in ANSWERS]
        found.append((answers[-1].time_s, answers[-1].code) if answers else (None, NO_CODE))
    return found


# ---------------------------------------------------------------- request log


@given(st.integers(0, 1 << 30))
def test_the_youngest_answer_is_told_with_its_code(seed: int) -> None:
    rng = np.random.default_rng(seed)
    history = History(24)
    many = len(history.noted)
    history.noted[:] = rng.integers(0, 2 * KEPT, many)
    history.noted[0] = 0
    history.times_s[:] = rng.permuted(np.arange(many * KEPT, dtype=np.float64)).reshape(many, KEPT)
    history.causes[:] = rng.integers(0, len(StateEvent), (many, KEPT))
    history.codes[:] = rng.integers(0, 9, (many, KEPT))
    history.befores[:] = history.afters[:] = SubChunkState.DATA
    history.causes[:, 0] = StateEvent.ANNOUNCED  # before any answer
    places = rng.permutation(many)[: many // 2 + 1].astype(np.int32)
    seconds, codes = np.full(len(places), np.nan), np.full(len(places), NO_CODE, np.int16)
    last_answers(places, history.noted, history.times_s, history.causes, history.codes, IS_ANSWER, seconds, codes)
    told = [
        (None if np.isnan(time) else time, code) for time, code in zip(seconds.tolist(), codes.tolist(), strict=True)
    ]
    assert told == plain_last_answers(history, places.tolist())


# ---------------------------------------------------------------- request visibility

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
    prediction = MovementPrediction(PriorityWeights(), Walk())
    for step in range(3):
        at = (eye.subchunk.x + 0.4 + 0.025 * step, eye.y / 16, eye.subchunk.z + 0.5)
        prediction.attention.observe(0.1 * step, at, (1.0, 0.0, 0.0))
    return prediction, eye.column


def test_what_was_foreseen_is_used_until_something_that_walks_read_changes() -> None:
    virtual = VirtualSession("hills:1")
    assert virtual.settle()
    prediction, column = foreseen(virtual)
    store = virtual.session.dimension.store
    presumed = np.zeros(len(store.slot), np.uint8)

    def walks(column: ColumnPos = column, radius: int = 3, presumed: Bytes | None = None) -> int:
        before = prediction.walks
        found = prediction.look_ahead(store, column, radius, presumed)
        assert found is not None
        assert len(found) > 0
        return prediction.walks - before

    likely = len(PriorityWeights().soon_after_s) + 1
    assert [walks(), walks()] == [likely, 0]
    assert [walks(radius=2), walks(radius=2)] == [likely, 0]
    assert walks(ColumnPos(column.x + 1, column.z)) == likely
    assert [walks(presumed=presumed), walks(presumed=presumed.copy()), walks(presumed=presumed + 1)] == [
        likely,
        0,
        likely,
    ]
    prediction.forget()
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
        self: MovementPrediction, world: Store, column: ColumnPos, radius: int, presumed: Bytes | None
    ) -> Places | None:
        self.forget()
        return look_ahead(self, world, column, radius, presumed)

    monkeypatch.setattr(MovementPrediction, "look_ahead", anew)
    expected, more_walks = asked_on_a_way()
    assert again == expected
    assert walks < more_walks


# ---------------------------------------------------------------- walking

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
