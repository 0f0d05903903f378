"""Servers that answer wrongly on purpose: state right, memory and traffic bounded, one warning line a kind."""

from collections.abc import Iterable

import numpy as np
import pytest
from msgspec.structs import replace

from client.player import Eye, View
from client.session import requests
from client.session.config import SessionConfig
from client.session.stats import states_of, warnings_of
from client.session.terrain import TerrainStats
from client.streaming.ledger import LedgerStats
from client.streaming.limits import RequestLimits
from client.world.lifecycle import SubChunkState
from net.bedrock import (
    LevelChunk,
    Message,
    NetworkChunkPublisherUpdate,
    SubChunk,
    SubChunkEntry,
    SubChunkRequest,
    SubChunkResult,
)
from net.bedrock.codec import Codec
from net.peer import Event, Received
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.space import BlockPos, ColumnPos, SubChunkPos
from render.bench.streaming import holes
from tests.support.servers.hostile import Besieged
from tests.support.session.virtual import SWIFT, VirtualSession

TAIL = b"\x01\x02" * 25 + b"\x00"
STONE = b"\x08\x01\x01\x02"  # one layer of one block, its runtime id 1
AIR, DATA = int(SubChunkResult.SUCCESS_ALL_AIR), int(SubChunkResult.SUCCESS)
MIDDLE = SubChunkPos(0, 0, 0)
FAR = SubChunkPos(2**31 - 1, 2**31 - 1, 2**31 - 1)
CONFIG = SessionConfig(radius=1, player=SWIFT)


def skeleton(x: int = 0, z: int = 0, limit: int | None = 3) -> LevelChunk:
    return LevelChunk(ColumnPos(x, z), 0, None, limit, None, TAIL)


def answers(entries: Iterable[SubChunkEntry], dimension: int = 0, centre: SubChunkPos = MIDDLE) -> SubChunk:
    return SubChunk(False, dimension, centre, tuple(entries))


def column_of_four(result: int = DATA, payload: bytes = STONE) -> list[SubChunkEntry]:
    return [SubChunkEntry(0, y, 0, result, payload if result == DATA else b"") for y in range(-4, 0)]


def states(world: Besieged) -> list[SubChunkState]:
    store = world.session.dimension.store
    return [SubChunkState(int(store.state[store.place_of(SubChunkPos(0, y, 0))])) for y in range(-4, 0)]


def warnings(world: VirtualSession) -> tuple[str, ...]:
    return world.session.stats(world.now).warnings


def test_an_honest_server_is_not_warned_of() -> None:
    virtual = VirtualSession("hills:1", config=CONFIG)
    assert virtual.settle()
    assert warnings(virtual) == ()


def test_columns_of_another_dimension_are_ignored_and_told_in_one_line() -> None:
    world = Besieged(skeleton())
    world.rest()
    reset = LevelChunk(ColumnPos(0, 0), 1, None, 3, None, TAIL)
    world.session.handle(Received(reset, world.now, 0, 0), world.now)
    assert states(world) == [SubChunkState.REQUESTED] * 4
    world.bear(answers(column_of_four()))
    for x in range(3):  # announced again the first would be RESET, and the others would be there
        strange = LevelChunk(ColumnPos(x, 0), -1, None, 3, None, TAIL)
        world.session.handle(Received(strange, world.now, 0, 0), world.now)
    whole = LevelChunk(ColumnPos(0, 1), 2, 1, None, None, STONE + TAIL)
    world.session.handle(Received(whole, world.now, 0, 0), world.now)
    world.rest()
    assert states(world) == [SubChunkState.DATA] * 4
    assert set(world.session.dimension.store.row_of) == {ColumnPos(0, 0)}
    assert warnings(world) == ("5 columns were for another dimension and ignored",)
    terrain = world.session.stats(world.now).terrain
    assert (terrain.columns, terrain.foreign_columns, terrain.faults) == (6, 5, 0)


