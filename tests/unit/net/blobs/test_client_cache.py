"""What leaves the blob cache, when, and what the server is told (wire.md 4).

Store: Blobs at hand.

Captures: Real packets with the cache on, made whole, are the same terrain as the server's own packets with the cache
off.
"""

import gc
from typing import Any

import numpy as np
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
from net.blobs import BlobLimits, BlobWaiting, MemoryBlobs, blob_id_of
from net.blobs.pending import PendingPart
from net.errors import DecodeError
from net.space import ColumnPos, SubChunkPos
from net.subchunk.legacy import read_named
from net.wire.fields import Profile
from tests.support.data.shared import HEIGHT_KINDS, Capture, buffer, captures
from tests.support.reference import subchunk as twin
from tests.support.reference.blobs import (
    NOT_FOUND,
    SUCCESS,
    Remembered,
    answer,
    change,
    plain,
    response,
    skeleton,
    status,
    whole,
)
from tests.support.reference.blobs import answers as blobs_answers

# ---------------------------------------------------------------- client cache

A, B, C = b"aaaa", b"bbbbbb", b"cc"


class Cache:
    """A machine that is told messages one after the other."""

    def __init__(self, *known: bytes, limits: BlobLimits | None = None) -> None:
        self.source = Remembered({blob_id_of(content): content for content in known})
        self.machine: BlobWaiting[int] = BlobWaiting(self.source, Profile.BEDROCK, limits)
        self.now = 0.0
        self.said = 0

    def receive(self, message: Message) -> list[Message | DecodeError]:
        self.said += 1
        return [heard for heard, _ in self.machine.receive(message, self.said, self.now)]

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
    for message in (column, plain((0, 0, 0, A)), change(0, 0, 0), SetTime(1), blobs_answers(cached=False)):
        assert cache.receive(message) == [message]
    assert cache.told() == []


def test_a_skeleton_that_is_known_leaves_at_once_and_is_told_as_a_hit() -> None:
    cache = Cache(A)
    assert cache.receive(skeleton(0, 0, A)) == [replace(skeleton(0, 0), blob_ids=None, payload=A + b"\0")]
    assert cache.told() == [status(hits=[A])]
    assert cache.told() == []
    assert cache.machine.stats().saved_bytes == len(A)


def test_a_column_waits_for_all_its_blobs_and_is_put_together_from_the_bottom() -> None:
    cache = Cache(B)
    assert cache.receive(whole(3, 4, A, B, A, C)) == []
    assert cache.told() == [status(misses=[A, C], hits=[B])]
    assert cache.receive(response(C)) == []
    [column] = cache.receive(response(A))
    assert column == replace(whole(3, 4, A, B, A, C), blob_ids=None, payload=A + B + A + C + b"\0entities")
    assert cache.source[blob_id_of(A)] == A


def test_answers_that_are_complete_do_not_wait_for_the_one_that_is_not() -> None:
    cache = Cache(A)
    heard = cache.receive(blobs_answers(answer(0, 0, 0, A, b"chest"), answer(0, 1, 0, B), answer(0, 2, 0, None)))
    assert heard == [plain((0, 0, 0, A + b"chest"), (0, 2, 0, None))]
    assert cache.receive(response(B)) == [plain((0, 1, 0, B))]


def test_answers_of_one_packet_that_become_complete_together_leave_together() -> None:
    cache = Cache()
    assert cache.receive(blobs_answers(answer(0, 0, 0, A), answer(1, 0, 0, B), answer(2, 0, 0, A))) == []
    assert cache.told() == [status(misses=[A, B])]
    assert cache.receive(response(B, A)) == [plain((0, 0, 0, A), (1, 0, 0, B), (2, 0, 0, A))]


def test_failures_and_air_have_no_blob_whatever_stands_in_its_place() -> None:
    cache = Cache()
    failure = SubChunkEntry(0, 0, 0, NOT_FOUND, b"", 0, None, blob_id_of(A))
    without = SubChunkEntry(0, 1, 0, SUCCESS, A, 0, None, None)  # from protocol 2168 on an id may be left out
    [heard] = cache.receive(blobs_answers(failure, without))
    assert isinstance(heard, SubChunk)
    assert heard.entries == (failure._replace(blob_id=None), without)
    assert cache.told() == []


