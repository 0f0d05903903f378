"""Sub-chunks whose palettes are NBT: cached blobs before 1.18, and world folders. One at a time, in plain Python.

Versions 1, 8 and 9; the form is wire.md 3.2. Entries are ``{name, states, version}``, before 1.13 ``{name, val}``.

Further storages: a sub-chunk's third and later ones, which no game writes and no kernel reads (``read_further``).

Light: versions 0 and 2..7 may have light after their blocks (``light_bytes_behind``), which is skipped.

Old terrain: blocks in the oldest world folders: numbers, and data values of four bits.

    whole terrain   32768 numbers | 16384 bytes of data values, two each | 32768 of light | 256 heights | biomes
    extra blocks    u32 count | count times: u32 place, u16 number | data value << 8
    biomes          256 times: u8 biome, three of a colour; by z << 4 | x

A column of whole terrain is 128 blocks high and indexed by x << 11 | z << 7 | y. So are extra blocks in a column of
that age (``LAST_LOW``); in later ones they are indexed by x << 12 | z << 8 | y. An extra block corresponds to the later
second layer.

Source: PocketMine-MP's reader (ecosystem.md 5 has worlds from 1.16 on only). Little endian.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import RuntimeIds
from net.errors import DecodeError
from net.nbt import DISK, NETWORK, Compound, Flavour, read_root
from net.palette import UNKNOWN_STATE, VALUE, BlockState, plain_value
from net.subchunk.block_entities import find_entities
from net.subchunk.storage import PALETTE_LIMIT, WIDTHS, Indices, Words, words_of
from net.wire.cursor import Reader


class NamedLayer(msgspec.Struct, frozen=True):
    """One storage: a palette of block states and checked indices into it."""

    palette: tuple[BlockState, ...]
    indices: Indices


class NamedSubChunk(msgspec.Struct, frozen=True):
    """One sub-chunk with block states."""

    version: int  # 1, 8 or 9
    section: int | None  # absolute y of version 9, else None
    layers: tuple[NamedLayer, ...]  # lowest first
    end: int  # one past the last byte; block entities follow


def read_named(data: bytes, packet: str, field: str = "subchunk", flavour: Flavour = NETWORK) -> NamedSubChunk:
    """Reads one sub-chunk from the start of ``data``.

    ``field``: that holds it, for errors. ``flavour``: of the NBT and of the palette's length. Raises DecodeError:
    another form than the above; LimitExceeded: NBT that is too deep or too large.
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
        raise reader.fault(f"{bits} bits per index is not one of {WIDTHS}", start)
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
        raise reader.fault(f"the number of entries, {count}, is not in 1..{PALETTE_LIMIT}", start)
    return count


def _state(compound: Compound) -> BlockState:
    """A palette entry; missing members or ones of another type are left out, as in stateless custom blocks.

    One without a name is an unknown block.
    """
    states = compound.get("states")
    values = states if isinstance(states, dict) else {}
    found = [(key, plain_value(value)) for key, value in values.items() if isinstance(value, (int, str))]
    old = compound.get(VALUE)
    if not isinstance(states, dict) and isinstance(old, int):
        found.append((VALUE, int(old)))
    name = compound.get("name")
    return BlockState(name if name and isinstance(name, str) else UNKNOWN_STATE.name, tuple(sorted(found)))


MOST_FURTHER: Final = 4
"""Third and later storages that are kept. No game sends any; a byte can announce 255, of two megabytes each."""


def read_further(data: bytes) -> list[tuple[RuntimeIds, Indices]]:
    """Ids and indices of third and later storages, of a sub-chunk of version 8 or 9 with numeric palettes.

    The bytes were scanned: only indices are unchecked. A storage with an index beyond its palette is left out.
    """
    reader = Reader(data, "SubChunk")
    version, count = reader.u8(), reader.u8()
    reader.skip(1 if version == 9 else 0)
    found = []
    for layer in range(min(count, 2 + MOST_FURTHER)):
        bits = reader.u8() >> 1
        words = np.frombuffer(reader.take(4 * words_of(bits)), "<u4")
        ids = np.array([reader.zz32() for _ in range(reader.zz32() if bits else 1)], np.int64) & 0xFFFFFFFF
        if layer > 1 and int((indices := indices_of(words, bits)).max()) < len(ids):
            found.append((ids, indices))
    return found