@pytest.mark.parametrize("dimension", [0, None])
def test_columns_of_this_dimension_and_of_releases_that_do_not_say_it_are_taken(dimension: int | None) -> None:
    world = Besieged()
    column = LevelChunk(ColumnPos(0, 0), dimension, None, 3, None, TAIL)
    world.session.handle(Received(column, world.now, 0, 0), world.now)
    assert ColumnPos(0, 0) in world.session.dimension.store.row_of
    assert warnings(world) == ()


def test_answers_from_another_dimension_settle_nothing() -> None:
    world = Besieged(skeleton())
    world.rest()
    outstanding = world.session.ledger.outstanding
    for _ in range(50):
        world.bear(answers(column_of_four(), dimension=1))
    assert states(world) == [SubChunkState.REQUESTED] * 4
    assert world.session.ledger.outstanding == outstanding
    assert [line for line in warnings(world) if "another dimension" in line] == [
        "200 answers were for another dimension and ignored"
    ]
    world.bear(answers(column_of_four()))
    assert states(world) == [SubChunkState.DATA] * 4


@pytest.mark.parametrize(
    ("offset", "centre"),
    [
        ((127, 127, 127), FAR),
        ((1, 1, 1), FAR),
        ((-128, -128, -128), SubChunkPos(-(2**31), -(2**31), -(2**31))),
        ((0, -128, 0), SubChunkPos(0, 0, 0)),
        ((-128, 0, -128), SubChunkPos(0, 0, 0)),
    ],
)
def test_positions_past_the_ends_of_numbers_are_nowhere(offset: tuple[int, int, int], centre: SubChunkPos) -> None:
    world = Besieged(skeleton())
    world.rest()
    before = states_of(world.session.dimension.store)
    world.bear(answers([SubChunkEntry(*offset, DATA, STONE)], centre=centre))
    assert states_of(world.session.dimension.store) == before
    assert any("outside the announced columns" in line for line in warnings(world))
    world.bear(answers(column_of_four()))
    assert states(world) == [SubChunkState.DATA] * 4


def test_an_offset_of_minus_128_that_leads_to_an_asked_place_is_used() -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(answers([SubChunkEntry(-128, 0, 0, DATA, STONE)], centre=SubChunkPos(128, -4, 0)))
    assert states(world)[0] is SubChunkState.DATA


@pytest.mark.parametrize("count", [5, 200, 2**31 - 1])
def test_a_count_that_lies_costs_its_packet(count: int) -> None:
    world = Besieged(skeleton())
    world.rest()
    codec = Codec(486)
    packet = codec.encode(answers(column_of_four()))
    at = packet.index(b"\x04\x00\x00\x00", 4)  # u32 of four entries
    world.bear(packet[:at] + count.to_bytes(4, "little") + packet[at + 4 :])
    assert set(states(world)) <= {SubChunkState.REQUESTED, SubChunkState.DATA}
    assert len(warnings(world)) == 1
    assert warnings(world)[0].startswith("1 packet could not be decoded; ")
    world.rest(1.5)
    world.bear(answers(column_of_four()))
    assert states(world) == [SubChunkState.DATA] * 4


def test_a_count_that_is_too_small_leaves_the_rest_to_be_asked_again() -> None:
    world = Besieged(skeleton())
    world.rest()
    packet = Codec(486).encode(answers(column_of_four()))
    at = packet.index(b"\x04\x00\x00\x00", 4)
    world.bear(packet[:at] + b"\x02" + packet[at + 1 :])
    assert states(world) == [SubChunkState.DATA] * 2 + [SubChunkState.REQUESTED] * 2
    world.rest(1.5)
    world.bear(answers(column_of_four()))
    assert states(world) == [SubChunkState.DATA] * 4


