"""Many sub-chunks at a time: scan, let the caller map palettes, unpack into the caller's pools.

    scanned = scan(payloads)              # one kernel call; nothing raised, faults are in the rows
    mapped = table.dense_of(scanned.palette)
    unpack(scanned, entries, 0, slots, mapped, ...)

Rules:
1. Kernels process sub-chunks with numeric palettes. NBT palettes (old blobs) and the legacy form (versions 0..7) are
   rare and are processed one by one by ``legacy.read_named`` and ``legacy_values``.
2. A fault loses its entry; in a sequence also those after it, whose start is then unknown.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import BlockIds, Bytes, RuntimeIds, Slots
from net.errors import DecodeError
from net.subchunk import decode_kernels as columns
from net.subchunk.decode_kernels import (
    BAD_INDEX,
    NOT_UNIFORM,
    scan_batch,
    sort_rows,
    unpack_batch,
    unpack_legacy,
    unpack_scratch,
)
from net.subchunk.legacy import LIGHTS
from net.subchunk.storage import LEGACY_BYTES, SubChunkFault, reason_of

OLD_VERSIONS: Final = {bytes((version,)) for version in (0, 2, 3, 4, 5, 6, 7)}

__all__ = [
    "BAD_INDEX",
    "NOT_UNIFORM",
    "Scanned",
    "Scanner",
    "Sorted",
    "fault_of",
    "legacy_values",
    "scan",
    "scan_sequence",
    "unpack",
]

Entries = npt.NDArray[np.int64]
"""[n] numbers of entries, ascending."""


class Sorted(msgspec.Struct, frozen=True):
    """Valid entries, sorted by form."""

    indexed: Entries  # first layer of indices and numeric ids: nearly all
    single: Entries  # of one block, by their header
    empty: Entries  # without any layer
    rare: Entries  # with NBT palettes, or in the form of versions 0 and 2..7
    second: Entries  # entries of all these forms that have a second layer
    with_rest: Entries  # the same with bytes after their terrain; entries with NBT palettes are not checked


class Scanned(msgspec.Struct, frozen=True):
    """The parts found in some sub-chunks."""

    buffer: Bytes  # their bytes, concatenated
    starts: npt.NDArray[np.int64]  # int64[n] first byte of each in the buffer
    limits: npt.NDArray[np.int64]  # int64[n] one past the last byte each might use
    rows: npt.NDArray[np.int64]  # int64[n, COLUMNS], see ``decode_kernels``
    palette: RuntimeIds  # all palette ids of all layers

    @property
    def status(self) -> npt.NDArray[np.int64]:
        return self.rows[:, columns.STATUS]

    @property
    def ends(self) -> npt.NDArray[np.int64]:
        """One past the last byte of each; block entities follow."""
        return self.rows[:, columns.END]

    def bytes_of(self, entry: int, start: int = 0) -> bytes:
        """The bytes that an entry might use; ``start`` counts from its first byte."""
        return self.buffer[int(self.starts[entry]) + start : int(self.limits[entry])].tobytes()

    @property
    def layers(self) -> npt.NDArray[np.int64]:
        """Layers of each; 0 of a broken one."""
        return self.rows[:, columns.LAYERS]

    def sort(self) -> Sorted:
        """Sorts the entries by form."""
        found, counts = np.empty((columns.SORTS, len(self.rows)), np.int64), np.zeros(columns.SORTS, np.int64)
        sort_rows(self.rows, self.limits, found, counts)
        return Sorted(*(row[:count] for row, count in zip(found, counts.tolist(), strict=True)))

    def legacy(self) -> npt.NDArray[np.bool_]:
        """Which entries are in the form of versions 0 and 2..7."""
        old: npt.NDArray[np.bool_] = self.rows[:, columns.LAYER + columns.BITS] == columns.LEGACY
        return old

    def widths(self) -> Bytes:
        """Bits a block of each first layer, 0 where it has one block or none: uint8[n]."""
        return np.maximum(self.rows[:, columns.LAYER + columns.BITS], 0).astype(np.uint8)

    def palette_sizes(self) -> npt.NDArray[np.uint16]:
        """Entries of each first layer's palette: uint16[n]."""
        return self.rows[:, columns.LAYER + columns.COUNT].astype(np.uint16)

    def single_ids(self, layer: int) -> npt.NDArray[np.int64]:
        """Index into ``palette`` of each entry's first id in that layer; meaningless without that layer."""
        return self.rows[:, columns.LAYER + layer * columns.LAYER_COLUMNS + columns.PALETTE]


class Scanner:
    """Scans packet after packet with one palette buffer, so ``Scanned.palette`` is valid until the next call."""

    def __init__(self) -> None:
        """The buffer grows with the packets."""
        self._palette: RuntimeIds = np.empty(0, np.int64)

    def __deepcopy__(self, memo: dict[int, object]) -> "Scanner":
        """A new one: the buffer's content is not in use."""
        return Scanner()

    def scan(self, payloads: Sequence[bytes]) -> Scanned:
        """Scans payloads, one sub-chunk at the start of each."""
        lengths = np.array(list(map(len, payloads)), np.int64)
        ends = lengths.cumsum()
        buffer, starts = _buffer(bytearray().join(payloads)), ends - lengths
        if len(self._palette) <= len(buffer):
            self._palette = np.empty(2 * len(buffer), np.int64)  # committed by touch
        return Scanned(buffer, starts, ends, *_scan(buffer, starts, ends, self._palette))


