"""What leaves the blob cache, when, and what the server is told (wire.md 4)."""

import gc

import pytest
from msgspec.structs import replace

from net.bedrock import (
    Blob,
    ChangeDimension,
    ClientCacheBlobStatus,
    ClientCacheMissResponse,
    LevelChunk,
    Message,
    SetTime,
    SubChunk,
    SubChunkEntry,
)
from net.blobs import BlobLimits, BlobWaiting, blob_id_of
from net.blobs.pending import PendingPart
from net.errors import DecodeError
from net.wire.dialect import Profile
from tests.support.reference.blobs import (
    NOT_FOUND,
    SUCCESS,
    Remembered,
    answer,
    answers,
    change,
    plain,
    response,
    skeleton,
    status,
    whole,
)

A, B, C = b"aaaa", b"bbbbbb", b"cc"


class Cache:
    """A machine that is told messages one after the other."""

    def __init__(self, *known: bytes, limits: BlobLimits | None = None) -> None:
        self.source = Remembered({blob_id_of(content): content for content in known})
        self.machine: BlobWaiting[int] = BlobWaiting(self.source, Profile.BEDROCK, limits)
        self.now = 0.0
        self.said = 0

    def hear(self, message: Message) -> list[Message | DecodeError]:
        self.said += 1
        return [heard for heard, _ in self.machine.hear(message, self.said, self.now)]

    def pass_time(self, now: float) -> list[Message | DecodeError]:
        self.now = now
        return [heard for heard, _ in self.machine.expire(now)]

    def told(self) -> list[ClientCacheBlobStatus]:
        return self.machine.statuses()


def test_the_id_is_the_vendors() -> None:
    assert blob_id_of(b"Hello_World_This_Is_A_Data_Blob!") == 13304731967790798388


def test_what_names_no_blob_passes_as_it_is() -> None:
    cache = Cache()
    column = LevelChunk(skeleton(0, 0).column, 0, None, None, None, b"biomes\0")
    for message in (column, plain((0, 0, 0, A)), change(0, 0, 0), SetTime(1), answers(cached=False)):
        assert cache.hear(message) == [message]
    assert cache.told() == []


def test_a_skeleton_that_is_known_leaves_at_once_and_is_told_as_a_hit() -> None:
    cache = Cache(A)
    assert cache.hear(skeleton(0, 0, A)) == [replace(skeleton(0, 0), blob_ids=None, payload=A + b"\0")]
    assert cache.told() == [status(hits=[A])]
    assert cache.told() == []
    assert cache.machine.stats().saved_bytes == len(A)


def test_a_column_waits_for_all_its_blobs_and_is_put_together_from_the_bottom() -> None:
    cache = Cache(B)
    assert cache.hear(whole(3, 4, A, B, A, C)) == []
    assert cache.told() == [status(misses=[A, C], hits=[B])]
    assert cache.hear(response(C)) == []
    [column] = cache.hear(response(A))
    assert column == replace(whole(3, 4, A, B, A, C), blob_ids=None, payload=A + B + A + C + b"\0entities")
    assert cache.source[blob_id_of(A)] == A


def test_answers_that_are_complete_do_not_wait_for_the_one_that_is_not() -> None:
    cache = Cache(A)
    heard = cache.hear(answers(answer(0, 0, 0, A, b"chest"), answer(0, 1, 0, B), answer(0, 2, 0, None)))
    assert heard == [plain((0, 0, 0, A + b"chest"), (0, 2, 0, None))]
    assert cache.hear(response(B)) == [plain((0, 1, 0, B))]


def test_answers_of_one_packet_that_become_complete_together_leave_together() -> None:
    cache = Cache()
    assert cache.hear(answers(answer(0, 0, 0, A), answer(1, 0, 0, B), answer(2, 0, 0, A))) == []
    assert cache.told() == [status(misses=[A, B])]
    assert cache.hear(response(B, A)) == [plain((0, 0, 0, A), (1, 0, 0, B), (2, 0, 0, A))]


def test_failures_and_air_have_no_blob_whatever_stands_in_its_place() -> None:
    cache = Cache()
    failure = SubChunkEntry(0, 0, 0, NOT_FOUND, b"", 0, None, blob_id_of(A))
    without = SubChunkEntry(0, 1, 0, SUCCESS, A, 0, None, None)  # from protocol 2168 on an id may be left out
    [heard] = cache.hear(answers(failure, without))
    assert isinstance(heard, SubChunk)
    assert heard.entries == (failure._replace(blob_id=None), without)
    assert cache.told() == []


def test_changes_and_answers_of_a_column_wait_behind_it_and_others_pass() -> None:
    cache = Cache(B)
    cache.hear(skeleton(0, 0, A))
    assert cache.hear(change(3, 70, 3)) == []
    assert cache.hear(answers(answer(0, 1, 0, B))) == []
    assert cache.hear(change(16, 70, 3)) == [change(16, 70, 3)]
    assert cache.hear(answers(answer(1, 1, 0, B))) == [plain((1, 1, 0, B))]
    left = cache.hear(response(A))
    assert left == [
        replace(skeleton(0, 0), blob_ids=None, payload=A + b"\0"),
        change(3, 70, 3),
        plain((0, 1, 0, B)),
    ]


def test_a_second_answer_for_a_place_never_overtakes_the_first() -> None:
    cache = Cache(B)
    assert cache.hear(answers(answer(0, 0, 0, A), answer(0, 0, 0, B), answer(0, 1, 0, B))) == [plain((0, 1, 0, B))]
    assert cache.hear(response(A)) == [plain((0, 0, 0, A), (0, 0, 0, B))]