def test_another_code_for_each_place_is_one_line() -> None:
    world = Besieged(*(skeleton(x, 0, limit=None) for x in range(-2, 3)))
    world.rest(1.0)
    codes = [code for code in range(256) if code not in (0, 1, 2, 4, 6)]
    places = [(x, y) for x in range(-2, 3) for y in range(-4, 20)]
    world.bear(answers(SubChunkEntry(x, y, 0, code) for (x, y), code in zip(places, codes, strict=False)))
    lines = [line for line in warnings(world) if "refused" in line]
    assert len(lines) == 1
    assert lines[0].startswith("120 sub-chunks were refused: wrong dimension, y out of bounds, unknown code 7 and 117")
    asked = world.session.ledger.stats().asked
    world.rest(60.0)
    assert world.session.ledger.stats().asked == asked, "what was refused is not asked again"


class Twice(VirtualSession):
    """All the server says of sub-chunks is heard twice."""

    def receive(self, event: Event, now: float) -> None:
        super().receive(event, now)
        if isinstance(event, Received) and isinstance(event.message, SubChunk):
            super().receive(event, now)


class LyingLimits(VirtualSession):
    """Every column tells a limit that is up to six sub-chunks too high, or none, where there may be ground or not."""

    def receive(self, event: Event, now: float) -> None:
        if isinstance(event, Received) and isinstance(event.message, LevelChunk) and event.message.limit is not None:
            lie = (3 * event.message.column.x + 5 * event.message.column.z) % 8
            limit = None if lie == 7 else min(event.message.limit + lie, 23)
            event = replace(event, message=replace(event.message, limit=limit))
        super().receive(event, now)


def test_limits_that_lie_over_a_slow_line_cost_few_questions_and_leave_no_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    for slow_line_s in (1000.0, 0.0):
        monkeypatch.setattr(requests, "SLOW_LINE_S", slow_line_s)
        virtual = LyingLimits("hills:1", config=CONFIG)
        assert virtual.settle()
        session, store = virtual.session, virtual.session.dimension.store
        assert holes(store, session.movement.view, session.radius) == 0
        asked.append(session.ledger.stats().asked)
        assert session.ledger.stats().settled == asked[-1]
    columns = len(store.announced_rows)
    assert asked[1] <= asked[0] + 5 * columns, "a guess shows the five places beside it at most, and each has one"


def content(virtual: VirtualSession) -> dict[ColumnPos, bytes]:
    store = virtual.session.dimension.store
    sections = store.dimension.sections
    return {
        column: store.state[row * sections : (row + 1) * sections].tobytes() for column, row in store.row_of.items()
    }


def test_everything_twice_is_everything_once() -> None:
    once, twice = VirtualSession("hills:1", config=CONFIG), Twice("hills:1", config=CONFIG)
    assert once.settle()
    assert twice.settle()
    assert content(once) == content(twice)
    stats = twice.session.ledger.stats()
    assert stats.asked == stats.settled == stats.unasked == once.session.ledger.stats().asked
    assert warnings(twice) == (f"{stats.asked} answers were unsolicited or duplicates",)


@pytest.mark.parametrize(
    "faults",
    [
        ServerFaults(reverse=True),
        ServerFaults(refusals=(RefusalFault(2, 1.0),)),
        ServerFaults(refusals=(RefusalFault(2, 1.0, 5),)),
    ],
)
def test_reversed_answers_and_not_found_first_end_in_the_same_world(faults: ServerFaults) -> None:
    plain = VirtualSession("hills:1", config=CONFIG)
    spoilt = VirtualSession("hills:1", HostOptions(faults=faults), CONFIG)
    assert plain.settle()
    assert spoilt.settle(300.0)
    assert content(plain) == content(spoilt)
    assert warnings(spoilt) == ()


