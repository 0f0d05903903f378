"""Real packets with the cache on, made whole, are the same terrain as the server's own packets with the cache off."""

from typing import Any

import numpy as np
import pytest

from net.bedrock import LevelChunk, SubChunk, SubChunkEntry
from net.blobs import BlobWaiting, blob_id_of
from net.space.positions import ColumnPos, SubChunkPos
from net.subchunk.legacy import read_named
from net.wire.dialect import Profile
from tests.support.data.shared import HEIGHT_KINDS, Capture, buffer, captures
from tests.support.reference import subchunk as twin
from tests.support.reference.blobs import NOT_FOUND, SUCCESS, Remembered, response


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
    assert machine.hear(message, None, 0.0) == []
    assert sorted(machine.statuses()[0].misses) == sorted(set(map(blob_id_of, blobs)))
    [(whole, _)] = machine.hear(response(*blobs), None, 0.0)
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
