"""A second, naive way to write the wire: the codecs' bytes are compared with it, and captures become packets again."""

import json
from pathlib import Path
from typing import Any


def uv(value: int) -> bytes:
    """An unsigned varint by the book."""
    groups = []
    while True:
        value, group = divmod(value, 128)
        groups.append(group)
        if not value:
            break
    return bytes([group + 128 for group in groups[:-1]] + groups[-1:])


def zz(value: int) -> bytes:
    """A zigzag varint: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    return uv(2 * value if value >= 0 else -2 * value - 1)


def le(value: int, size: int) -> bytes:
    """A fixed little-endian integer."""
    return value.to_bytes(size, "little", signed=value < 0)


def sized(data: bytes) -> bytes:
    """A length and the bytes."""
    return uv(len(data)) + data


def buffer(node: dict[str, Any]) -> bytes:
    """A JavaScript buffer in a capture's JSON."""
    return bytes(node["data"])


def capture(path: Path) -> dict[str, Any]:
    """A captured packet's fields."""
    fields: dict[str, Any] = json.loads(path.read_text())
    return fields


RESULTS = {"undefined": 0, "success": 1, "chunk_not_found": 2, "success_all_air": 6}
HEIGHTS = {"no_data": 0, "has_data": 1, "too_high": 2, "too_low": 3}


def subchunk_packet(fields: dict[str, Any]) -> bytes:
    """A captured SubChunk in the layout of 486..1001 (wire.md 2.3)."""
    cached, origin = fields["cache_enabled"], fields["origin"]
    packet = uv(174) + bytes([cached]) + zz(fields["dimension"])
    packet += zz(origin["x"]) + zz(origin["y"]) + zz(origin["z"]) + le(len(fields["entries"]), 4)
    for entry in fields["entries"]:
        packet += b"".join(le(entry[axis], 1) for axis in ("dx", "dy", "dz")) + le(RESULTS[entry["result"]], 1)
        if not cached or entry["result"] != "success_all_air":
            packet += sized(buffer(entry["payload"]) if "payload" in entry else b"")
        packet += le(HEIGHTS[entry["heightmap_type"]], 1)
        if entry["heightmap_type"] == "has_data":
            packet += buffer(entry["heightmap"])
        if cached:
            packet += le(int(entry["blob_id"]), 8)
    return packet


def level_chunk_packet(fields: dict[str, Any]) -> bytes:
    """A captured LevelChunk in the layout of 486 (wire.md 2.1)."""
    packet = uv(58) + zz(fields["x"]) + zz(fields["z"]) + uv(fields["sub_chunk_count"] & 0xFFFFFFFF)
    if fields["sub_chunk_count"] == -2:
        packet += le(fields["highest_subchunk_count"], 2)
    packet += bytes([fields["cache_enabled"]])
    if fields["cache_enabled"]:
        hashes = fields["blobs"]["hashes"]
        packet += uv(len(hashes)) + b"".join(le(int(h), 8) for h in hashes)
    return packet + sized(buffer(fields["payload"]))