def test_not_found_for_ever_ends_in_refusals_after_six_questions_each() -> None:
    virtual = VirtualSession(
        "hills:1", HostOptions(faults=ServerFaults(refusals=(RefusalFault(2, 1.0, 1000),))), CONFIG
    )
    assert virtual.settle(300.0)
    stats = virtual.session.ledger.stats()
    assert stats.asked == 6 * stats.closed > 0
    assert warnings(virtual) == (f"{stats.closed} sub-chunks were refused: chunk not found",)


def test_a_server_that_answers_nothing_costs_bounded_memory_and_traffic() -> None:
    world = Besieged(*(skeleton(x, z, limit=None) for x in range(-2, 3) for z in range(-2, 3)))
    places = 25 * 24
    world.rest(62.0)
    stats, slots = world.session.ledger.stats(), world.session.dimension.store.pools.stats().slots
    assert stats.outstanding <= places
    assert stats.asked <= 7 * places, "at 0, 1, 3, 7, 15, 31 and 61 s, a little sooner"
    assert world.session.stats(world.now).requests.packets <= 7 * 12
    line = world.session.ledger._line
    assert len(line._asked) < 100
    world.rest(60.0)
    assert world.session.ledger.stats().asked <= 10 * places
    assert world.session.dimension.store.pools.stats().slots == slots
    assert len(warnings(world)) == 1
    assert warnings(world)[0].endswith("requests were not answered in time (a sub-chunk counts each time)")
    world.bear(answers(SubChunkEntry(0, y, 0, AIR) for y in range(-4, 20)))
    assert states(world) == [SubChunkState.ALL_AIR] * 4


def test_a_server_that_is_merely_slow_is_told_of_only_while_it_is_silent() -> None:
    world = Besieged(skeleton())
    world.rest(3.5)
    assert world.session.ledger.stats().timed_out == 2 * 4, "asked at 0, 1 and 3 s"
    assert warnings(world) == ("8 requests were not answered in time (a sub-chunk counts each time)",)
    for _ in range(3):  # in the end it answers each request
        world.bear(answers(column_of_four()))
        assert warnings(world) == ()
    assert states(world) == [SubChunkState.DATA] * 4
    world.bear(answers(column_of_four()))
    assert warnings(world) == ("4 answers were unsolicited or duplicates",)


def test_a_server_that_answers_one_place_for_ever_keeps_the_others_waiting_no_longer_than_silence() -> None:
    world = Besieged(skeleton())
    world.rest()
    for _ in range(100):
        world.bear(answers([SubChunkEntry(0, -4, 0, DATA, STONE)]))
    stats = world.session.ledger.stats()
    assert states(world)[0] is SubChunkState.DATA
    assert stats.timed_out >= 3 * 4, "each of the other three at 1, 3, 7 and 15 s"


def test_whole_columns_close_what_was_asked_of_them() -> None:
    virtual = VirtualSession("hills:1", HostOptions(mode=ColumnMode.FULL), CONFIG)
    assert virtual.settle()
    assert virtual.session.ledger.stats().asked == 0
    assert warnings(virtual) == ()
    assert not [m for m in virtual.sent if isinstance(m, SubChunkRequest)]
    asked = VirtualSession("hills:1", config=CONFIG)
    assert asked.settle()
    full, split = content(virtual), content(asked)
    known = {SubChunkState.DATA, SubChunkState.ALL_AIR, SubChunkState.KNOWN_AIR}
    assert full.keys() == split.keys()
    assert {state for states in full.values() for state in states} <= known


def test_a_whole_column_that_comes_while_its_places_are_asked_settles_them() -> None:
    world = Besieged(skeleton())
    world.rest()
    assert world.session.ledger.outstanding == 4
    whole = LevelChunk(ColumnPos(0, 0), 0, 4, None, None, STONE * 4 + TAIL)
    world.bear(whole)
    assert states(world) == [SubChunkState.DATA] * 4
    assert world.session.ledger.outstanding == 0


def positions(message: Message) -> set[tuple[int, ...]]:
    assert isinstance(message, SubChunkRequest)
    return {tuple(p) for p in (message.offsets.astype(np.int64) + message.centre).tolist()}