def test_unasked_and_lying_blobs_are_refused_and_never_kept() -> None:
    cache = Cache()
    cache.hear(skeleton(0, 0, A))
    assert cache.hear(ClientCacheMissResponse((Blob(blob_id_of(A), B), Blob(blob_id_of(C), C)))) == []
    assert cache.source == {}
    assert len(cache.hear(response(A))) == 1  # the right one may still come
    assert cache.hear(response(A)) == []
    stats = cache.machine.stats()
    assert (stats.lying, stats.unasked, stats.waiting, stats.waiting_bytes) == (1, 2, 0, 0)


def test_an_id_is_told_once_and_again_as_a_hit_when_it_was_announced_while_it_was_under_way() -> None:
    cache = Cache()
    cache.hear(skeleton(0, 0, A))
    cache.hear(skeleton(1, 0, A))
    assert cache.told() == [status(misses=[A])]
    cache.hear(skeleton(2, 0, A))
    assert cache.told() == []
    assert len(cache.hear(response(A))) == 3
    assert cache.told() == [status(hits=[A])]


def test_a_status_names_at_most_4095_ids() -> None:
    known = [b"%d" % number for number in range(3000)]
    cache = Cache(*known)
    unknown = [b"-%d" % number for number in range(3000)]
    entries = [answer(0, y % 20, y // 20 % 100, part) for y, part in enumerate(known + unknown)]
    cache.hear(answers(*entries))
    told = cache.told()
    assert [len(each.misses) + len(each.hits) for each in told] == [4095, 1905]
    assert [blob_id for each in told for blob_id in each.misses] == list(map(blob_id_of, unknown))
    assert sorted(blob_id for each in told for blob_id in each.hits) == sorted(map(blob_id_of, known))


def test_another_dimension_drops_all_that_waits_and_asks_anew() -> None:
    cache = Cache()
    cache.hear(skeleton(0, 0, A))
    cache.told()
    change_dimension = ChangeDimension(1, (0.0, 0.0, 0.0), respawn=False)
    assert cache.hear(change_dimension) == [change_dimension]
    assert cache.hear(skeleton(5, 5, A)) == []
    assert cache.told() == [status(misses=[A])]
    assert [type(heard) for heard in cache.hear(response(A))] == [LevelChunk]


def test_what_never_comes_is_given_up_and_what_comes_later_was_not_asked_for() -> None:
    cache = Cache()
    cache.hear(skeleton(0, 0, A))
    assert cache.machine.next_timer() == 10.0
    assert cache.pass_time(9.9) == []
    assert cache.machine.stats().waiting == 1
    assert cache.pass_time(10.0) == []
    stats = cache.machine.stats()
    assert (stats.timed_out, stats.waiting, stats.waiting_bytes, stats.asked) == (1, 0, 0, 0)
    assert cache.machine.next_timer() is None
    assert cache.hear(response(A)) == []
    assert cache.machine.stats().unasked == 1


def test_a_later_packet_leaves_when_what_it_waited_for_is_given_up() -> None:
    cache = Cache()
    cache.hear(skeleton(0, 0, A))
    cache.now = 5.0
    cache.hear(change(1, 1, 1))
    assert cache.pass_time(10.0) == [change(1, 1, 1)]


def test_patience_counts_from_the_last_blob_but_not_for_ever() -> None:
    cache = Cache()
    cache.hear(skeleton(0, 0, A))
    for second in range(5, 60, 5):
        content = b"%d" % second
        cache.now = float(second)
        cache.hear(skeleton(second, 0, content))
        cache.hear(response(content))
        assert cache.pass_time(second + 4.9) == []
        assert cache.machine.stats().waiting == 1
    cache.pass_time(60.0)
    assert cache.machine.stats().timed_out == 1


@pytest.mark.parametrize("limits", [BlobLimits(parts=2), BlobLimits(held_bytes=2200), BlobLimits(asked=2)])
def test_what_waits_is_bounded_and_the_rest_is_dropped(limits: BlobLimits) -> None:
    cache = Cache(limits=limits)
    for x in range(10):
        cache.hear(skeleton(x, 0, b"%d" % x))
    stats = cache.machine.stats()
    assert (stats.waiting, stats.overflowed) == (2, 8)
    assert len(cache.told()[0].misses) == 2
    assert len(cache.hear(response(*(b"%d" % x for x in range(10))))) == 2


def test_ids_that_cannot_be_meant_are_a_fault_of_that_packet() -> None:
    cache = Cache()
    [error] = cache.hear(replace(whole(0, 0, A, B), blob_ids=(1, 2, 3)))
    assert isinstance(error, DecodeError)
    assert "3 blobs for 2 parts of column (0, 0)" in str(error)
    assert cache.machine.stats().malformed == 1


def test_what_comes_and_leaves_beside_one_that_stays_is_forgotten() -> None:
    cache = Cache()
    assert cache.hear(answers(answer(0, 0, 0, A))) == []
    for number in range(600):
        content = number.to_bytes(4, "big")
        assert cache.hear(answers(answer(0, 1, 0, content), answer(1, 0, 0, content))) == []
        assert cache.hear(response(content)) == [plain((0, 1, 0, content), (1, 0, 0, content))]
    gc.collect()
    assert sum(type(each) is PendingPart for each in gc.get_objects()) < 400
    assert cache.hear(answers(answer(0, 0, 0, None), answer(0, 1, 0, None))) == [plain((0, 1, 0, None))]
    assert cache.hear(response(A)) == [plain((0, 0, 0, A)), plain((0, 0, 0, None))]