def test_changes_and_answers_of_a_column_wait_behind_it_and_others_pass() -> None:
    cache = Cache(B)
    cache.receive(skeleton(0, 0, A))
    assert cache.receive(change(3, 70, 3)) == []
    assert cache.receive(blobs_answers(answer(0, 1, 0, B))) == []
    assert cache.receive(change(16, 70, 3)) == [change(16, 70, 3)]
    assert cache.receive(blobs_answers(answer(1, 1, 0, B))) == [plain((1, 1, 0, B))]
    left = cache.receive(response(A))
    assert left == [
        replace(skeleton(0, 0), blob_ids=None, payload=A + b"\0"),
        change(3, 70, 3),
        plain((0, 1, 0, B)),
    ]


def test_a_second_answer_for_a_place_never_overtakes_the_first() -> None:
    cache = Cache(B)
    assert cache.receive(blobs_answers(answer(0, 0, 0, A), answer(0, 0, 0, B), answer(0, 1, 0, B))) == [
        plain((0, 1, 0, B))
    ]
    assert cache.receive(response(A)) == [plain((0, 0, 0, A), (0, 0, 0, B))]


def test_unasked_and_lying_blobs_are_refused_and_never_kept() -> None:
    cache = Cache()
    cache.receive(skeleton(0, 0, A))
    assert cache.receive(ClientCacheMissResponse((Blob(blob_id_of(A), B), Blob(blob_id_of(C), C)))) == []
    assert cache.source == {}
    assert len(cache.receive(response(A))) == 1  # the right one may still come
    assert cache.receive(response(A)) == []
    stats = cache.machine.stats()
    assert (stats.lying, stats.unasked, stats.waiting, stats.waiting_bytes) == (1, 2, 0, 0)


def test_an_id_is_told_once_and_again_as_a_hit_when_it_was_announced_while_it_was_under_way() -> None:
    cache = Cache()
    cache.receive(skeleton(0, 0, A))
    cache.receive(skeleton(1, 0, A))
    assert cache.told() == [status(misses=[A])]
    cache.receive(skeleton(2, 0, A))
    assert cache.told() == []
    assert len(cache.receive(response(A))) == 3
    assert cache.told() == [status(hits=[A])]