@pytest.mark.parametrize("radius", [1, 2, 6])
def test_nothing_is_asked_outside_the_granted_radius_and_the_dimension(radius: int) -> None:
    config = SessionConfig(radius=radius, player=SWIFT, limits=RequestLimits(ticking_radius=4))
    columns = [skeleton(x, z, limit=None) for x in range(-9, 10) for z in range(-9, 10)]
    world = Besieged(*columns, config=config)
    world.rest(2.0)
    asked = set().union(*(positions(m) for m in world.sent if isinstance(m, SubChunkRequest)))
    player = world.session.movement.eye.subchunk
    granted = radius + 1
    assert asked
    assert all(max(abs(x - player.x), abs(z - player.z)) <= granted and -4 <= y < 20 for x, y, z in asked)


def test_one_of_a_kind_is_told_in_the_singular() -> None:
    def told(times: int) -> tuple[str, ...]:
        terrain = TerrainStats(0, 0, {}, 0, 0, times, times, {2: times}, times, ("x",), 0, 0, 0, times)
        ledger = LedgerStats(0, 0, 0, 0, 0, 0, timed_out=times, unasked=times, window=0)
        return tuple(words for _, words in warnings_of(terrain, ledger, times, "y"))

    assert told(1) == (
        "1 packet could not be decoded; the latest: y",
        "1 answer or column could not be decoded; the latest: x",
        "1 column was for another dimension and ignored",
        "1 answer was for another dimension and ignored",
        "1 answer was for a place outside the announced columns and ignored",
        "1 answer was unsolicited or a duplicate",
        "1 sub-chunk was refused: chunk not found",
        "1 request was not answered in time (a sub-chunk counts each time)",
    )
    assert told(2) == (
        "2 packets could not be decoded; the latest: y",
        "2 answers or columns could not be decoded; the latest: x",
        "2 columns were for another dimension and ignored",
        "2 answers were for another dimension and ignored",
        "2 answers were for places outside the announced columns and ignored",
        "2 answers were unsolicited or duplicates",
        "2 sub-chunks were refused: chunk not found",
        "2 requests were not answered in time (a sub-chunk counts each time)",
    )


@pytest.mark.parametrize("codes", [(5, DATA), (DATA, 5), (2, DATA)])
def test_a_place_that_is_refused_and_sent_in_one_breath_is_asked_again_after_it_was_let_go(
    codes: tuple[int, int],
) -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(answers(SubChunkEntry(0, -4, 0, code, STONE if code == DATA else b"") for code in codes))
    assert states(world)[0] is SubChunkState.DATA
    assert not any("refused" in line for line in warnings(world))
    home = world.session.movement.eye
    world.session.set_view(View(Eye(home.x + 400.0, home.y, home.z)))
    world.until(lambda: states(world)[0] is SubChunkState.EVICTED)
    world.session.set_view(View(home))
    world.until(lambda: states(world)[0] is SubChunkState.REQUESTED)


def test_what_was_refused_is_asked_again_when_its_column_is_announced_again() -> None:
    world = Besieged(skeleton())
    world.rest()
    world.bear(answers(column_of_four(5)))
    assert states(world) == [SubChunkState.REFUSED] * 4
    world.bear(skeleton())
    assert states(world) == [SubChunkState.REQUESTED] * 4


def test_what_is_outstanding_is_let_go_with_its_column() -> None:
    world = Besieged(skeleton())
    world.rest()
    assert world.session.ledger.outstanding == 4
    home = world.session.movement.eye
    world.session.set_view(View(Eye(home.x + 400.0, home.y, home.z)))
    world.rest()
    world.bear(NetworkChunkPublisherUpdate(BlockPos(int(home.x) + 400, 70, 8), 32))
    assert not world.session.dimension.store.row_of
    assert world.session.ledger.outstanding == 0
