"""The queue of what one client is owed."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from net.bedrock import SubChunkRequest, SubChunkResult
from net.palette import Palette
from net.server import requests
from net.server.block_ids import LocalStates
from net.server.column_provider import ColumnProvider
from net.server.faults import ServerFaults
from net.server.requests import AnswerQueue
from net.server.sent_chunks import SentChunks
from net.server.worlds.flat import FlatWorld
from net.space.dimensions import OVERWORLD
from net.space.layout import SubChunkPositions
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from tests.support.data.shared import form_of
from tests.support.worlds.server import WatchedWorld

FORM = form_of(Palette.for_protocol(486), FlatWorld().states, 25)


def make(
    kept_columns: int = 16, faults: ServerFaults | None = None
) -> tuple[WatchedWorld, ColumnProvider, AnswerQueue, SentChunks]:
    world = WatchedWorld()
    provider = ColumnProvider(world, LocalStates(world.states), kept_columns)
    tracking = SentChunks(BlockPos(0, 0, 0), 1)
    for column in tracking.take(9):
        provider.snapshot(column)
    world.made.clear()
    return world, provider, AnswerQueue(provider, OVERWORLD, FORM, faults or ServerFaults()), tracking


def request(*offsets: tuple[int, int, int]) -> SubChunkRequest:
    return SubChunkRequest(0, SubChunkPos(0, -4, 0), np.array(offsets, np.int8).reshape(-1, 3))


def test_answers_make_no_column_and_share_its_bytes() -> None:
    world, _, owed, tracking = make()
    for _ in range(2):
        owed.ask(request((0, 0, 0)), 0.0)
    (first, _), (second, _) = (owed.next_packet(tracking, 10, 0.0) or (None, 0) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.entries[0].payload is second.entries[0].payload
    assert world.made == []


def test_unmodified_columns_are_forgotten_and_modified_ones_are_not() -> None:
    world, provider, _, _ = make(kept_columns=2)
    provider.set_block(BlockPos(0, -64, 0), 0, 0, tick=7)
    for x in (1, 2, 3):
        provider.snapshot(ColumnPos(x, 0))
    assert not provider.holds(ColumnPos(1, 0))
    assert provider.holds(ColumnPos(0, 0))
    assert provider.snapshot(ColumnPos(0, 0)).version(0) == (1, 7)
    assert provider.snapshot(ColumnPos(0, 0)).version(1) == (0, 0)
    assert provider.snapshot(ColumnPos(1, 0)).version(0) == (0, 0)
    assert world.made.count(ColumnPos(1, 0)) == 2
    assert world.made.count(ColumnPos(0, 0)) == 1


def test_requests_beyond_the_bound_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "MOST_WAITING", 3)
    _, _, owed, tracking = make()
    owed.ask(request((0, 0, 0), (0, 1, 0)), 0.0)
    owed.ask(request((0, 0, 0), (0, 1, 0)), 0.0)
    assert (owed.waiting, owed.dropped) == (2, 2)
    packet = owed.next_packet(tracking, 10, 0.0)
    assert packet is not None
    assert len(packet[0].entries) == 2
    assert owed.next_packet(tracking, 10, 0.0) is None


def by_distance(places: SubChunkPositions) -> npt.NDArray[np.float32]:
    numbers: npt.NDArray[np.float32] = np.abs(places - (0, -4, 0)).sum(axis=1).astype(np.float32)
    return numbers


def order_of(owed: AnswerQueue, tracking: SentChunks, now: float = 0.0) -> list[tuple[int, int, int]]:
    """The places of all answers as they come."""
    told = []
    while (packet := owed.next_packet(tracking, 10, now)) is not None:
        x, y, z = packet[0].centre
        told += [(x + e.dx, y + e.dy, z + e.dz) for e in packet[0].entries]
    return told


def arranged(
    kept_columns: int = 16, faults: ServerFaults | None = None
) -> tuple[ColumnProvider, AnswerQueue, SentChunks]:
    _, provider, _, tracking = make(kept_columns)
    return provider, AnswerQueue(provider, OVERWORLD, FORM, faults or ServerFaults(), 0, by_distance), tracking


def test_answers_go_by_the_players_need_over_all_requests() -> None:
    _, owed, tracking = arranged()
    owed.ask(request((1, 30, 0), (1, 0, 1)), 0.0)
    owed.ask(request((0, 0, 0), (0, 12, 0)), 0.0)
    assert order_of(owed, tracking) == [(0, -4, 0), (0, 8, 0), (1, -4, 1), (1, 26, 0)]


def test_what_was_asked_long_ago_goes_before_what_is_a_little_nearer() -> None:
    _, owed, tracking = arranged()
    owed.ask(request((1, 10, 1)), 0.0)
    owed.ask(request((0, 0, 0)), 1.0)
    assert order_of(owed, tracking, 1.0) == [(1, 6, 1), (0, -4, 0)]


@pytest.mark.parametrize(("apart", "sizes"), [(math.inf, [2, 1]), (requests.PACKET_NEEDS, [1, 1, 1])])
def test_a_packet_ends_where_another_request_is_needed_much_sooner(apart: float, sizes: list[int]) -> None:
    _, owed, tracking = arranged()
    owed.ask(request((0, 0, 0), (0, 23, 0)), 0.0)
    owed.ask(request((1, 1, 0)), 0.0)
    packets = [owed.next_packet(tracking, 10, 0.0, apart=apart) for _ in sizes]
    assert [len(packet[0].entries) for packet in packets if packet] == sizes


def test_reversed_answers_are_reversed_whatever_is_needed() -> None:
    _, owed, tracking = arranged(faults=ServerFaults(reverse=True))
    owed.ask(request((0, 0, 0), (1, 0, 0), (1, 0, 1)), 0.0)
    assert order_of(owed, tracking) == [(1, -4, 1), (1, -4, 0), (0, -4, 0)]


def test_needs_that_changed_put_what_waits_in_another_order() -> None:
    _, provider, _, tracking = make()
    sign = 1.0
    owed = AnswerQueue(
        provider, OVERWORLD, FORM, ServerFaults(), 0, lambda places: by_distance(places) * np.float32(sign)
    )
    owed.ask(request((0, 0, 0), (1, 0, 0), (1, 0, 1)), 0.0)
    first = owed.next_packet(tracking, 1, 0.0)
    assert first is not None
    assert first[0].entries[0][:3] == (0, 0, 0)
    sign = -1.0
    owed.arrange()
    assert order_of(owed, tracking) == [(1, -4, 1), (1, -4, 0)]


def test_an_entry_whose_column_was_forgotten_waits_for_it_and_holds_up_no_other_request() -> None:
    provider, owed, tracking = arranged()
    provider.forget()
    provider.snapshot(ColumnPos(1, 1))
    owed.ask(request((0, 0, 0), (1, 0, 1)), 0.0)
    owed.ask(request((1, 1, 1)), 0.0)
    assert order_of(owed, tracking) == [(1, -3, 1)]
    assert owed.lacking == {ColumnPos(0, 0): 0.0}
    assert owed.next_due() is None
    owed.resume(tracking)
    assert order_of(owed, tracking) == []
    provider.snapshot(ColumnPos(0, 0))
    owed.resume(tracking)
    assert order_of(owed, tracking) == [(0, -4, 0), (1, -4, 1)]
    assert (owed.lacking, owed.waiting) == ({}, 0)


def test_who_leaves_a_column_that_is_waited_for_is_told_that_it_is_not_there() -> None:
    provider, owed, tracking = arranged()
    provider.forget()
    owed.ask(request((0, 0, 0)), 0.0)
    assert order_of(owed, tracking) == []
    tracking.move(BlockPos(1600, 0, 0))
    owed.resume(tracking)
    packet = owed.next_packet(tracking, 10, 0.0)
    assert packet is not None
    assert packet[0].entries[0].result == SubChunkResult.CHUNK_NOT_FOUND


def test_a_request_for_nothing_is_owed_nothing() -> None:
    _, _, owed, tracking = make()
    owed.ask(request(), 0.0)
    assert owed.next_packet(tracking, 10, 0.0) is None


def test_a_delayed_answer_waits_for_its_time() -> None:
    _, _, owed, tracking = make(faults=ServerFaults(delay_s=2.0))
    owed.ask(request((0, 0, 0)), 5.0)
    assert owed.next_due() == 7.0
    assert owed.next_packet(tracking, 10, 6.9) is None
    assert owed.next_packet(tracking, 10, 7.0) is not None
    assert owed.next_due() is None


def test_offsets_reach_over_the_whole_signed_byte() -> None:
    _, _, owed, tracking = make()
    owed.ask(SubChunkRequest(0, SubChunkPos(-127, 123, 127), np.array([(127, -127, -127)], np.int8)), 0.0)
    packet = owed.next_packet(tracking, 10, 0.0)
    assert packet is not None
    assert packet[0].entries[0].result == 1


def test_an_edit_keeps_the_bytes_of_other_sections() -> None:
    _, provider, _, _ = make()
    before = provider.snapshot(ColumnPos(0, 0))
    provider.set_block(BlockPos(0, 100, 0), 0, 2)
    after = provider.snapshot(ColumnPos(0, 0))
    assert after.subchunk(0, FORM) == before.subchunk(0, FORM)
    assert (before.highest, after.highest) == (0, 10)
    provider.set_block(BlockPos(0, 100, 0), 0, 0)
    assert provider.snapshot(ColumnPos(0, 0)).highest == 0
    assert [provider.snapshot(ColumnPos(0, 0)).local_id(10, 0, layer) for layer in (0, 1)] == [0, 0]