def scan(payloads: Sequence[bytes]) -> Scanned:
    """Scans payloads, one sub-chunk at the start of each."""
    return Scanner().scan(payloads)


def scan_sequence(payload: bytes, count: int, ends_well: Callable[[bytes], bool] | None = None) -> Scanned:
    """Scans ``count`` concatenated sub-chunks at the start of a payload.

    ``ends_well``: whether the bytes after the last one are valid. Nothing else shows whether light follows those of
    versions 0 and 2..7.
    """
    scanned = _scan_sequence(payload, count, 0)
    if ends_well is None or not scanned.legacy().any():
        return scanned
    for light in LIGHTS:
        lit = _scan_sequence(payload, count, light) if light else scanned
        if not lit.status.any() and ends_well(payload[int(lit.ends[-1]) :]):
            return lit
    return scanned


def _scan_sequence(payload: bytes, count: int, light: int) -> Scanned:
    """``light``: bytes after each sub-chunk of versions 0 and 2..7; if one ends sooner, the rest is not found."""
    buffer, limits = _buffer(bytearray(payload)), np.full(count, len(payload), np.int64)
    space = np.empty(len(buffer) + 1, np.int64)
    starts = np.full(count, columns.AFTER_PREVIOUS, np.int64)
    if light:
        at = 0
        for index in range(count):
            starts[index] = min(at, len(payload))
            if payload[at : at + 1] in OLD_VERSIONS:
                at += 1 + LEGACY_BYTES + light
            else:
                row, _ = _scan(buffer, starts[index : index + 1], limits[:1], space)
                at = int(row[0, columns.END])
    rows, palette = _scan(buffer, starts, limits, space)
    if light:
        rows[rows[:, columns.LAYER + columns.BITS] == columns.LEGACY, columns.END] += light
        over = np.flatnonzero(rows[:, columns.END] > len(payload))
        rows[over, columns.STATUS], rows[over, columns.END] = SubChunkFault.TRUNCATED, len(payload)
    else:
        starts[:1], starts[1:] = 0, rows[:-1, columns.END]
    return Scanned(buffer, starts, limits, rows, palette)


def _buffer(data: bytearray) -> Bytes:
    """The bytes as a kernel needs them: writable, and never empty."""
    return np.frombuffer(data or bytearray(1), np.uint8)


def _scan(
    buffer: Bytes, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], palette: RuntimeIds
) -> tuple[npt.NDArray[np.int64], RuntimeIds]:
    """Rows of the entries, and all palette ids; ``palette`` has one element more than there are bytes."""
    rows = np.zeros((len(starts), columns.COLUMNS), np.int64)
    return rows, palette[: scan_batch(buffer, starts, ends, rows, palette)]


def unpack(
    scanned: Scanned,
    entries: npt.NDArray[np.int64],
    layer: int,
    slots: Slots,
    mapped: BlockIds,
    id_flags: npt.NDArray[np.uint32],
    blocks: BlockIds,
    slot_flags: npt.NDArray[np.uint32],
) -> npt.NDArray[np.int64]:
    """Writes one layer of some entries into pool slots.

    ``scanned``: of ``scan``. ``entries``: which; each has that layer and is not legacy. ``layer``: 0 or 1. ``slots``:
    int32[n] destination of each. ``mapped``: the dense id of each palette id of ``scanned``. ``id_flags``:
    uint32[65536] by dense id. ``blocks``: the pool, written. ``slot_flags``: uint32[slots], written: ``id_flags`` or-ed
    over the palette. Returns int64[n]: the id of an entry of one block, NOT_UNIFORM, or BAD_INDEX if the entry turns
    out to be broken.
    """
    rows, scratch, uniform = scanned.rows, unpack_scratch(), np.empty(len(entries), np.int64)
    pools = blocks, slot_flags, scratch, uniform
    unpack_batch(scanned.buffer, rows, entries, layer, slots, mapped, id_flags, *pools)
    return uniform


def legacy_values(scanned: Scanned, entry: int) -> BlockIds:
    """``id << 4 | data`` of the 4,096 blocks of a legacy entry: uint16[4096]."""
    values = np.empty(4096, np.uint16)
    unpack_legacy(scanned.buffer, int(scanned.rows[entry, columns.LAYER + columns.WORDS]), values)
    return values


def fault_of(scanned: Scanned, entry: int, where: tuple[str, str], bad_indices_of: int | None = None) -> DecodeError:
    """The error of a broken entry; offsets count from its first byte.

    ``scanned``: of ``scan``. ``where``: packet, and field that holds the entry, for the message. ``bad_indices_of``:
    the layer in which ``unpack`` found BAD_INDEX; None: a fault found by the scan.
    """
    if bad_indices_of is None:
        fault, column = SubChunkFault(int(scanned.status[entry])), columns.AT
    else:
        fault, column = SubChunkFault.INDEX, columns.LAYER + bad_indices_of * columns.LAYER_COLUMNS + columns.WORDS
    start, at = int(scanned.starts[entry]), int(scanned.rows[entry, column])
    needed = int(scanned.rows[entry, columns.NEEDED])
    part, reason = reason_of(fault, scanned.buffer, at, needed - at, int(scanned.limits[entry]) - at)
    return DecodeError(where[0], f"{where[1]}.{part}", max(at - start, 0), reason)
