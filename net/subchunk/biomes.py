"""Reads and writes the tail of a skeleton: biomes of a column, and the border byte (wire.md 2.1, 3.4).

Rules:
1. The reader is tolerant: servers send 24, 25 or fewer storages. It reads while the next byte is odd (headers of
   numeric storages are), at most sections + 1; the first even byte is the number of border blocks, which follow, a byte
   each.
2. Header 0xff means "as the section below"; the first storage cannot have it.
3. Storages stay packed: a column is a few hundred bytes, and only few sections are ever read.
4. Some servers leave the lowest bit of all headers unset in whole columns. Recorded: SerenityJS at 975 sends a storage
   for each sub-chunk, the only entry of width 0 as 32 bits; JSPrismarine at 748 one for each section, all varints. Such
   storages are accepted if the bytes are invalid by rule 1 and the storages are complete: as many as sections or
   sub-chunks, then the border, then the end or a compound.

Saved biomes, as world folders keep them (wire.md 3.4): heights, then a storage for each section, or 256 biomes in older
worlds. A storage is like the wire's, except that its palette's length and its entries are i32, and a single biome has
no length.
"""

from itertools import product

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import Biomes, Bytes
from net.errors import DecodeError
from net.space import UNKNOWN_BIOME
from net.subchunk import decode_kernels as columns
from net.subchunk.biome_kernels import AS_BELOW as BIOME_KERNELS_AS_BELOW
from net.subchunk.biome_kernels import COPY, scan_biomes, scan_even_biomes, unpack_biomes
from net.subchunk.decode_kernels import BAD_INDEX, unpack_scratch
from net.subchunk.encode_kernels import WORST_LAYER, encode_layer
from net.subchunk.legacy import indices_of
from net.subchunk.storage import NO_ID, PALETTE_LIMIT, WIDTHS, reason_of, words_of
from net.wire.cursor import Reader

COMPOUND = 10
"""First byte of a block entity."""
LAYER = slice(columns.LAYER, columns.LAYER + columns.LAYER_COLUMNS)
SectionBiomes = npt.NDArray[np.uint16]
"""[4096] biome ids, UNKNOWN_BIOME for unknown ones; order as BlockIds."""


class ColumnBiomes(msgspec.Struct, frozen=True):
    """The packed biomes of one column."""

    buffer: Bytes  # the tail's bytes
    # int32[storages, LAYER_COLUMNS], lowest section first: the layer's columns of ``decode_kernels``
    rows: npt.NDArray[np.int32]
    palette: npt.NDArray[np.uint16]  # uint16 ids of all storages
    end: int  # one past the border bytes; in a whole column block entities follow

    def __deepcopy__(self, memo: dict[int, object]) -> "ColumnBiomes":
        """Itself: its arrays are never written."""
        return self

    @classmethod
    def nothing(cls) -> "ColumnBiomes":
        """No storages: everything unknown."""
        return cls(np.zeros(1, np.uint8), np.zeros((0, columns.LAYER_COLUMNS), np.int32), np.zeros(0, np.uint16), 0)

    def __len__(self) -> int:
        """Number of storages, copies of the section below included."""
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        return self.buffer.nbytes + self.rows.nbytes + self.palette.nbytes

    def sources(self, sections: int) -> npt.NDArray[np.int64]:
        """By section, the section whose storage it uses: itself, or one below; -1 if there is none."""
        found = np.full(sections, -1)
        own = self.rows[:sections, columns.BITS] != COPY
        found[: len(own)] = np.maximum.accumulate(np.where(own, np.arange(len(own)), 0))
        return found

    def section(self, index: int) -> SectionBiomes:
        """Biomes of one section, counted from the dimension's floor.

        Returns UNKNOWN_BIOME everywhere for a section without a storage, or with a broken one.
        """
        out = np.full(4096, UNKNOWN_BIOME, np.uint16)
        if not 0 <= index < len(self.rows):
            return out
        while self.rows[index, columns.BITS] == COPY:
            index -= 1
        row = np.zeros(columns.COLUMNS, np.int64)
        row[LAYER] = self.rows[index]
        if unpack_biomes(self.buffer, row, self.palette, unpack_scratch(), out) == BAD_INDEX:
            out[:] = UNKNOWN_BIOME
        return out


