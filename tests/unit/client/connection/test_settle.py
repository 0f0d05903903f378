"""How a wait ends: with what is missing, with the time, or where nothing will come.

Stats: What a wait lacked at its deadline: hostile servers in virtual time, and places as boxes.

Boxes as arrays: what they hold, what they refuse, and how blocks of one world are told from those of another.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.connection.boxes import MOST_BLOCKS
from client.connection.connection import Connection
from client.connection.live import MOST_CHANGES_S, WINDOW_S
from client.connection.settle import IDLE_S, Settling
from client.connection.stats import LISTED_BOXES, MissingPlace, PendingWork, Settled, boxes, pending_at
from client.errors import UsageError
from client.options import Box, Options, box_of, parse_box
from client.session.config import SessionConfig
from client.streaming.anchors import Anchor
from client.streaming.limits import RequestLimits
from client.world.block_table import PLACEHOLDER_NAME
from net.bedrock import LevelChunk, Message, SubChunkEntry, UpdateBlock
from net.palette import BlockState
from net.server.faults import ALWAYS, RefusalFault, ServerFaults
from net.server.host_options import HostOptions
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
    assert repr(late) == "<Settled: not settled: 5000 sub-chunks unanswered; 60.0 s>"


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
        assert (place.requested, place.silences, place.refused) == (4, 3, 0)
    assert re.fullmatch(r"requested 4 times, last \d\.\d( to \d\.\d)? s ago, \d+ time-outs", out.words)


def test_a_server_that_refuses_for_ever_is_told_with_its_refusals() -> None:
    world, connection = besieged(*skeletons())
    world.server.answer = lambda offset: SubChunkEntry(*offset, NOT_FOUND)
    ended = connection.wait_settled(2.0)
    (out,) = ended.missing
    assert out.kind == "outstanding"
    assert {(place.requested, place.refused) for place in out.places} == {(4, 3)}
    assert f"{3 * out.count} refusals" in out.words
    assert connection.wait_settled(60.0), "six refusals are an answer"
    assert connection.states().get("refused", 0) > 0


def test_places_beyond_what_may_be_asked_are_wanted() -> None:
    mute = HostOptions(faults=ServerFaults(delay_s=1e9))
    config = SessionConfig(radius=2, player=SWIFT, limits=RequestLimits(outstanding=16, entries_per_packet=8))
    silent = VirtualSession("hills:1", mute, config).connection(Options(radius=2, light=False))
    early = by_kind(silent.wait_settled(0.5).missing)
    assert re.fullmatch(r"requested once, \d\.\d( to \d\.\d)? s ago", early["outstanding"].words)
    missing = by_kind(silent.wait_settled(3.0).missing)
    assert missing["outstanding"].count == 16
    store = silent.session.dimension.store
    wanted = {tuple(at) for at in store.positions_of(silent.session.dimension.requests.asking.wanted).tolist()}
    assert {place.at for place in missing["wanted"].places} == wanted != set()
    assert all(place.age_s is None and place.requested == 0 for place in missing["wanted"].places)


def test_columns_are_missing_when_nothing_else_is() -> None:
    world, connection = besieged()
    ended = connection.wait_settled(1.0)
    assert ended.waiting_for == "no column has arrived yet"
    assert connection.unsettled() == ended.waiting_for
    connection.session.pin("elsewhere", Anchor.square(ColumnPos(9, 9), 1))
    assert connection.unsettled() == "chunkscope is still choosing which sub-chunks to request"
    (columns,) = ended.missing
    assert (columns.kind, columns.count) == ("unannounced", len(SQUARE))
    assert {place.at for place in columns.places} == set(SQUARE)
    assert columns.lines() == ["  unannounced: 49 columns", "    columns -3,-3 to 3,3"]
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
    faults = ServerFaults(refusals=(RefusalFault(2, 1.0, ALWAYS),))
    connection = VirtualSession("flat:1", HostOptions(faults=faults)).connection(Options(radius=2, light=False))
    early = connection.wait_settled(1.0)
    assert by_kind(early.missing)["outstanding"].count == 49
    assert connection.wait_settled(60.0)


@pytest.mark.parametrize("count", [1, LISTED_BOXES, LISTED_BOXES + 1, LISTED_BOXES + 5])
def test_lines_name_the_first_boxes(count: int) -> None:
    places = tuple(MissingPlace((2 * x, 4, -1)) for x in range(count))
    first, *listed = PendingWork("wanted", "sub-chunks", count, places).lines()
    assert first == ("  wanted: 1 sub-chunk" if count == 1 else f"  wanted: {count} sub-chunks")
    assert listed[0] == "    sub-chunk 0,4,-1"
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


# --------------------------------------------------------------------- test boxes

BOX = (-5, -60, 3, 27, 90, 20)


@pytest.fixture(scope="module")
def hills() -> Iterator[Connection]:
    with VirtualSession("hills:1").connection() as world:
        assert world.wait_settled()
        yield world


def test_axes_are_x_z_y_and_the_second_corner_does_not_belong_to_the_box(hills: Connection) -> None:
    blocks = hills.blocks(BOX)
    assert (blocks.shape, blocks.dtype) == ((32, 17, 150), np.uint16)
    for x, y, z in ((-5, -60, 3), (26, 89, 19), (0, 60, 16), (15, 16, 15)):
        assert blocks[x + 5, z - 3, y + 60] == hills.block((x, y, z)).dense
    light = hills.light(BOX)
    assert light.daylight[5, 0, 149] == hills.light((0, 89, 3)).daylight == 15
    assert {array.shape for array in (light.red, light.green, light.blue, light.lit, hills.biomes(BOX))} == {
        blocks.shape
    }


def test_arrays_of_one_world_compare_and_their_ids_have_names_and_states(hills: Connection) -> None:
    low, high = hills.blocks((0, 0, 0, 8, 70, 8)), hills.blocks((0, 0, 0, 16, 70, 16))
    assert (low == high[:8, :8]).all()
    view = hills.block((3, 63, 5))
    assert hills.block_names[low[3, 5, 63]] == view.name
    assert dict(hills.block_states[low[3, 5, 63]].states) == view.states


def test_what_is_unknown_is_never_air_in_either_layer(hills: Connection) -> None:
    far = (4000, 0, 4000, 4016, 16, 4016)
    for layer in (0, 1):
        assert (hills.blocks(far, layer) == hills.unknown_id).all()
    assert hills.unknown_id != 0
    assert hills.block_names[hills.unknown_id] == PLACEHOLDER_NAME
    assert not hills.light(far).lit.any()
    assert (hills.biomes(far) == 65535).all()
    assert not len(hills.find("air", far))


def test_the_second_layer_of_what_is_known_is_read(hills: Connection) -> None:
    found = hills.find("water", BOX, layer=1)
    second = hills.blocks(BOX, 1)
    assert set(np.unique(second).tolist()) <= {0, *hills.ids("water").tolist(), hills.unknown_id}
    assert len(found) == np.isin(second, hills.ids("water")).sum()


def test_hidden_sub_chunks_are_known_once_a_box_is_requested() -> None:
    virtual = VirtualSession("hills:1", HostOptions(radius_max=6), SessionConfig(radius=5, player=SWIFT), protocol=486)
    box = (64, -64, 0, 96, 64, 32)
    with virtual.connection(Options(radius=5)) as world:
        assert world.wait_settled()
        before = world.blocks(box)
        assert (before == world.unknown_id).any(), "nobody sees what lies deep down there"
        assert world.request(box)
        after = world.blocks(box)
        assert not (after == world.unknown_id).any()
        known = before != world.unknown_id
        assert (before[known] == after[known]).all()
        assert world.light(box).lit.all()


def test_a_request_says_what_it_waited_for_in_vain() -> None:
    with VirtualSession("flat:1").connection() as world:
        world.wait_settled()
        ended = world.request((3200, -64, 3200, 3232, -48, 3232), timeout_s=0.5)
        assert not ended
        assert ended.missing


def test_a_request_gives_up_what_was_asked_in_vain_as_health_does() -> None:
    _, connection = besieged(*skeletons())
    ended = connection.request((0, -64, 0, 16, -48, 16), timeout_s=300.0)
    assert not ended
    assert ended.seconds < 60.0
    assert ended.waiting_for.endswith(" sub-chunks got no answer to 3 or more requests")


def test_a_wait_gives_up_what_was_asked_in_vain_if_it_may() -> None:
    _, connection = besieged(*skeletons())
    ended = connection.wait_settled(300.0, give_up=True)
    assert not ended
    assert ended.seconds < 60.0
    assert ended.waiting_for.endswith(" sub-chunks got no answer to 3 or more requests")
    assert ended.missing


# ---------------------------------------------------------------- find


def test_blocks_are_found_where_they_are_in_the_order_of_the_axes(hills: Connection) -> None:
    found = hills.find("minecraft:diamond_ore", BOX)
    cells = np.argwhere(np.isin(hills.blocks(BOX), hills.ids("diamond_ore")))
    assert found.dtype == np.int32
    assert len(found)
    assert (found[:, [0, 2, 1]] == np.add(cells, (BOX[0], BOX[2], BOX[1]))).all(), "by x, then z, then y"
    everywhere = {tuple(each) for each in hills.find("diamond_ore").tolist()}
    assert {tuple(each) for each in found.tolist()} < everywhere


def test_one_state_is_found_and_quotes_may_be_left_out(hills: Connection) -> None:
    granite = hills.find("stone[stone_type=granite]", BOX)
    assert len(granite)
    assert (granite == hills.find(' minecraft:stone["stone_type"="granite"]', BOX)).all()
    assert {hills.block(tuple(each)).states["stone_type"] for each in granite[:20].tolist()} == {"granite"}
    assert len(hills.find("stone", BOX)) > len(granite)


def test_more_blocks_than_memory_is_meant_for_are_an_error(hills: Connection) -> None:
    with pytest.raises(UsageError, match="More than 1000 blocks are 'stone': give a box, or a higher number as most"):
        hills.find("stone", most=1000)
    few = hills.find("diamond_ore")
    assert len(hills.find("diamond_ore", most=len(few))) == len(few)
    with pytest.raises(UsageError, match="More than"):
        hills.find("diamond_ore", most=len(few) - 1)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("dimond_ore", r"no block 'minecraft:dimond_ore' in this world's palette \(nearest: diamond_ore\)"),
        ("other:qqqqqqqq", r"no block 'other:qqqqqqqq' in this world's palette\."),
        ("", "no block 'minecraft:'"),
        (
            "stone[stone_type=gold]",
            r"No state of minecraft:stone is 'stone\[stone_type=gold\]'; its states are .*granite",
        ),
        ("stone[", r"'stone\[' is not a block: write NAME or NAME\[PROPERTY=VALUE,\.\.\.\]"),
        ("stone[granite]", "is not a block"),
    ],
)
def test_a_name_that_is_no_block_is_named_with_what_is_there(hills: Connection, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        hills.find(name)


# ---------------------------------------------------------------- two worlds


def test_ids_of_one_world_become_those_of_another_of_another_release() -> None:
    box = (-16, -64, -16, 16, -56, 16)
    with VirtualSession("flat:1").connection() as old, VirtualSession("flat:1", protocol=2193).connection() as new:
        assert old.wait_settled()
        assert new.wait_settled()
        assert (old.blocks(box) != new.blocks(box)).any(), "else this shows nothing"
        translated = new.ids_in(old)[new.blocks(box)]
        assert (translated == old.blocks(box))[:, :, 0].all(), "bedrock is the same in both"
        assert (translated[:, :, 1] == 65535).all(), "dirt had a property then"
        far = (4000, 0, 4000, 4016, 16, 4016)
        assert (old.ids_in(new)[old.blocks(far)] == new.unknown_id).all()


def test_a_changed_block_is_what_differs() -> None:
    box, at = (0, -64, 0, 16, -50, 16), BlockPos(3, -58, 9)
    first, second = VirtualSession("flat:1"), VirtualSession("flat:1")
    second.host.set_block(at, BlockState("minecraft:glowstone"))
    with first.connection() as one, second.connection() as other:
        assert one.wait_settled()
        assert other.wait_settled()
        differs = one.ids_in(other)[one.blocks(box)] != other.blocks(box)
    assert np.argwhere(differs).tolist() == [[at.x, at.z, at.y + 64]]


# ---------------------------------------------------------------- what cannot be meant


@pytest.mark.parametrize(
    ("box", "says"),
    [
        ((0, 0, 0, 0, 5, 5), "box 0,0,0,0,5,5 is empty along x, from 0 to 0"),
        ((0, 5, 0, 5, 0, 5), "box 0,5,0,5,0,5 is empty along y, from 5 to 0"),
        ((0, -65, 0, 5, 5, 5), "reaches out of the overworld: its y is -65 to 4, and the world's is -64 to 319"),
        ((0, 0, 0, 5, 321, 5), "reaches out of the overworld: its y is 0 to 320, and the world's is -64 to 319"),
        ((1 << 31, 0, 0, (1 << 31) + 5, 5, 5), "reaches out of the overworld: its x is 2147483648 to"),
        ((0, 0, 0, 10**6, 100, 10**4), f"has 1000000000000 blocks; at most {MOST_BLOCKS} are read at once"),
        ((0, 0, 0, 1, 1), r"\(0, 0, 0, 1, 1\) is not a box: write \(X0, Y0, Z0, X1, Y1, Z1\) in whole blocks"),
        ((0, 0, 0, 1.5, 1, 1), "is not a box"),
        ("0,0,0,1,1,1", "is not a box"),
        (7, "7 is not a box"),
    ],
)
def test_a_box_that_cannot_be_read_is_refused_with_its_reason(hills: Connection, box: Any, says: str) -> None:
    for read in (hills.blocks, hills.biomes, hills.light, lambda box: hills.find("stone", box)):
        with pytest.raises(UsageError, match=says):
            read(box)


def test_a_request_no_radius_reaches_and_one_of_too_many_blocks_are_refused(hills: Connection) -> None:
    with pytest.raises(UsageError, match="is 25 columns wide, more than a radius of 2 reaches: connect with radius=12"):
        hills.request((0, 0, 0, 400, 10, 10))
    with pytest.raises(UsageError, match="has 1000000000000 blocks"):
        hills.request((0, 0, 0, 10**6, 100, 10**4))


def test_there_are_two_layers(hills: Connection) -> None:
    with pytest.raises(UsageError, match="no layer 2; a block has layers 0 and 1"):
        hills.blocks(BOX, 2)
    with pytest.raises(UsageError, match="no layer -1"):
        hills.find("water", BOX, layer=-1)


def test_a_box_is_written_as_it_is_read() -> None:
    box = Box(BlockPos(-1, -64, 3), BlockPos(2, 0, 5))
    assert str(box) == "-1,-64,3,2,0,5"
    assert parse_box(str(box)) == box_of([np.int64(each) for each in (-1, -64, 3, 2, 0, 5)]) == box_of(box) == box
    with pytest.raises(UsageError, match="empty along z"):
        box_of(Box(BlockPos(0, 0, 0), BlockPos(1, 1, -1)))
