"""Plain encoders of the wire format: the codecs' bytes are compared with them, and captures become packets again.

Two of them write bodies of BiomeDefinitionList: ``written`` by our description, and ``of_description`` by the protocol
description of npm minecraft-data, with random contents: a reader that follows another layout does not end where the
body ends.
"""

import json
import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from net.nbt import NETWORK, Compound, Flavour, Float, Int, encode_root, read_root
from net.wire.cursor import Reader

# ---------------------------------------------------------------- wire twin


def read_roots(data: bytes, flavour: Flavour, packet: str = "nbt") -> list[Compound]:
    """Concatenated roots to the end of ``data``; raises as ``read_root``."""
    reader, roots = Reader(data, packet), list[Compound]()
    while reader.left:
        reader.field = f"[{len(roots)}]"
        roots.append(read_root(reader, flavour))
    return roots


def uv(value: int) -> bytes:
    """An unsigned varint."""
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
    """A little-endian integer of ``size`` bytes."""
    return value.to_bytes(size, "little", signed=value < 0)


def sized(data: bytes) -> bytes:
    """Bytes with their length in front."""
    return uv(len(data)) + data


def buffer(node: dict[str, Any]) -> bytes:
    """The bytes of a JavaScript buffer in a capture's JSON."""
    return bytes(node["data"])


def capture(path: Path) -> dict[str, Any]:
    """The fields of a captured packet."""
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


# ---------------------------------------------------------------- biome lists

FIXED: Final = {"lf32": 4, "li32": 4, "lu32": 4, "li16": 2, "lu16": 2, "u8": 1}
RANGES: Final = {"bool": 2, "zigzag32": 1 << 32, "varint": 1 << 32}
PLAIN: Final = {*FIXED, *RANGES, "string"}


def written(biomes: Sequence[tuple[str, int | None]], protocol: int, tags: int = 2) -> bytes:
    """The body of a biome list in a protocol's layout; ``biomes``: names and numbers, None for vanilla biomes."""
    if protocol < 800:
        root: Compound = {name: {"rain": Float(0.5), **_id(number)} for name, number in biomes}
        return encode_root(root, NETWORK)
    strings = [name for name, _ in biomes] + ["overworld"] * tags
    rows = [
        struct.pack("<H", at)
        + _number(number, protocol)
        + bytes(20 if protocol >= 844 else 32)
        + bytes(5)
        + (
            b"\x01" + bytes([tags]) + b"".join(struct.pack("<H", len(biomes) + i) for i in range(tags))
            if tags
            else b"\0"
        )
        + b"\0"
        for at, (_, number) in enumerate(biomes)
    ]
    texts = [name.encode() for name in strings]
    return uv(len(rows)) + b"".join(rows) + uv(len(texts)) + b"".join(uv(len(t)) + t for t in texts)


def _id(number: int | None) -> Compound:
    return {} if number is None else {"id": Int(number)}


def _number(number: int | None, protocol: int) -> bytes:
    if protocol >= 827:
        return struct.pack("<H", 65535 if number is None else number)
    return b"\0" if number is None else struct.pack("<BH", 1, number)


def of_description(types: dict[str, Any], kind: Any, chance: random.Random) -> bytes:
    """Random bytes of one type of the description: its name, or [kind, arguments]."""
    if isinstance(kind, str):
        return _plain(kind, chance) if kind in PLAIN else of_description(types, types[kind], chance)
    word, said = kind
    match word:
        case "container":
            found = b"".join(_fields(types, said, chance))
        case "array":
            many = chance.randrange(4)
            found = uv(many) + b"".join(of_description(types, said["type"], chance) for _ in range(many))
        case "option":
            found = b"\x01" + of_description(types, said, chance) if chance.random() < 0.8 else b"\0"
        case _:
            assert word == "mapper", word
            found = of_description(types, said["type"], chance)
    return found


def _plain(kind: str, chance: random.Random) -> bytes:
    if kind == "string":
        return b"\x05grass"
    return chance.randbytes(FIXED[kind]) if kind in FIXED else uv(chance.randrange(RANGES[kind]))


def _fields(types: dict[str, Any], said: list[dict[str, Any]], chance: random.Random) -> list[bytes]:
    """Random bytes of a container's fields; a field that depends on a boolean is present if that is true."""
    parts: dict[str, bytes] = {}
    for field in said:
        kind = field["type"]
        if isinstance(kind, list) and kind[0] == "switch":
            there = parts[kind[1]["compareTo"]] == b"\x01"
            kind = kind[1]["fields"]["true"] if there else None
        parts[field["name"]] = b"" if kind is None else of_description(types, kind, chance)
    return list(parts.values())