def read_biomes(
    tail: bytes, sections: int, packet: str = "LevelChunk", inline_count: int | None = None
) -> ColumnBiomes:
    """Reads storages and border bytes from the start of ``tail``.

    ``tail``: payload of a skeleton, or of a whole column after its sub-chunks; may be empty. ``sections``: of the
    dimension. ``inline_count``: sub-chunks of a whole column, None for a skeleton. Raises DecodeError: an invalid
    storage, or missing border bytes.
    """
    if inline_count is not None and tail and not tail[0] & 1 and not _ends_well(tail, 0):
        even = _read_even(tail, sections, inline_count)
        if even is not None:
            return even
    buffer = np.frombuffer(bytearray(tail) or bytearray(1), np.uint8)
    rows = np.zeros((sections + 1, columns.COLUMNS), np.int64)
    palette = np.empty(len(buffer) + 1, np.int64)
    found = np.zeros(2, np.int64)
    end = scan_biomes(buffer, rows, palette, found)
    storages = int(found[0])
    if end < 0:
        at = int(rows[storages, columns.AT])
        needed = int(rows[storages, columns.NEEDED])
        field, reason = reason_of(-end, buffer, at, needed - at, len(tail) - at)
        raise DecodeError(packet, f"biomes[{storages}].{field}", at, reason)
    if storages and rows[0, columns.LAYER + columns.BITS] == COPY:
        raise DecodeError(packet, "biomes[0].header", 0, "copies the section below, which does not exist")
    if end < len(tail):
        border, end = end, end + 1 + tail[end]
        if end > len(tail):
            reason = f"needs {end - border} bytes, but {len(tail) - border} are left"
            raise DecodeError(packet, "border", border, reason)
    return _kept(buffer, rows[:storages], palette[: found[1]], end)


def tail_makes_sense(sections: int, tail: bytes) -> bool:
    """Whether these are biomes and border bytes of a whole column, followed by nothing or a compound."""
    try:
        end = read_biomes(tail, sections, inline_count=sections).end
    except DecodeError:
        return False
    return end == len(tail) or tail[end] == COMPOUND


def _read_even(tail: bytes, sections: int, inline_count: int) -> ColumnBiomes | None:
    """Storages by rule 4; None if they are not valid."""
    rows = np.zeros((sections, columns.COLUMNS), np.int64)
    palette = np.empty(len(tail) + 1, np.int64)
    found = np.zeros(2, np.int64)
    for count, wide in product((sections, inline_count), (0, 1)):
        if 0 < count <= sections:
            buffer = np.frombuffer(bytearray(tail), np.uint8)
            end = scan_even_biomes(buffer, rows, palette, found, count, wide)
            if end >= 0 and _ends_well(tail, end):
                return _kept(buffer, rows[:count], palette[: found[1]], end + 1 + tail[end])
    return None


def _ends_well(tail: bytes, at: int) -> bool:
    """Whether border bytes are at this offset, followed by nothing or a compound."""
    if at >= len(tail):
        return False
    end = at + 1 + tail[at]
    return end == len(tail) or (end < len(tail) and tail[end] == COMPOUND)


def _kept(buffer: Bytes, rows: npt.NDArray[np.int64], palette: npt.NDArray[np.int64], end: int) -> ColumnBiomes:
    """A copy of the part that is needed: what follows may be megabytes."""
    ids = np.minimum(palette, NO_ID - 1).astype(np.uint16)
    return ColumnBiomes(buffer[: max(end, 1)].copy(), rows[:, LAYER].astype(np.int32), ids, end)


