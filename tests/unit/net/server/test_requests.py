"""The queue of what one client is owed.

Sent chunks: Which columns a client has.

Blob cache: The server's end of the blob cache: bounded, and never stuck.
"""

import math

import numpy as np
import numpy.typing as npt
import pytest

from net.arrays import SubChunkPositions
from net.bedrock import ClientCacheBlobStatus, ClientCacheMissResponse, SubChunkRequest, SubChunkResult
from net.blobs import blob_id_of
from net.palette import Palette
from net.server import blob_cache, requests
from net.server.blob_cache import RESPONSE_BYTES, OpenBlobs
from net.server.block_ids import LocalStates
from net.server.column_provider import ColumnProvider
from net.server.faults import ServerFaults
from net.server.requests import AnswerQueue
from net.server.sent_chunks import KEPT_COLUMNS, SentChunks
from net.server.worlds.world import FlatWorld
from net.space import OVERWORLD, BlockPos, ColumnPos, SubChunkPos
from net.wire.fields import Profile
from tests.support.data.shared import form_of
from tests.support.worlds.server import WatchedWorld

# ---------------------------------------------------------------- requests

FORM = form_of(Palette.for_protocol(486), FlatWorld().states, 25)


def take(tracking: SentChunks, most: int) -> list[ColumnPos]:
    """The next columns to send, recorded as sent."""
    columns = list(tracking.ahead(most))
    for column in columns:
        tracking.send_column(column)
    return columns


def make(
    kept_columns: int = 16, faults: ServerFaults | None = None
) -> tuple[WatchedWorld, ColumnProvider, AnswerQueue, SentChunks]:
    world = WatchedWorld()
    provider = ColumnProvider(world, LocalStates(world.states), kept_columns)
    tracking = SentChunks(BlockPos(0, 0, 0), 1)
    for column in take(tracking, 9):
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
    assert owed.waiting == 2
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


# ---------------------------------------------------------------- sent chunks

HERE = BlockPos(8, 70, 8)


def test_the_square_is_sent_once_nearest_first() -> None:
    tracking = SentChunks(HERE, 3)
    taken = take(tracking, 20) + take(tracking, 100)
    assert len(taken) == len(set(taken)) == 49
    assert taken[0] == ColumnPos(0, 0)
    assert taken[-1].x ** 2 + taken[-1].z ** 2 == 18
    assert take(tracking, 10) == []
    assert all(tracking.has(column) for column in taken)


def test_a_step_into_the_next_column_adds_one_row() -> None:
    tracking = SentChunks(HERE, 2)
    take(tracking, 100)
    assert not tracking.move(BlockPos(15, 70, 8))
    assert tracking.waiting == 0
    assert tracking.move(BlockPos(16, 70, 8))
    assert set(take(tracking, 100)) == {ColumnPos(3, z) for z in range(-2, 3)}


def test_a_column_left_far_behind_is_sent_again() -> None:
    tracking = SentChunks(HERE, 2)
    take(tracking, 100)
    tracking.move(BlockPos(16 * KEPT_COLUMNS, 70, 8))
    assert tracking.has(ColumnPos(-2, 0))
    tracking.move(BlockPos(16 * (KEPT_COLUMNS + 1), 70, 8))
    assert not tracking.has(ColumnPos(-2, 0))
    tracking.move(HERE)
    assert ColumnPos(-2, 0) in take(tracking, 100)


def test_the_publisher_circle_holds_the_square_from_wherever_in_its_column() -> None:
    for radius in (1, 2, 9, 32):
        tracking = SentChunks(BlockPos(0, 0, 0), radius)
        corner = 16 * (radius + 1)
        assert 2 * corner**2 <= tracking.publisher_radius_blocks**2


def test_a_client_drops_no_column_that_we_believe_it_has() -> None:
    """It drops what lies two columns outside the publisher's circle, from wherever in its column it stands."""
    for radius in (1, 5, 16):
        tracking = SentChunks(BlockPos(0, 0, 0), radius)
        farthest = (radius + KEPT_COLUMNS) * 2**0.5
        assert farthest <= tracking.publisher_radius_blocks / 16 + 2


def test_another_radius_asks_for_what_is_missing() -> None:
    tracking = SentChunks(HERE, 1)
    take(tracking, 100)
    tracking.resize(2)
    assert tracking.waiting == 16
    tracking.resize(1)
    assert tracking.waiting == 0


# ---------------------------------------------------------------- versions

SPAWN = ColumnPos(0, 0)


def told(sent_from: int) -> SentChunks:
    """One column of four sections, versions 0, 1, 2 and 0."""
    tracking = SentChunks(HERE, 1)
    take(tracking, 9)
    tracking.announce(SPAWN, [0, 1, 2, 0], sent_from)
    return tracking