LIGHTS: Final = (0, 4096, 2048)
"""Possible numbers of light bytes after the blocks of versions 0 and 2..7: none, sky and block light, one of them; in
the order in which they are tried."""


def light_bytes_behind(rest: bytes) -> int:
    """How many bytes of light come before the block entities; 0 if no number fits."""
    for size in LIGHTS:
        if size <= len(rest) and find_entities(rest[size:], MOST_ENTITIES).fault is None:
            return size
    return 0


def indices_of(words: Words, bits: int) -> Indices:
    """The 4,096 indices in some words, without padding bits and unused slots."""
    if not bits:
        return np.zeros(4096, np.uint16)
    shifts = np.arange(32 // bits, dtype=np.uint32) * np.uint32(bits)
    values = words[:, None] >> shifts & np.uint32((1 << bits) - 1)
    return values.ravel()[:4096].astype(np.uint16)


MOST_ENTITIES: Final = 4096
"""Limit for a sub-chunk: one a block."""
SECTIONS: Final = 8
"""Sections of whole terrain, from section 0 up."""
LAST_LOW: Final = 2
"""The last version of a column that is 128 blocks high."""
_BLOCKS: Final = SECTIONS * 4096
BIOMES_AT: Final = _BLOCKS * 5 // 2 + 256
"""Where the biomes begin after whole terrain."""
_COUNT_BYTES: Final = 4
_EXTRA: Final = np.dtype([("place", "<u4"), ("value", "<u2")])

Values = npt.NDArray[np.uint16]
"""number << 4 | data value, as ``decode.legacy_values`` gives them."""


def read_whole_terrain(data: bytes, packet: str) -> Values:
    """All blocks of a column: uint16[8, 4096], lowest section first, in wire order.

    Raises DecodeError: there are too few bytes.
    """
    if len(data) < _BLOCKS * 3 // 2:
        raise DecodeError(packet, "terrain", 0, f"needs {_BLOCKS * 3 // 2} bytes, but {len(data)} are left")
    numbers = np.frombuffer(data, np.uint8, _BLOCKS).astype(np.uint16)
    pairs = np.frombuffer(data, np.uint8, _BLOCKS // 2, _BLOCKS)
    small = np.stack((pairs & 15, pairs >> 4), axis=1).ravel()
    column = (numbers << 4 | small).reshape(16, 16, SECTIONS, 16)
    return np.ascontiguousarray(column.transpose(2, 0, 1, 3)).reshape(SECTIONS, 4096)


def read_coloured_biomes(data: bytes) -> npt.NDArray[np.uint16] | None:
    """256 biomes with colours, by x << 4 | z; None if there are fewer."""
    found = np.frombuffer(data[:1024], np.uint8)
    return None if len(found) < 1024 else found[::4].reshape(16, 16).T.astype(np.uint16).ravel()


def read_extra_blocks(data: bytes, packet: str, *, low: bool) -> dict[int, Values]:
    """Extra blocks by section: uint16[4096] each, 0 for none.

    ``low``: whether the column is 128 blocks high. Raises DecodeError: there are fewer than announced.
    """
    count = int.from_bytes(data[:_COUNT_BYTES], "little")
    if len(data) < _COUNT_BYTES or count * _EXTRA.itemsize > len(data) - _COUNT_BYTES:
        raise DecodeError(packet, "extra blocks", 0, f"{count} are announced, but only {len(data)} bytes are present")
    entries = np.frombuffer(data, _EXTRA, count, _COUNT_BYTES)
    places, values = entries["place"], (entries["value"] & 0xFF) << 4 | entries["value"] >> 8 & 15
    height = 7 if low else 8
    across = places >> height & 0xFF
    y = places & (1 << height) - 1
    found: dict[int, Values] = {}
    for section in np.unique(y >> 4).tolist():
        here = y >> 4 == section
        found[section] = np.zeros(4096, np.uint16)
        found[section][across[here] << 4 | y[here] & 15] = values[here]
    return found