def test_a_status_names_at_most_4095_ids() -> None:
    known = [b"%d" % number for number in range(3000)]
    cache = Cache(*known)
    unknown = [b"-%d" % number for number in range(3000)]
    entries = [answer(0, y % 20, y // 20 % 100, part) for y, part in enumerate(known + unknown)]
    cache.receive(blobs_answers(*entries))
    told = cache.told()
    assert [len(each.misses) + len(each.hits) for each in told] == [4095, 1905]
    assert [blob_id for each in told for blob_id in each.misses] == list(map(blob_id_of, unknown))
    assert sorted(blob_id for each in told for blob_id in each.hits) == sorted(map(blob_id_of, known))


def test_another_dimension_drops_all_that_waits_and_asks_anew() -> None:
    cache = Cache()
    cache.receive(skeleton(0, 0, A))
    cache.told()
    change_dimension = ChangeDimension(1, (0.0, 0.0, 0.0), respawn=False)
    assert cache.receive(change_dimension) == [change_dimension]
    assert cache.receive(skeleton(5, 5, A)) == []
    assert cache.told() == [status(misses=[A])]
    assert [type(heard) for heard in cache.receive(response(A))] == [LevelChunk]


def test_what_never_comes_is_given_up_and_what_comes_later_was_not_asked_for() -> None:
    cache = Cache()
    cache.receive(skeleton(0, 0, A))
    assert cache.machine.next_timer() == 10.0
    assert cache.pass_time(9.9) == []
    assert cache.machine.stats().waiting == 1
    assert cache.pass_time(10.0) == []
    stats = cache.machine.stats()
    assert (stats.timed_out, stats.waiting, stats.waiting_bytes, stats.asked) == (1, 0, 0, 0)
    assert cache.machine.next_timer() is None
    assert cache.receive(response(A)) == []
    assert cache.machine.stats().unasked == 1


def test_a_later_packet_leaves_when_what_it_waited_for_is_given_up() -> None:
    cache = Cache()
    cache.receive(skeleton(0, 0, A))
    cache.now = 5.0
    cache.receive(change(1, 1, 1))
    assert cache.pass_time(10.0) == [change(1, 1, 1)]


def test_patience_counts_from_the_last_blob_but_not_for_ever() -> None:
    cache = Cache()
    cache.receive(skeleton(0, 0, A))
    for second in range(5, 60, 5):
        content = b"%d" % second
        cache.now = float(second)
        cache.receive(skeleton(second, 0, content))
        cache.receive(response(content))
        assert cache.pass_time(second + 4.9) == []
        assert cache.machine.stats().waiting == 1
    cache.pass_time(60.0)
    assert cache.machine.stats().timed_out == 1


@pytest.mark.parametrize("limits", [BlobLimits(parts=2), BlobLimits(held_bytes=2200), BlobLimits(asked=2)])
def test_what_waits_is_bounded_and_the_rest_is_dropped(limits: BlobLimits) -> None:
    cache = Cache(limits=limits)
    for x in range(10):
        cache.receive(skeleton(x, 0, b"%d" % x))
    stats = cache.machine.stats()
    assert (stats.waiting, stats.overflowed) == (2, 8)
    assert len(cache.told()[0].misses) == 2
    assert len(cache.receive(response(*(b"%d" % x for x in range(10))))) == 2


def test_ids_that_cannot_be_meant_are_a_fault_of_that_packet() -> None:
    cache = Cache()
    [error] = cache.receive(replace(whole(0, 0, A, B), blob_ids=(1, 2, 3)))
    assert isinstance(error, DecodeError)
    assert "3 blobs for 2 parts of column 0,0" in str(error)
    assert cache.machine.stats().malformed == 1


def test_what_comes_and_leaves_beside_one_that_stays_is_forgotten() -> None:
    cache = Cache()
    assert cache.receive(blobs_answers(answer(0, 0, 0, A))) == []
    for number in range(600):
        content = number.to_bytes(4, "big")
        assert cache.receive(blobs_answers(answer(0, 1, 0, content), answer(1, 0, 0, content))) == []
        assert cache.receive(response(content)) == [plain((0, 1, 0, content), (1, 0, 0, content))]
    gc.collect()
    assert sum(type(each) is PendingPart for each in gc.get_objects()) < 400
    assert cache.receive(blobs_answers(answer(0, 0, 0, None), answer(0, 1, 0, None))) == [plain((0, 1, 0, None))]
    assert cache.receive(response(A)) == [plain((0, 0, 0, A)), plain((0, 0, 0, None))]


# ---------------------------------------------------------------- store

BLOBS = {blob_id_of(content): content for content in (bytes([number]) * 1000 for number in range(10))}


def test_what_was_used_longest_ago_goes_first() -> None:
    memory = MemoryBlobs(most_bytes=4000)
    first, second, third, fourth = list(BLOBS)[:4]
    for blob_id in (first, second, third):
        memory.put({blob_id: BLOBS[blob_id]})
    assert memory.get([first]) == {first: BLOBS[first]}
    memory.put({fourth: BLOBS[fourth]})
    assert memory.get([first, second, third, fourth]).keys() == {first, third, fourth}
    assert memory.held_bytes <= 4000


def test_what_is_not_at_hand_is_fetched_once_and_what_is_new_goes_behind() -> None:
    behind = Remembered(BLOBS)
    memory = MemoryBlobs(behind=behind)
    assert memory.get(list(BLOBS)) == BLOBS
    behind.clear()
    assert memory.get([*BLOBS, 5]) == BLOBS
    memory.put({7: b"new"})
    assert behind == {7: b"new"}


def test_a_blob_that_is_put_twice_is_counted_once() -> None:
    memory = MemoryBlobs()
    memory.put(BLOBS)
    held = memory.held_bytes
    memory.put(BLOBS)
    assert memory.held_bytes == held


# ---------------------------------------------------------------- captures


def of_version(version: str, kind: str) -> tuple[dict[str, Any], dict[str, Any], list[bytes]]:
    """The packet with the cache off, with it on, and the blobs that were sent for the latter."""
    found = [each for each in captures() if each.path.parent.name == version and each.path.name.startswith(kind)]

    def one(word: str) -> Capture:
        return next(each for each in found if word in each.path.name)

    blobs = [blob for each in found for blob in each.blobs.values()]
    return one(f"{kind}  ").content, one(f"{kind} cached").content, blobs


def column(content: dict[str, Any]) -> LevelChunk:
    count = content["sub_chunk_count"]
    ids = tuple(map(int, content["blobs"]["hashes"])) if content["cache_enabled"] else None
    limit = content.get("highest_subchunk_count")
    payload = buffer(content["payload"])
    return LevelChunk(ColumnPos(content["x"], content["z"]), 0, count if count >= 0 else None, limit, ids, payload)


def answers(content: dict[str, Any]) -> SubChunk:
    """Of either layout: entries, or from 1.18.0 a single one."""
    cached = content["cache_enabled"]
    single = {**content, "payload": content.get("data"), "result": content.get("request_result"), "dx": 0}
    entries = content.get("entries") or [{**single, "dy": 0, "dz": 0}]
    centre = content.get("origin") or content
    return SubChunk(
        cached,
        content["dimension"],
        SubChunkPos(centre["x"], centre["y"], centre["z"]),
        tuple(
            SubChunkEntry(
                entry["dx"],
                entry["dy"],
                entry["dz"],
                SUCCESS if entry["result"] == "success" else NOT_FOUND,
                buffer(entry["payload"]),
                HEIGHT_KINDS[entry["heightmap_type"]],
                buffer(entry["heightmap"]) if "heightmap" in entry else None,
                int(entry["blob_id"]) if cached else None,
            )
            for entry in entries
        ),
    )


def made_whole(message: LevelChunk | SubChunk, blobs: list[bytes]) -> Any:
    machine: BlobWaiting[None] = BlobWaiting(Remembered(), Profile.BEDROCK)
    assert machine.receive(message, None, 0.0) == []
    assert sorted(machine.statuses()[0].misses) == sorted(set(map(blob_id_of, blobs)))
    [(whole, _)] = machine.receive(response(*blobs), None, 0.0)
    assert machine.stats().lying == machine.stats().unasked == 0
    return whole


@pytest.mark.parametrize("version", ["bedrock_1.18.0", "bedrock_1.19.1"])
def test_a_skeleton_made_whole_is_the_plain_one(version: str) -> None:
    plain, cached, blobs = of_version(version, "level_chunk")
    assert made_whole(column(cached), blobs) == column(plain)


def test_an_answer_made_whole_is_the_plain_one_with_its_block_entities_behind_the_terrain() -> None:
    plain, cached, blobs = of_version("bedrock_1.18.0", "subchunk")
    assert len(answers(cached).entries[0].payload) == 133
    assert made_whole(answers(cached), blobs) == answers(plain)


def test_answers_of_one_packet_made_whole_are_the_plain_ones() -> None:
    """Three of the four blobs were not captured; without block entities they are the plain payloads."""
    plain, cached, [blob] = of_version("bedrock_1.19.1", "subchunk")
    blobs = [entry.payload for entry in answers(plain).entries]
    assert blobs[0] == blob
    assert made_whole(answers(cached), blobs) == answers(plain)


@pytest.mark.parametrize("version", ["bedrock_1.16.220", "bedrock_1.17.10"])
def test_old_blobs_that_name_their_blocks_are_the_same_storages(version: str) -> None:
    """Ids with the cache off, names with it on: each id must stand for one state, and each state for one id."""
    plain, cached, blobs = of_version(version, "level_chunk")
    numbered, whole = column(plain), made_whole(column(cached), blobs)
    assert (whole.column, whole.inline_count) == (numbered.column, numbered.inline_count)
    at_plain = at_named = compared = 0
    states: dict[int, object] = {}
    for _ in range(numbered.inline_count or 0):
        found = read_named(whole.payload[at_named:], "blob")
        layers, at_plain = twin.subchunk(numbered.payload, at_plain)
        at_named += found.end
        assert len(found.layers) == len(layers)
        for named, ids in zip(found.layers, layers, strict=True):
            for runtime_id, at in np.unique(np.stack([ids, named.indices]), axis=1).T.tolist():
                assert states.setdefault(runtime_id, named.palette[at]) == named.palette[at]
                compared += 1
    assert len({repr(state) for state in states.values()}) == len(states)
    assert compared > 20
    assert whole.payload[at_named:] == numbered.payload[at_plain:]  # biomes, border, block entities