def held(tracking: SentChunks, column: ColumnPos = SPAWN) -> list[int | None]:
    return [tracking.version_of(column, index) for index in range(4)]


def test_a_whole_column_is_had_and_of_a_skeleton_what_lies_above_its_limit() -> None:
    assert held(told(0)) == [0, 1, 2, 0]
    assert held(told(3)) == [None, None, None, 0]
    assert held(told(4)) == [None] * 4


def test_a_section_is_had_in_the_version_that_was_sent_last() -> None:
    tracking = told(4)
    assert tracking.send(SPAWN, 1, 1)
    assert tracking.send(SPAWN, 1, 5)
    assert held(tracking) == [None, 5, None, None]


def test_nothing_is_had_of_a_column_that_was_not_sent_or_outside_its_range() -> None:
    tracking = told(0)
    assert not tracking.send(ColumnPos(9, 9), 0, 1)
    assert not tracking.send(SPAWN, 4, 1)
    assert not tracking.send(SPAWN, -1, 1)
    assert tracking.version_of(ColumnPos(9, 9), 0) is None
    assert held(tracking) == [0, 1, 2, 0]


def test_a_column_that_is_announced_again_takes_what_was_sent_of_it() -> None:
    tracking = told(4)
    tracking.send(SPAWN, 1, 1)
    tracking.announce(SPAWN, [0, 1, 2, 0], 3)
    assert held(tracking) == [None, None, None, 0]


def test_a_column_that_left_the_area_is_had_no_more_and_costs_nothing() -> None:
    tracking = told(0)
    for step in range(1, 400):
        tracking.move(BlockPos(16 * step, 70, 8))
        for column in take(tracking, 9):
            tracking.announce(column, [0] * 24, 0)
        assert len(tracking.sent) <= (2 * (tracking.radius + KEPT_COLUMNS) + 1) ** 2
    assert tracking.version_of(SPAWN, 0) is None


# ---------------------------------------------------------------- blob cache

A, B, C = b"a" * 100, b"b" * 200, b"c" * 300
ID = {content: blob_id_of(content) for content in (A, B, C)}


def test_missing_blobs_are_sent_and_those_that_are_there_are_not() -> None:
    blobs = OpenBlobs(Profile.BEDROCK)
    assert blobs.announce([A, B], C) == (ID[A], ID[B], ID[C])
    blobs.acknowledge(ClientCacheBlobStatus((ID[C], ID[A]), (ID[B],)))
    response = blobs.next_response()
    assert response is not None
    assert {blob.blob_id: blob.content for blob in response[0].blobs} == {ID[A]: A, ID[C]: C}
    assert blobs.next_response() is None
    assert blobs.held_bytes == 0


def test_what_is_not_open_is_not_sent() -> None:
    blobs = OpenBlobs(Profile.BEDROCK)
    blobs.announce([A])
    blobs.acknowledge(ClientCacheBlobStatus((), (ID[A],)))
    blobs.acknowledge(ClientCacheBlobStatus((ID[A], ID[B], 7), (ID[A], 9)))
    assert not blobs.owed
    assert blobs.held_bytes == 0


def test_a_client_that_never_answers_is_sent_everything_in_full_beyond_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blob_cache, "MOST_OPEN", 2)
    blobs = OpenBlobs(Profile.BEDROCK)
    assert blobs.announce([A, B]) is not None
    assert blobs.announce([B, A]) is not None  # open already
    assert blobs.announce([C]) is None
    monkeypatch.setattr(blob_cache, "MOST_OPEN", 100)
    monkeypatch.setattr(blob_cache, "MOST_OPEN_BYTES", 350)
    narrow = OpenBlobs(Profile.BEDROCK)
    assert narrow.announce([A, B]) is not None
    assert narrow.announce([C]) is None
    narrow.acknowledge(ClientCacheBlobStatus((ID[A], ID[B]), ()))
    assert narrow.announce([C]) is None  # what is owed is held, too
    assert narrow.next_response() is not None
    assert narrow.announce([C]) is not None


def test_a_response_is_closed_before_it_is_large() -> None:
    blobs = OpenBlobs(Profile.BEDROCK)
    contents = [bytes([number]) * (RESPONSE_BYTES // 3) for number in range(7)]
    ids = blobs.announce(contents)
    assert ids is not None
    blobs.acknowledge(ClientCacheBlobStatus(ids, ()))
    sent: list[ClientCacheMissResponse] = []
    while (response := blobs.next_response()) is not None:
        sent.append(response[0])
    assert [len(each.blobs) for each in sent] == [3, 3, 1]
