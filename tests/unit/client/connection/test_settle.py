"""How a wait ends: with what is missing, with the time, or where nothing will come.

Stats: What a wait lacked at its deadline: hostile servers in virtual time, and places as boxes.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.connection.connection import Connection
from client.connection.live import MOST_CHANGES_S, WINDOW_S
from client.connection.settle import IDLE_S, Settling
from client.connection.stats import LISTED_BOXES, MissingPlace, PendingWork, Settled, boxes, pending_at
from client.options import Options
from client.session.config import SessionConfig
from client.streaming.anchors import Anchor
from client.streaming.timeouts import RequestLimits
from net.bedrock import LevelChunk, Message, SubChunkEntry, UpdateBlock
from net.server.faults import ALWAYS, ServerFaults
from net.server.options import HostOptions
from net.space import BlockPos, ColumnPos
from net.transport.loopback import Loopback
from tests.support.servers.hostile import Besieged
from tests.support.session.virtual import SWIFT, VirtualSession

# ---------------------------------------------------------------- settle


class Desk:
    """A clock that each turn and each rest moves, and turns that do something, or nothing."""

    def __init__(self, *busy: bool, rests_after: int = 1000) -> None:
        self.now = 100.0
        self.turns = 0
        self.rests: list[float] = []
        self.busy: Iterator[bool] = iter(busy)
        self.settling = Settling(self.turn, lambda: self.turns >= rests_after, lambda: self.now, self.rest)

    def turn(self) -> bool:
        self.turns += 1
        self.now += 1.0
        return next(self.busy, True)

    def rest(self, seconds: float) -> None:
        self.rests.append(seconds)


def test_what_is_there_takes_one_turn() -> None:
    desk = Desk()
    assert desk.settling.wait(lambda _now: None, 60.0) == Settled(True, "", 1.0)
    assert desk.turns == 1


def test_what_is_printed_is_short_whatever_is_missing() -> None:
    assert repr(Settled(True, "", 1.04)) == "<Settled: settled; 1.0 s>"
    missing = pending_at("unanswered", "sub-chunks", np.zeros((5000, 3), np.int32))
    late = Settled(False, "5000 answers", 60.0, (missing,))
    assert repr(late) == "<Settled: waiting for 5000 answers; 60.0 s; 5000 sub-chunks unanswered>"


def test_it_ends_at_its_time_with_what_was_missing_and_never_later() -> None:
    desk = Desk()
    told: list[str] = []
    ended = desk.settling.wait(lambda now: f"{now:g}", 3.0, told.append)
    assert ended == Settled(False, "103", 3.0)
    assert told == ["101", "102"]


def test_where_nothing_will_come_nobody_waits_for_the_time() -> None:
    assert Desk(rests_after=2).settling.wait(lambda _now: "more", 60.0) == Settled(False, "more", 2.0)


def test_one_rests_after_turns_in_which_nothing_was_done() -> None:
    desk = Desk(True, False, True, False)
    desk.settling.wait(lambda now: None if now > 104.5 else "more", 60.0)
    assert desk.rests == [IDLE_S, IDLE_S]


# ---------------------------------------------------------------- stats

TAIL = b"\x01\x02" * 25 + b"\x00"
SQUARE = list(itertools.product(range(-3, 4), repeat=2))
NOT_FOUND = 2


def skeletons() -> list[LevelChunk]:
    """All columns of radius 2 and one more, limit: two sub-chunks each."""
    return [LevelChunk(ColumnPos(x, z), 0, None, 1, None, TAIL) for x, z in SQUARE]


def besieged(*first: Message, radius: int = 2, light: bool = False) -> tuple[Besieged, Connection]:
    world = Besieged(*first, config=SessionConfig(radius=radius, player=SWIFT))
    return world, world.connection(Options(radius=radius, light=light))


def by_kind(missing: tuple[PendingWork, ...]) -> dict[str, PendingWork]:
    return {lack.kind: lack for lack in missing}


class Endless:
    """A loopback over which the server says something more each frame."""

    def __init__(self, link: Loopback, say: Any, messages: list[Message]) -> None:
        self._link, self._say, self._messages = link, say, messages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "now":
            self._link.now = value
        else:
            super().__setattr__(name, value)

    def events(self) -> Any:
        self._say(*self._messages)
        return self._link.events()


def flooded(world: Besieged, connection: Connection, messages: list[Message]) -> None:
    """From now on the server says these each frame."""
    transport: Any = connection._transport
    transport.link = Endless(world.link, world.server.say, messages)


def test_a_server_that_never_answers_is_told_by_place_age_and_tries() -> None:
    world, connection = besieged(*skeletons())
    ended = connection.wait_settled(7.5)
    assert not ended
    assert 7.5 <= ended.seconds < 7.6
    assert ended.waiting_for == f"{len(world.server.asked())} sub-chunks are requested and not answered yet"
    (out,) = ended.missing
    assert (out.kind, out.unit, out.count) == ("outstanding", "sub-chunks", len(world.server.asked()))
    assert {place.at for place in out.places} == {tuple(at) for at in world.server.asked()}
    assert [place.at for place in out.places] == sorted(place.at for place in out.places)
    for place in out.places:
        assert place.age_s is not None
        assert 0.0 <= place.age_s <= 4.0, "a time-out asks again, later each time"
        assert (place.asked, place.silences, place.refused) == (4, 3, 0)
    assert "requested" in out.words
    assert "4 times" in out.words


def test_a_server_that_refuses_for_ever_is_told_with_its_refusals() -> None:
    world, connection = besieged(*skeletons())
    world.server.answer = lambda offset: SubChunkEntry(*offset, NOT_FOUND)
    ended = connection.wait_settled(2.0)
    (out,) = ended.missing
    assert out.kind == "outstanding"
    assert {(place.asked, place.refused) for place in out.places} == {(4, 3)}
    assert f"{3 * out.count} refusals" in out.words
    assert connection.wait_settled(60.0), "six refusals are an answer"
    assert connection.states().get("refused", 0) > 0


def test_places_beyond_what_may_be_asked_are_wanted() -> None:
    mute = HostOptions(faults=ServerFaults(delay_s=1e9))
    config = SessionConfig(radius=2, player=SWIFT, limits=RequestLimits(outstanding=16, entries_per_packet=8))
    silent = VirtualSession("hills:1", mute, config).connection(Options(radius=2, light=False))
    missing = by_kind(silent.wait_settled(3.0).missing)
    assert missing["outstanding"].count == 16
    store = silent.session.dimension.store
    wanted = {tuple(at) for at in store.positions_of(silent.session.dimension.requests.asking.wanted).tolist()}
    assert {place.at for place in missing["wanted"].places} == wanted != set()
    assert all(place.age_s is None and place.asked == 0 for place in missing["wanted"].places)


def test_columns_are_missing_when_nothing_else_is() -> None:
    world, connection = besieged()
    ended = connection.wait_settled(1.0)
    assert ended.waiting_for == "no column has arrived yet"
    assert connection.unsettled() == ended.waiting_for
    connection.session.pin("elsewhere", Anchor.square(ColumnPos(9, 9), 1))
    assert connection.unsettled() == "the next requests are not chosen yet"
    (columns,) = ended.missing
    assert (columns.kind, columns.count) == ("unannounced", len(SQUARE))
    assert {place.at for place in columns.places} == set(SQUARE)
    assert columns.lines() == ["  unannounced: 49 columns", "    x -3..3, z -3..3"]
    assert not world.server.asked()


def test_a_source_that_changes_blocks_for_ever_ends_at_the_deadline() -> None:
    air = [LevelChunk(at.column, 0, None, 0, None, TAIL) for at in skeletons()]  # nothing to ask but the lowest
    world, connection = besieged(*air)
    world.server.answer = lambda offset: SubChunkEntry(*offset, 6)
    assert connection.wait_settled(10.0)
    flooded(world, connection, [UpdateBlock(BlockPos(x & 15, -60, x >> 4 & 15), x % 7, 0, 0) for x in range(100)])
    for _ in range(50):
        connection.pump()
    ended = connection.wait_settled(3.0)
    assert not ended
    assert 3.0 <= ended.seconds < 3.1
    assert "the world does not settle: " in ended.waiting_for
    (changing,) = ended.missing
    assert changing.kind == "changing"
    assert changing.count > MOST_CHANGES_S * WINDOW_S
    flooded(world, connection, [])
    calm = connection.wait_settled(3.0)
    assert calm
    assert calm.seconds < 1.0
    assert calm.missing == ()


def test_a_world_that_merely_lives_is_no_flood() -> None:
    world, connection = besieged(*skeletons())
    world.server.answer = lambda offset: SubChunkEntry(*offset, 6)
    flooded(world, connection, [UpdateBlock(BlockPos(3, -60, 3), 5, 0, 0)])
    assert connection.wait_settled(5.0)


def test_columns_that_are_announced_for_ever_end_at_the_deadline() -> None:
    world, connection = besieged(*skeletons())
    world.server.answer = lambda offset: SubChunkEntry(*offset, 6)
    flooded(world, connection, [*skeletons()])
    ended = connection.wait_settled(3.0)
    assert not ended
    assert 3.0 <= ended.seconds < 3.1
    assert by_kind(ended.missing)["changing"].count > MOST_CHANGES_S * WINDOW_S


def test_messages_that_come_faster_than_they_are_applied_are_told() -> None:
    world, connection = besieged(*skeletons())
    world.server.answer = lambda offset: SubChunkEntry(*offset, 6)
    transport: Any = connection._transport
    flooded(world, connection, [UpdateBlock(BlockPos(3, -60, 3), 5, 0, 0)] * 3)
    slow = iter(range(10**9))

    def clock() -> float:
        return transport.link.now + next(slow) * 0.2  # each look takes its time

    connection._clock = connection._live._clock = clock
    ended = connection.wait_settled(30.0)
    assert not ended
    assert "messages are not applied yet" in ended.waiting_for
    assert by_kind(ended.missing)["undecoded"].count > 0


def test_light_that_is_not_made_is_told_by_column() -> None:
    virtual = VirtualSession("flat:1", config=SessionConfig(radius=8, player=SWIFT))
    connection = virtual.connection(Options(radius=8))
    while connection.unsettled(connection.now):
        connection.pump()
    unlit = by_kind(connection.missing())["unlit"]
    assert unlit.unit == "columns"
    assert unlit.count == len(connection.session.dimension.store.row_of) == 19 * 19
    assert connection.wait_settled(5.0)
    assert connection.missing() == ()


def test_refused_for_ever_by_a_script_is_settled_in_the_end() -> None:
    faults = ServerFaults(refuse_percent=100, refuse_times=ALWAYS)
    connection = VirtualSession("flat:1", HostOptions(faults=faults)).connection(Options(radius=2, light=False))
    early = connection.wait_settled(1.0)
    assert by_kind(early.missing)["outstanding"].count == 49
    assert connection.wait_settled(60.0)


@pytest.mark.parametrize("count", [1, LISTED_BOXES, LISTED_BOXES + 1, LISTED_BOXES + 5])
def test_lines_name_the_first_boxes(count: int) -> None:
    places = tuple(MissingPlace((2 * x, 4, -1)) for x in range(count))
    first, *listed = PendingWork("wanted", "sub-chunks", count, places).lines()
    assert first == ("  wanted: 1 sub-chunk" if count == 1 else f"  wanted: {count} sub-chunks")
    assert listed[0] == "    x 0, y 4, z -1"
    more = count - LISTED_BOXES
    assert (listed[-1] == "    and one more box") == (more == 1)
    assert (listed[-1] == f"    and {more} more boxes") == (more > 1)


@given(st.sets(st.tuples(*(st.integers(-3, 3),) * 3), max_size=80))
def test_boxes_hold_exactly_the_places_each_once(places: set[tuple[int, int, int]]) -> None:
    held = []
    for low, high in boxes(places):
        held += list(itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))
    assert sorted(held) == sorted(places)


def test_a_full_box_is_one() -> None:
    cells = list(itertools.product(range(5), range(-2, 4), range(3)))
    assert boxes(cells) == [((0, -2, 0), (4, 3, 2))]
    assert boxes([]) == []
    assert boxes([(1, 0), (0, 0), (0, 1), (1, 1)]) == [((0, 0), (1, 1))]
