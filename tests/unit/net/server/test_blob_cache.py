"""The server's end of the blob cache: bounded, and never stuck."""

from net.bedrock import ClientCacheBlobStatus, ClientCacheMissResponse
from net.blobs import blob_id_of
from net.server.blob_cache import RESPONSE_BYTES, OpenBlobs
from net.wire.dialect import Profile

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
    stats = blobs.stats()
    assert (stats.announced, stats.hits, stats.sent, stats.open, stats.open_bytes) == (3, 1, 2, 0, 0)


def test_what_is_not_open_is_not_sent() -> None:
    blobs = OpenBlobs(Profile.BEDROCK)
    blobs.announce([A])
    blobs.acknowledge(ClientCacheBlobStatus((), (ID[A],)))
    blobs.acknowledge(ClientCacheBlobStatus((ID[A], ID[B], 7), (ID[A], 9)))
    assert not blobs.owed
    assert blobs.stats().open_bytes == 0


def test_a_client_that_never_answers_is_sent_everything_in_full_beyond_a_bound() -> None:
    blobs = OpenBlobs(Profile.BEDROCK, most=2)
    assert blobs.announce([A, B]) is not None
    assert blobs.announce([B, A]) is not None  # open already
    assert blobs.announce([C]) is None
    narrow = OpenBlobs(Profile.BEDROCK, most_bytes=350)
    assert narrow.announce([A, B]) is not None
    assert narrow.announce([C]) is None
    narrow.acknowledge(ClientCacheBlobStatus((ID[A], ID[B]), ()))
    assert narrow.announce([C]) is None  # what is owed is held, too
    assert narrow.next_response() is not None
    assert narrow.announce([C]) is not None
    assert narrow.stats().refused == 2


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
