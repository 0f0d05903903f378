"""Servers that misuse the client's blob cache: the session hears what made no sense, and goes on."""

from msgspec.structs import replace

from net.bedrock import (
    Blob,
    ClientCacheBlobStatus,
    ClientCacheMissResponse,
    ClientCacheStatus,
    Message,
    SubChunk,
    SubChunkEntry,
)
from net.blobs import BlobStats, MemoryBlobs, blob_id_of
from net.space.positions import SubChunkPos
from tests.support.reference.blobs import SUCCESS, response, skeleton, whole
from tests.support.servers.hostile import Besieged
from tests.support.session.wires import PeerPair

BIOMES = b"\x01\x02" * 25
MANY = 70_000


def besieged() -> Besieged:
    return Besieged(blobs=MemoryBlobs())


def counts(session: Besieged) -> BlobStats:
    stats = session.link.stats().blobs
    assert stats is not None
    return stats


def columns(session: Besieged) -> int:
    return len(session.session.dimension.store.row_of)


def heard(session: Besieged, kind: type) -> list[Message]:
    return [message for message in session.server.heard if isinstance(message, kind)]


def test_the_server_is_told_at_login_whether_blobs_are_kept() -> None:
    assert heard(besieged(), ClientCacheStatus) == [ClientCacheStatus(True)]
    assert heard(Besieged(), ClientCacheStatus) == [ClientCacheStatus(False)]


def test_without_a_cache_there_are_no_counts_of_it() -> None:
    assert PeerPair().join().client.stats().blobs is None


def test_a_server_that_sends_blobs_to_a_client_without_a_cache_is_a_fault_that_says_so() -> None:
    session = Besieged()
    session.bear(skeleton(0, 0, BIOMES))
    assert "keeps none" in " ".join(session.session.stats(session.now).terrain.last_faults)


def test_a_column_is_there_when_its_blob_has_come_and_not_before() -> None:
    session = besieged()
    session.bear(skeleton(0, 0, BIOMES))
    before = columns(session)
    assert heard(session, ClientCacheBlobStatus) == [ClientCacheBlobStatus((blob_id_of(BIOMES),), ())]
    session.bear(response(BIOMES))
    assert columns(session) == before + 1
    assert session.session.stats(session.now).terrain.faults == 0


def test_a_wrong_hash_twice_the_right_answer_and_what_nobody_asked() -> None:
    session = besieged()
    session.bear(skeleton(0, 0, BIOMES))
    lie = ClientCacheMissResponse((Blob(blob_id_of(BIOMES), b"something else"),))
    session.bear(lie, response(BIOMES), response(BIOMES), response(b"nobody asked"))
    stats = counts(session)
    assert (stats.lying, stats.unasked, stats.waiting, stats.received_bytes) == (1, 2, 0, len(BIOMES))


def test_a_server_that_never_answers_costs_a_bound_and_a_time() -> None:
    session = besieged()
    before = columns(session)
    session.bear(*(skeleton(x, 0, b"%d" % x) for x in range(50)))
    assert counts(session).waiting == 50
    session.rest(11.0)
    stats = counts(session)
    assert (stats.waiting, stats.waiting_bytes, stats.asked, stats.timed_out) == (0, 0, 0, 50)
    assert columns(session) == before
    session.bear(skeleton(0, 0, BIOMES), response(BIOMES))
    assert columns(session) == before + 1


def test_ids_without_end_are_dropped_beyond_a_bound() -> None:
    session = besieged()
    entries = [
        SubChunkEntry(at & 127, at >> 7 & 15, at >> 11 & 127, SUCCESS, b"", 0, None, at + 1) for at in range(MANY)
    ]
    for start in range(0, MANY, 10_000):
        chunk = tuple(entries[start : start + 10_000])
        session.server.say(SubChunk(True, 0, SubChunkPos(0, -4, 0), chunk))
    session.until(lambda: counts(session).overflowed > 0)
    session.until(lambda: counts(session).overflowed + counts(session).waiting == MANY)
    stats = counts(session)
    assert stats.waiting_bytes <= 64 << 20
    told = heard(session, ClientCacheBlobStatus)
    assert all(isinstance(each, ClientCacheBlobStatus) and len(each.misses) <= 4095 for each in told)
    session.bear(skeleton(40, 40, BIOMES))
    assert session.session.spawn.closed_reason is None


def test_ids_that_cannot_be_meant_are_told_and_nothing_else_is_lost() -> None:
    session = besieged()
    before = columns(session)
    session.bear(replace(whole(0, 0, b"a"), blob_ids=tuple(range(100_000))), skeleton(1, 0, BIOMES), response(BIOMES))
    assert counts(session).malformed == 1
    assert "LevelChunk.blob_ids" in session.session.stats(session.now).last_fault
    assert columns(session) == before + 1