def write_section_tail(biomes: Biomes, sections: int) -> bytes:
    """A skeleton's payload for biomes that differ by height.

    ``biomes``: of each section of the dimension, lowest first. ``sections``: storages to write: as many, or up to
    protocol 486 one more, which repeats the last one.
    """
    parts: list[bytes] = []
    for index in range(sections):
        at = min(index, len(biomes) - 1)
        same = index > 0 and (at < index or np.array_equal(biomes[at], biomes[at - 1]))
        parts.append(bytes((BIOME_KERNELS_AS_BELOW,)) if same else _storage(biomes[at]))
    return b"".join(parts) + b"\0"


def write_tail(surface: npt.NDArray[np.uint16], sections: int) -> bytes:
    """A skeleton's payload for biomes that are the same from floor to roof.

    ``surface``: uint16[256] biome ids by x << 4 | z. ``sections``: storages to write: those of the dimension, up to
    protocol 486 one more.
    """
    ids = np.repeat(np.ascontiguousarray(surface, np.uint16), 16)
    return _storage(ids) + bytes([BIOME_KERNELS_AS_BELOW]) * (sections - 1) + b"\0"


def _storage(ids: npt.NDArray[np.uint16]) -> bytes:
    highest = int(ids.max())
    out = np.empty(WORST_LAYER, np.uint8)
    end = encode_layer(
        np.ascontiguousarray(ids),
        np.arange(highest + 1, dtype=np.int64),
        np.zeros(highest + 1, np.int64),
        np.empty(4096, np.int64),
        np.empty(4096, np.uint16),
        out,
    )
    return out[:end].tobytes()


HEIGHT_BYTES = 512
"""256 x i16, before either form; unused."""
AS_BELOW = 0xFF


def read_saved_biomes(data: bytes, sections: int, packet: str) -> Biomes:
    """Biomes of a column's sections, lowest first; sections without a storage are as the one below.

    ``data``: the value under key 43. ``sections``: how many to return. Raises DecodeError: a storage is invalid, or
    there is none.
    """
    reader = Reader(data, packet)
    reader.field = "heights"
    reader.skip(HEIGHT_BYTES)
    biomes = np.empty((sections, 4096), np.uint16)
    for index in range(sections):
        reader.field = f"biomes[{index}]"
        if index and not reader.left:
            biomes[index] = biomes[index - 1]
        else:
            biomes[index] = _storage_saved_biomes(reader, biomes[index - 1] if index else None)
    return biomes


def read_surface_biomes(data: bytes) -> npt.NDArray[np.uint16] | None:
    """The 256 biomes of the older form by x << 4 | z (stored by z << 4 | x); None if there are fewer."""
    found = np.frombuffer(data[HEIGHT_BYTES : HEIGHT_BYTES + 256], np.uint8)
    return None if len(found) < 256 else found.reshape(16, 16).T.astype(np.uint16).ravel()


def _storage_saved_biomes(reader: Reader, below: npt.NDArray[np.uint16] | None) -> npt.NDArray[np.uint16]:
    start = reader.offset
    header = reader.u8()
    if header == AS_BELOW:
        if below is None:
            raise reader.fault("copies the section below, which does not exist", start)
        return below
    bits = header >> 1
    if bits not in WIDTHS:
        raise reader.fault(f"{bits} bits per index is not one of {WIDTHS}", start)
    words = np.frombuffer(reader.take(4 * words_of(bits)), "<u4")
    count = reader.i32le() if bits else 1
    if not 1 <= count <= PALETTE_LIMIT:
        raise reader.fault(f"the number of biomes, {count}, is not in 1..{PALETTE_LIMIT}", start)
    palette = np.frombuffer(reader.take(4 * count), "<i4").clip(0, 65534).astype(np.uint16)
    indices = indices_of(words, bits)
    if int(indices.max()) >= count:
        raise reader.fault("an index points beyond the palette", start)
    return palette[indices]
