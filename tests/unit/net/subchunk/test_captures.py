"""Real packets decode to the last byte, and to the same ids as a plain decoder reads."""

import numpy as np
import pytest

from net.errors import DecodeError
from net.nbt import NETWORK
from net.subchunk.biomes import read_biomes
from net.subchunk.decode import Scanned, legacy_values, scan, scan_sequence, unpack
from net.subchunk.height_kernels import take_skies
from net.subchunk.heights import joined_maps
from net.subchunk.legacy import read_named
from net.subchunk.storage import SubChunkFault
from tests.support.data.shared import HEIGHT_KINDS, Capture, buffer, captures, shared_data
from tests.support.reference import subchunk as twin
from tests.support.reference.wire import read_roots

FLAT_BIOMES = 256  # before 1.18


def ids_of(scanned: Scanned, layer: int) -> dict[int, np.ndarray]:
    """The wire's ids of every entry that has the layer, through the kernels."""
    entries = np.flatnonzero((scanned.layers > layer) & ~scanned.legacy())
    distinct, mapped = np.unique(scanned.palette, return_inverse=True)
    blocks = np.zeros((len(entries) + 1, 4096), np.uint16)
    flags = np.zeros(len(entries) + 1, np.uint32)
    slots = np.arange(len(entries), dtype=np.int32)
    unpack(scanned, entries, layer, slots, mapped.astype(np.uint16), np.zeros(65536, np.uint32), blocks, flags)
    return {int(entry): distinct[blocks[at]] for at, entry in enumerate(entries)}


def check_ids(scanned: Scanned) -> None:
    assert (scanned.status == SubChunkFault.NONE).all()
    first, second = ids_of(scanned, 0), ids_of(scanned, 1)
    for entry in range(len(scanned.rows)):
        layers, end = twin.subchunk(scanned.buffer.tobytes(), int(scanned.starts[entry]))
        assert end == scanned.ends[entry]
        found = [first[entry]] if entry in first else [legacy_values(scanned, entry)]
        found += [second[entry]] if entry in second else []
        assert len(found) == len(layers)
        for ours, theirs in zip(found, layers, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_whole_columns_are_read_to_the_last_byte() -> None:
    seen = 0
    for capture in captures():
        content = capture.content
        if not capture.is_column or content.get("cache_enabled", True) or content["sub_chunk_count"] < 0:
            continue
        payload = buffer(content["payload"])
        scanned = scan_sequence(payload, content["sub_chunk_count"])
        check_ids(scanned)
        tail = payload[int(scanned.ends[-1]) + FLAT_BIOMES :]
        assert tail[0] == 0  # border blocks
        read_roots(tail[1:], NETWORK)
        seen += 1
    assert seen == 3


def test_skeletons_hold_biomes_and_a_border_byte_and_nothing_else() -> None:
    storages = []
    for capture in captures():
        content = capture.content
        if capture.is_column and content.get("sub_chunk_count", 0) < 0 and not content["cache_enabled"]:
            payload = buffer(content["payload"])
            biomes = read_biomes(payload, 24)
            assert biomes.end == len(payload)
            assert (biomes.section(23) != 65535).all()
            storages.append(len(biomes))
    assert storages == [25, 24]


def test_a_raw_packet_of_another_client_is_read_to_the_last_byte() -> None:
    packet = shared_data("captures/level_chunk-8.bin").read_bytes()
    _, at = twin.varint(packet, 0)
    _, at = twin.varint(packet, at)
    _, at = twin.varint(packet, at)
    count, at = twin.varint(packet, at)
    assert (count, packet[at]) == (0xFFFFFFFF, 0)
    length, at = twin.varint(packet, at + 1)
    payload = packet[at : at + length]
    assert at + length == len(packet)
    biomes = read_biomes(payload, 24)
    assert (len(biomes), biomes.end) == (25, len(payload))
    assert np.unique(biomes.section(0)).tolist() == [7, 35]


def answers(capture: Capture) -> list[dict[str, object]]:
    content = capture.content
    if "entries" not in content:
        return [{**content, "payload": content["data"]}]
    return [entry for entry in content["entries"] if isinstance(entry, dict)]


def test_answers_are_terrain_and_block_entities_to_the_last_byte() -> None:
    seen = entities = 0
    for capture in captures():
        if not capture.is_answer or "cache_enabled" not in capture.content or capture.content["cache_enabled"]:
            continue
        payloads = [buffer(entry["payload"]) for entry in answers(capture) if entry.get("result") != "success_all_air"]
        scanned = scan([payload for payload in payloads if payload])
        check_ids(scanned)
        for entry in range(len(scanned.rows)):
            entities += len(
                read_roots(scanned.bytes_of(entry, int(scanned.ends[entry] - scanned.starts[entry])), NETWORK)
            )
            seen += 1
    assert seen >= 4
    assert entities > 0


def test_blobs_of_the_cache_are_terrain_alone_and_old_ones_name_their_blocks() -> None:
    numbered = named = 0
    for capture in captures():
        for blob in capture.blobs.values():
            if len(blob) == FLAT_BIOMES:
                continue
            if len(blob) < 64:
                assert read_biomes(blob + b"\0", 24).end == len(blob) + 1
                continue
            scanned = scan([blob])
            if scanned.status[0] == SubChunkFault.NAMED_PALETTE:
                found = read_named(blob, "blob")
                assert found.end == len(blob)
                assert all(state.name.startswith("minecraft:") for layer in found.layers for state in layer.palette)
                named += 1
            else:
                assert scanned.ends[0] == len(blob)
                check_ids(scanned)
                numbered += 1
    assert named >= 9
    assert numbered >= 2


def test_height_maps_open_what_lies_above_the_surface() -> None:
    for capture in captures():
        if not capture.is_answer:
            continue
        for entry in answers(capture):
            kind = HEIGHT_KINDS.get(str(entry.get("heightmap_type")))
            if kind != 1:
                continue
            values = buffer(entry["heightmap"])
            opened, changed = np.zeros((1, 16), np.uint16), np.empty(1, np.int32)
            kinds, maps = joined_maps(np.array([kind], np.uint8), [values])
            take_skies(np.zeros(1, np.int32), kinds, maps, opened, np.empty(16, np.uint16), changed)
            signed = np.frombuffer(values, np.int8).reshape(16, 16)
            for z in range(16):
                for x in range(16):
                    assert bool(opened[0, x] >> z & 1) == (signed[z, x] <= 15)


def test_a_cut_payload_is_a_fault_that_names_its_place() -> None:
    capture = next(c for c in captures() if c.is_answer and not c.content.get("cache_enabled", True))
    payload = buffer(answers(capture)[0]["payload"])
    scanned = scan([payload[:300], payload])
    assert [SubChunkFault(int(status)) for status in scanned.status] == [SubChunkFault.TRUNCATED, SubChunkFault.NONE]
    with pytest.raises(DecodeError, match="word"):
        read_named(b"\x08\x01\x02" + bytes(3), "blob")
