"""The vendor's own block attributes (a dump of its server), as far as light and sight go."""

import struct
import zlib
from typing import Any

from tests.support.shared_data import shared_data

FIXED = {1: ">b", 2: ">h", 3: ">i", 4: ">q", 5: ">f", 6: ">d"}

StateKey = tuple[str, tuple[tuple[str, Any], ...]]


def block_attributes(version: str) -> dict[StateKey, dict[str, Any]]:
    """Attributes of each state of a version, by name and sorted states. The stream has no end mark."""
    packed = shared_data(f"light/block_attributes-{version}.nbt.gz").read_bytes()
    data = zlib.decompressobj(31).decompress(packed)
    root, _ = _value(data, 3, 10)
    return {state_key(block["name"], block["states"]): block for block in root["block"]}


def state_key(name: str, states: dict[str, Any]) -> StateKey:
    return name, tuple(sorted(states.items()))


def _text(data: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">H", data, at)
    return data[at + 2 : at + 2 + length].decode("utf-8", "replace"), at + 2 + length


def _value(data: bytes, at: int, tag: int) -> tuple[Any, int]:
    """One big-endian NBT value."""
    if tag in FIXED:
        form = FIXED[tag]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if tag == 8:
        return _text(data, at)
    if tag == 9:
        kind = data[at]
        (length,) = struct.unpack_from(">i", data, at + 1)
        at += 5
        values = []
        for _ in range(length):
            value, at = _value(data, at, kind)
            values.append(value)
        return values, at
    assert tag == 10, tag
    compound = {}
    while data[at]:
        kind = data[at]
        name, at = _text(data, at + 1)
        compound[name], at = _value(data, at, kind)
    return compound, at + 1
