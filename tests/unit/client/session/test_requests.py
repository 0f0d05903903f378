"""When requests walk and plan, and when they do not."""

import numpy as np
import pytest

from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.request_visibility import MovementPrediction
from client.streaming.expected_ground import ExpectedGround, GroundEstimator, LimitedWorld, expect
from client.streaming.limits import RequestLimits
from client.visibility.walk import sector_of
from client.world.lifecycle import StateEvent, SubChunkState
from net.bedrock import ChunkRadiusUpdated
from net.palette import BlockState
from net.server.faults import ServerFaults
from net.server.options import HostOptions
from net.space.dimensions import OVERWORLD
from net.space.positions import BlockPos, ColumnPos
from net.visibility import PriorityWeights
from tests.support.session.driven import Driven, asked, received, skeleton
from tests.support.session.virtual import SWIFT, VirtualSession


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

    def noted(world: LimitedWorld, player: ColumnPos, guesser: GroundEstimator) -> ExpectedGround:
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
    driven.hear(*(skeleton(ColumnPos(x, 0), limit=1) for x in range(-6, 7)))
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
    assert asked(driven.hear(skeleton(limit=None)))
    for number in range(40):
        driven.hear(*([skeleton(ColumnPos(20 + number, 0))] if at_work else []))
    assert (driven.session.ledger.stats().timed_out == 0) == at_work
