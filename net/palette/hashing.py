"""Runtime ids that are hashes of block states (wire.md 6.2), where StartGame's flag says so, from protocol 582 on.

The id is FNV-1a of 32 bits over little-endian NBT of name and states, keys in order. A whole palette is hashed at once:
one numpy step per byte position, not one Python step per byte.
"""

import struct
from collections.abc import Sequence
from typing import Final

import numpy as np

from net.palette.state import BlockState, StateValue
from net.space.layout import RuntimeIds

UNKNOWN_STATE: Final = BlockState("minecraft:unknown")
UNKNOWN_HASH: Final = 0xFFFFFFFE
"""Fixed by the vendor, whatever its NBT would hash to."""

_OFFSET: Final = np.uint32(0x811C9DC5)
_PRIME: Final = np.uint32(0x01000193)
_HEAD: Final = b"\x0a\x00\x00" + b"\x08\x04\x00name"
_STATES: Final = b"\x0a\x06\x00states"
_LENGTH: Final = struct.Struct("<H")
_INT: Final = struct.Struct("<i")


def hash_states(states: Sequence[BlockState]) -> RuntimeIds:
    """int64[n] the id of each state, as an unsigned 32-bit number."""
    texts = [state_bytes(state) for state in states]
    lengths = np.array([len(text) for text in texts])
    # Long ones first: those that still go on at a position are a prefix of the rows.
    order = np.argsort(-lengths, kind="stable")
    rows = np.zeros((len(texts), int(lengths.max(initial=0))), np.uint8)
    for row, index in enumerate(order.tolist()):
        rows[row, : lengths[index]] = np.frombuffer(texts[index], np.uint8)
    goes_on = np.searchsorted(-lengths[order], -np.arange(rows.shape[1]), side="left")
    values = np.full(len(texts), _OFFSET, np.uint32)
    for position, count in enumerate(goes_on.tolist()):
        values[:count] = (values[:count] ^ rows[:count, position]) * _PRIME
    hashes = np.empty(len(texts), np.int64)
    hashes[order] = values
    for index, state in enumerate(states):
        if state == UNKNOWN_STATE:
            hashes[index] = UNKNOWN_HASH
    return hashes


def state_bytes(state: BlockState) -> bytes:
    """The NBT that is hashed; a state's properties are sorted by name already."""
    parts = [_HEAD, _text(state.name), _STATES]
    parts += [_property(name, value) for name, value in state.states]
    return b"".join(parts) + b"\x00\x00"


def _property(name: str, value: StateValue) -> bytes:
    if isinstance(value, bool):
        return b"\x01" + _text(name) + bytes((value,))
    if isinstance(value, int):
        return b"\x03" + _text(name) + _INT.pack(value)
    return b"\x08" + _text(name) + _text(value)


def _text(text: str) -> bytes:
    raw = text.encode(errors="surrogateescape")  # as net.nbt reads what is no UTF-8
    return _LENGTH.pack(len(raw)) + raw
