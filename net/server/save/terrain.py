"""Changed sub-chunks as rows: where they are, their version, the names and states of their blocks.

A key is the dimension, x, z and y, big endian, so that a column's lie together. A value is

    u8 format | u32 version | u64 tick | u8 layers | u32 length of the palette | zlib(palette | layers | ended)

little endian; the palette is a list of ``[name, {property: value}]`` in JSON (UTF-8), a layer 4096 u16 of places in it.
Behind them stand the cells whose block entities ended, a u16 each, in format 2; where none did the format is 1, which
has none, so that servers of before read it.

Limit: a sub-chunk whose row cannot be read is shown as it was made, is told in ``lost``, and its row stays until
somebody changes that sub-chunk.
"""

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from net.errors import FolderError
from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_provider import ChangedSection, ColumnProvider, StoredSection
from net.server.column_snapshots import SectionVersion
from net.server.save.transactions import Generation, Row, Storage
from net.space import BLOCKS_PER_SUBCHUNK, OVERWORLD, BlockIds, ColumnPos, Dimension, SubChunkPos, by_number

FORMAT: Final = 1
WITH_ENDED: Final = 2
HEAD: Final = struct.Struct("<BIQBI")
_COLUMN: Final = struct.Struct(">BII")
_SIGN: Final = 1 << 31
_LAYER_BYTES: Final = 2 * BLOCKS_PER_SUBCHUNK
_MOST_BYTES: Final = 8 << 20
"""Of one value inflated: 4096 states of 2 KB."""
SECTION_BYTES: Final = _LAYER_BYTES
"""What a changed section counts for, before it is written."""


class ChangedTerrain:
    """The changed sub-chunks of all dimensions; a source of transactions.

    ``storage``: where they are kept. ``lost``: gets a sentence for each that cannot be read.
    """

    def __init__(self, storage: Storage, lost: list[str]) -> None:
        self.storage = storage
        self._lost = lost
        self._attached: list[_Attached] = []
        self.changes = 0

    def sections(self, dimension: Dimension, column: ColumnPos) -> Mapping[int, StoredSection]:
        """What is stored of a column, by absolute y."""
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
        """Says whose changes of a dimension are to be stored."""
        self._attached.append(_Attached(dimension, provider, states))

    @property
    def dirty_bytes(self) -> int:
        """Of what changed since the last generation, as it lies in memory."""
        return sum(one.provider.dirty_sections for one in self._attached) * SECTION_BYTES

    def take(self) -> Generation:
        """What changed, as it is now, in all dimensions."""
        taken = [
            (one.dimension.number, tuple(one.provider.take_changes()), one.states.states) for one in self._attached
        ]

        def rows() -> Iterator[Row]:
            for number, changes, states in taken:
                for change in changes:
                    yield section_key(number, change.position), write_section(change, states)

        return rows

    def settle(self, *, stored: bool) -> None:
        """The generation taken last is stored for good, or not."""
        for one in self._attached:
            one.provider.settle(stored=stored)


class _Attached(NamedTuple):
    """Whose changes are stored, and what its local ids are."""

    dimension: Dimension
    provider: ColumnProvider
    states: LocalStates


def _words(dimension: Dimension, *position: int) -> str:
    """A place as users are told it; of the overworld nobody says so."""
    where = " ".join(map(str, position))
    return where if dimension.number == OVERWORLD.number else f"{where} of the {by_number(dimension.number).name}"


def section_key(dimension: int, position: SubChunkPos) -> bytes:
    return _prefix(dimension, position.column) + bytes((position.y + 128,))


def _prefix(dimension: int, column: ColumnPos) -> bytes:
    return _COLUMN.pack(dimension, column.x + _SIGN, column.z + _SIGN)


def write_section(change: ChangedSection, states: Sequence[BlockState]) -> bytes:
    """The value of a changed sub-chunk. ``states``: what local ids are."""
    blocks = change.snapshot.section(change.index)
    layers = [blocks.layer0] + ([] if blocks.layer1 is None else [blocks.layer1])
    used, places = np.unique(np.concatenate(layers), return_inverse=True)
    palette = json.dumps([[states[one].name, dict(states[one].states)] for one in used.tolist()]).encode()
    number = WITH_ENDED if blocks.ended else FORMAT
    head = HEAD.pack(number, blocks.version.number, blocks.version.tick, len(layers), len(palette))
    ended = np.array(sorted(blocks.ended), "<u2").tobytes()
    return head + zlib.compress(palette + places.astype("<u2").tobytes() + ended, 1)


def read_section(value: bytes) -> StoredSection:
    """A sub-chunk of its value. Raises FolderError: it makes no sense, or is of a newer format."""
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
