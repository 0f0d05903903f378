"""Blobs at hand."""

from net.blobs import MemoryBlobs, blob_id_of
from tests.support.reference.blobs import Remembered

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
