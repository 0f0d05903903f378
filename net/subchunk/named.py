"""Sub-chunks whose palettes are NBT: cached blobs before 1.18, and world folders. One at a time, in plain Python.

Versions 1, 8 and 9; the form is wire.md 3.2. Entries are ``{name, states, version}``, before 1.13 ``{name, val}``.
"""

import numpy as np

from net.frozen import frozen
from net.nbt import DISK, NETWORK, Compound, Flavour, read_root
from net.palette import BlockState
from net.subchunk.arrays import Indices, Words
from net.subchunk.storage import PALETTE_LIMIT, WIDTHS, words_of
from net.wire.reader import Reader


@frozen
class NamedLayer:
    """One storage: a palette of block states and indices into it, all of them checked."""

    palette: tuple[BlockState, ...]
    indices: Indices


@frozen
class NamedSubChunk:
    """One sub-chunk by names.

    Attributes:
        version: 1, 8 or 9.
        section: absolute y as version 9 says, else None.
        layers: lowest first.
        end: one past the last byte; behind it lie block entities.
    """

    version: int
    section: int | None
    layers: tuple[NamedLayer, ...]
    end: int


def read_named(data: bytes, packet: str, field: str = "subchunk", flavour: Flavour = NETWORK) -> NamedSubChunk:
    """Reads one sub-chunk from the beginning of ``data``.

    Args:
        data: the bytes.
        packet: name for errors.
        field: that holds it, for errors.
        flavour: of the NBT and of the palette's length.

    Raises:
        DecodeError: anything else than the form above.
        LimitExceeded: NBT that is too deep or too large.
    """
    reader = Reader(data, packet)
    reader.field = f"{field}.version"
    version = reader.u8()
    if version not in (1, 8, 9):
        raise reader.fault(f"version {version} has no palette of names", 0)
    count = reader.u8() if version >= 8 else 1
    section = reader.i8() if version == 9 else None
    layers = tuple(_layer(reader, f"{field}.layers[{layer}]", flavour) for layer in range(count))
    return NamedSubChunk(version, section, layers, reader.offset)


def _layer(reader: Reader, field: str, flavour: Flavour) -> NamedLayer:
    reader.field = f"{field}.header"
    start = reader.offset
    header = reader.u8()
    bits = header >> 1
    if bits not in WIDTHS:
        raise reader.fault(f"{bits} bits per index are none of {WIDTHS}", start)
    if header & 1:
        raise reader.fault("a palette of numbers among palettes of names", start)
    reader.field = f"{field}.words"
    start = reader.offset
    words = np.frombuffer(reader.take(4 * words_of(bits)), "<u4")
    reader.field = f"{field}.palette"
    count = _length(reader, flavour) if bits else 1
    palette = tuple(_state(read_root(reader, flavour)) for _ in range(count))
    indices = indices_of(words, bits)
    if int(indices.max()) >= count:
        reader.field = f"{field}.words"
        raise reader.fault("an index points beyond the palette", start)
    return NamedLayer(palette, indices)


def _length(reader: Reader, flavour: Flavour) -> int:
    start = reader.offset
    count = reader.i32le() if flavour is DISK else reader.zz32()
    if not 1 <= count <= PALETTE_LIMIT:
        raise reader.fault(f"{count} entries are not in 1..{PALETTE_LIMIT}", start)
    return count


def _state(compound: Compound) -> BlockState:
    """A palette entry; what is missing or of another type is left out, as stateless custom blocks do."""
    states = compound.get("states")
    values = states if isinstance(states, dict) else {}
    found = [(key, value) for key, value in values.items() if isinstance(value, (int, str))]
    old = compound.get("val")
    if not isinstance(states, dict) and isinstance(old, int):
        found.append(("val", old))
    return BlockState(str(compound.get("name", "")), tuple(sorted(found)))


def indices_of(words: Words, bits: int) -> Indices:
    """The 4,096 indices in some words; padding bits and unused slots are dropped."""
    if not bits:
        return np.zeros(4096, np.uint16)
    shifts = np.arange(32 // bits, dtype=np.uint32) * np.uint32(bits)
    values = words[:, None] >> shifts & np.uint32((1 << bits) - 1)
    return values.ravel()[:4096].astype(np.uint16)
