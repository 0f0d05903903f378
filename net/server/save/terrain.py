"""Changed sub-chunks as rows: position, version, names and states of their blocks.

A key is the dimension, x, z and y, big endian, so that a column's rows are adjacent. A value is

    u8 format | u32 version | u64 tick | u8 layers | u32 length of the palette | zlib(palette | layers | ended)

little endian; the palette is a list of ``[name, {property: value}]`` in JSON (UTF-8), a layer is 4096 u16 indices into
it. Format 2 adds the cells whose block entities ended, a u16 each. Without such cells the format is 1, which older
servers can read.

Limit: a sub-chunk whose row cannot be read is shown as generated and reported in ``lost``; its row stays until the
sub-chunk is changed.
"""

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from net.arrays import BlockIds
from net.errors import FolderError
from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_provider import ChangedSection, ColumnProvider, StoredSection
from net.server.column_snapshots import SectionVersion
from net.server.save.transactions import Generation
from net.space import BLOCKS_PER_SUBCHUNK, OVERWORLD, ColumnPos, Dimension, SubChunkPos, coordinates
from net.storage.server_save import Row, RowStorage

FORMAT: Final = 1
WITH_ENDED: Final = 2
HEAD: Final = struct.Struct("<BIQBI")
_COLUMN: Final = struct.Struct(">BII")
_SIGN: Final = 1 << 31
_LAYER_BYTES: Final = 2 * BLOCKS_PER_SUBCHUNK
_MOST_BYTES: Final = 8 << 20
"""Largest inflated value: 4096 states of 2 KB."""
SECTION_BYTES: Final = _LAYER_BYTES
"""Size that an unwritten section counts for."""


class ChangedTerrain:
    """The changed sub-chunks of all dimensions; a source of transactions.

    ``lost``: gets a sentence for each unreadable sub-chunk.
    """

    def __init__(self, storage: RowStorage, lost: list[str]) -> None:
        self.storage = storage
        self._lost = lost
        self._attached: list[_Attached] = []
        self.changes = 0

    def sections(self, dimension: Dimension, column: ColumnPos) -> Mapping[int, StoredSection]:
        """The stored sections of a column, by absolute y."""
        prefix = _prefix(dimension.number, column)
        try:
            rows = self.storage.read(prefix + b"\0", prefix + b"\xff")
        except FolderError as error:
            where = _words(dimension, column.x, column.z)
            self._lost.append(f"Changes of column {where} cannot be read: {error}.")
            return {}
        found = {}
        for key, value in rows:
            y = key[-1] - 128
            try:
                found[y] = read_section(value)
            except FolderError as error:
                where = _words(dimension, column.x, y, column.z)
                self._lost.append(f"Changes of sub-chunk {where} cannot be read: {error}.")
        return found

    def attach(self, dimension: Dimension, provider: ColumnProvider, states: LocalStates) -> None:
        """Adds a dimension whose changes are to be stored."""
        self._attached.append(_Attached(dimension, provider, states))

    def count_change(self) -> None:
        self.changes += 1

    @property
    def dirty_bytes(self) -> int:
        """Size in memory of the changes since the last generation."""
        return sum(one.provider.dirty_sections for one in self._attached) * SECTION_BYTES

    def take(self) -> Generation:
        """The changes of all dimensions since the last call, as they are now."""
        taken = [
            (one.dimension.number, tuple(one.provider.take_changes()), one.states.states) for one in self._attached
        ]

        def rows() -> Iterator[Row]:
            for number, changes, states in taken:
                for change in changes:
                    yield section_key(number, change.position), write_section(change, states)

        return rows

    def settle(self, *, stored: bool) -> None:
        """Reports whether the generation taken last is stored."""
        for one in self._attached:
            one.provider.settle(stored=stored)


class _Attached(NamedTuple):
    """A dimension's provider of changes, and its local states."""

    dimension: Dimension
    provider: ColumnProvider
    states: LocalStates


def _words(dimension: Dimension, *position: int) -> str:
    """A position for users; the overworld is not named."""
    where = coordinates(position)
    return where if dimension.number == OVERWORLD.number else f"{where} of the {dimension.name}"


def section_key(dimension: int, position: SubChunkPos) -> bytes:
    return _prefix(dimension, position.column) + bytes((position.y + 128,))


def _prefix(dimension: int, column: ColumnPos) -> bytes:
    return _COLUMN.pack(dimension, column.x + _SIGN, column.z + _SIGN)


def write_section(change: ChangedSection, states: Sequence[BlockState]) -> bytes:
    """The value of a changed sub-chunk. ``states``: by local id."""
    blocks = change.snapshot.section(change.index)
    layers = [blocks.layer0] + ([] if blocks.layer1 is None else [blocks.layer1])
    used, places = np.unique(np.concatenate(layers), return_inverse=True)
    palette = json.dumps([[states[one].name, dict(states[one].states)] for one in used.tolist()]).encode()
    number = WITH_ENDED if blocks.ended else FORMAT
    head = HEAD.pack(number, blocks.version.number, blocks.version.tick, len(layers), len(palette))
    ended = np.array(sorted(blocks.ended), "<u2").tobytes()
    return head + zlib.compress(palette + places.astype("<u2").tobytes() + ended, 1)


def read_section(value: bytes) -> StoredSection:
    """Decodes a value. Raises FolderError: it is invalid, or of a newer format."""
    if len(value) < HEAD.size:
        raise FolderError(f"it has {len(value)} bytes; its header alone has {HEAD.size}")
    number, version, tick, count, palette_bytes = HEAD.unpack_from(value)
    if number not in {FORMAT, WITH_ENDED} or count not in {1, 2}:
        raise FolderError(f"it has format {number} with {count} layers; known formats are {FORMAT} and {WITH_ENDED}")
    body = _inflated(value[HEAD.size :])
    end = palette_bytes + count * _LAYER_BYTES
    if len(body) < end or (number == FORMAT and len(body) > end):
        raise FolderError(f"it has {len(body)} bytes, not {palette_bytes} and {count} layers")
    palette = _palette(body[:palette_bytes])
    places = np.frombuffer(body[palette_bytes:end], "<u2").astype(np.uint16)
    if not palette or int(places.max()) >= len(palette):
        raise FolderError(f"it refers to block {int(places.max())} of {len(palette)}")
    layers: list[BlockIds] = list(places.reshape(count, BLOCKS_PER_SUBCHUNK))
    return StoredSection(palette, layers, SectionVersion(version, tick), _cells(body[end:]))


def _cells(text: bytes) -> frozenset[int]:
    if len(text) % 2 or len(text) > _LAYER_BYTES:
        raise FolderError(f"{len(text)} bytes after its layers are not a list of cells")
    cells = frozenset(np.frombuffer(text, "<u2").tolist())
    if cells and max(cells) >= BLOCKS_PER_SUBCHUNK:
        raise FolderError(f"it refers to cell {max(cells)} of {BLOCKS_PER_SUBCHUNK}")
    return cells


def _inflated(packed: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        body = inflater.decompress(packed, _MOST_BYTES)
    except zlib.error as error:
        raise FolderError(f"it cannot be inflated: {error}") from None
    if not inflater.eof:
        raise FolderError("it ends too soon, or inflates to too many bytes")
    return body


def _palette(text: bytes) -> list[BlockState]:
    try:
        return [BlockState(str(name), tuple(sorted(states.items()))) for name, states in json.loads(text)]
    except (ValueError, TypeError, AttributeError) as error:
        raise FolderError(f"its palette cannot be decoded: {error}") from None
