"""Small worlds with the worst data that a server may send; kind and seed determine the world.

Rules:
1. A world consists of network data: the bytes of each sub-chunk, height maps, and block changes grouped by drain.
   The product decodes nothing here; ``reference.subchunk`` is the reference of the bytes.
2. Each kind takes one property to an extreme that ordinary worlds do not reach.
3. Worlds are as small as their kind allows, since references are slow: two or three columns of three sub-chunks.

``KINDS`` has them all; ``make(kind, seed, blocks)`` makes one.

``PlayedWorld`` sends a world to a store and compares all results with references: blocks with the plainly decoded
bytes, light with brute force and with a relight, masks, connectivity and heights with their plain references, meshes
with the faces that each cell shows, and the visibility walk with rays.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.visibility import Walk
from client.world.block_table import LAST_ID, BlockTable
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from net.palette import Palette, ReleaseWords, state_of_number
from net.space import NETHER, OVERWORLD, ColumnPos, Dimension, SubChunkPos
from net.subchunk.heights import HeightAnswer, HeightVerdict
from net.subchunk.storage import IS_PLACEHOLDER, PALETTE_LIMIT
from render.jobs.workers import WorkerResources
from render.mesh.mesher import AppearanceTables
from render.scene.grid import Grid
from render.scene.jobs import drawable, mesh_jobs
from tests.support.reference import mesh as mesh_twin
from tests.support.reference import subchunk
from tests.support.reference.subchunk import LEGACY_VERSIONS
from tests.support.reference.visibility import flood_connectivity, places_on_ray
from tests.support.worlds.store import ToldStore

# ---------------------------------------------------------------- adversarial worlds

Ids = npt.NDArray[np.int64]
"""Runtime ids of the wire; of a sub-chunk: [4096], x << 8 | z << 4 | y."""
Rng = np.random.Generator

SMALL: Final = Dimension(0, "small", -1, 3, True)
WIDTHS: Final = (1, 2, 3, 4, 5, 6, 8, 16)
MOST_EARLY: Final = 65
"""So many at a time may come before their blocks; 512 of one sub-chunk are kept."""
BLOCK_EDGE: Final = 1 << 27
"""Columns whose blocks end at the numbers of 32 bits."""
COLUMN_EDGE: Final = 1 << 31
"""Columns at the numbers of 32 bits themselves; their blocks have none."""


class Blocks(msgspec.Struct, frozen=True):
    """Runtime ids of one block table by class."""

    air: int
    every: Ids  # all except air and the placeholder
    models: Ids
    cutouts: Ids
    translucents: Ids
    liquids: Ids
    opaques: Ids
    placeholders: Ids  # show nothing and hide everything
    waters: Ids  # all levels of water
    lamps: Ids  # light sources of any class

    @classmethod
    def of(cls, table: BlockTable) -> "Blocks":
        """Sorts the blocks of a table."""
        count, first = len(table), table.first
        bounds = (first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque, count)
        ids = table.runtime_ids[:count]
        parts = [np.sort(ids[low:high]) for low, high in pairwise(bounds)]
        models, cutouts, translucents, liquids, placeholders, opaques = parts
        water = [k for k in range(first.liquid, first.placeholder) if table.states[k].name.endswith("water")]
        return cls(
            int(ids[0]), np.concatenate([*parts[:4], opaques]), models, cutouts, translucents, liquids, opaques,
            placeholders[placeholders >= 0], np.sort(ids[water]), np.sort(ids[np.flatnonzero(table.emission[:count])]),
        )  # fmt: skip

    def classes(self) -> tuple[Ids, ...]:
        """The ids of each class except air, in the order of dense ids."""
        return self.models, self.cutouts, self.translucents, self.liquids, self.placeholders, self.opaques


class Changes(msgspec.Struct, frozen=True):
    """Block changes of one drain: int64[n, 3] positions, [n] layers, [n] runtime ids."""

    positions: npt.NDArray[np.int64]
    layers: npt.NDArray[np.int64]
    ids: Ids


Layers = list[Ids]
Column = dict[int, bytes]
"""By absolute section: the payload, empty where the server says that it is all air; what is missing is not answered."""


class AdversarialWorld(msgspec.Struct, frozen=True):
    """One world."""

    dimension: Dimension
    columns: dict[ColumnPos, Column]  # what the server sends, by column
    early: tuple[Changes, ...] = ()  # block changes before any answer
    changes: tuple[Changes, ...] = ()  # block changes after the answers
    honest: bool = True  # whether height maps are correct; otherwise they are random
    again: tuple[ColumnPos, ...] = ()  # columns that are removed and sent again in the middle
    # whether columns come with all sub-chunks, from the floor up, as from old servers
    whole: bool = False
    # whether it adds unknown ids to its block table, which other worlds then cannot use
    foreign: bool = False


Maker = Callable[[Rng, Blocks], AdversarialWorld]
KINDS: Final[dict[str, Maker]] = {}


def kind(maker: Maker) -> Maker:
    """Registers a kind under its function's name."""
    KINDS[maker.__name__] = maker
    return maker


def make(name: str, seed: int, blocks: Blocks) -> AdversarialWorld:
    """Makes a world of a kind."""
    return KINDS[name](np.random.default_rng([seed, *name.encode()]), blocks)


# ---------------------------------------------------------------- bytes


def varint(value: int) -> bytes:
    """An unsigned LEB128 number."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def zigzag(value: int) -> int:
    """The zigzag form of an id as a signed 32-bit number."""
    signed = (value & 0xFFFFFFFF) - ((value & 0x80000000) << 1)
    return (signed << 1 ^ signed >> 31) & 0xFFFFFFFF


def storage(rng: Rng, ids: Ids, entries: int = 0, bits: int | None = None) -> bytes:
    """Encodes one layer, by default with a random sufficient width; the palette is in random order.

    Unused parts are random, too: palette entries up to the given number, padding bits, the rest of the last word.
    """
    present, index = np.unique(ids, return_inverse=True)
    if bits is None and not entries and len(present) == 1 and rng.random() < 0.5:
        return b"\x01" + varint(zigzag(int(present[0])))
    entries = max(entries, len(present))
    order = rng.permutation(entries)
    palette = rng.choice(present, entries)
    palette[order[: len(present)]] = present
    least = max(int(entries - 1).bit_length(), 1)
    bits = bits or int(rng.choice([width for width in WIDTHS if width >= least]))
    return words(rng, order[: len(present)][index.reshape(-1)], bits) + palette_bytes(palette)


def words(rng: Rng, index: npt.NDArray[np.integer], bits: int) -> bytes:
    """A header and the packed indices."""
    per_word = 32 // bits
    count = -(-4096 // per_word)
    padded = rng.integers(0, 1 << bits, count * per_word)
    padded[:4096] = index
    packed = (padded.reshape(count, per_word) << (np.arange(per_word) * bits)).sum(axis=1)
    spare = 32 - per_word * bits
    if spare:
        packed |= rng.integers(0, 1 << spare, count) << (32 - spare)
    return bytes((bits << 1 | 1,)) + packed.astype("<u4").tobytes()


def palette_bytes(palette: Ids) -> bytes:
    """Encodes a palette with its length."""
    return varint(2 * len(palette)) + b"".join(varint(zigzag(value)) for value in palette.tolist())


def payload(rng: Rng, layers: Sequence[Ids], section: int, version: int = 9) -> bytes:
    """Encodes a sub-chunk."""
    return header(len(layers), section, version) + b"".join(storage(rng, ids) for ids in layers)


def header(layers: int, section: int, version: int = 9) -> bytes:
    """The header of a sub-chunk."""
    if version == 1:
        return b"\x01"
    return bytes((version, layers)) + (bytes((section & 255,)) if version == 9 else b"")


# ---------------------------------------------------------------- worlds from contents


def square(*sides: int, x: int = 0, z: int = 0) -> list[ColumnPos]:
    """The columns of a rectangle."""
    return [ColumnPos(x + dx, z + dz) for dx in range(sides[0]) for dz in range(sides[1])]


def filled(
    rng: Rng,
    columns: Sequence[ColumnPos],
    content: Callable[[SubChunkPos], Sequence[Ids] | None],
    dimension: Dimension = SMALL,
) -> AdversarialWorld:
    """A world with these layers in each sub-chunk; a sub-chunk without layers is not answered."""
    made: dict[ColumnPos, Column] = {}
    for column in columns:
        made[column] = {}
        for y in range(dimension.floor_section, dimension.roof_section):
            layers = content(SubChunkPos(column.x, y, column.z))
            if layers is not None:
                made[column][y] = payload(rng, layers, y)
    return AdversarialWorld(dimension, made)


def any_of(rng: Rng, ids: Ids, share: float = 1.0, air: int = -1) -> Ids:
    """A sub-chunk of random blocks; ``share`` of them are from ``ids``, the others air."""
    chosen = rng.choice(ids, 4096)
    return np.where(rng.random(4096) < share, chosen, air)


def few(rng: Rng, ids: Ids, most: int = 6) -> Ids:
    """A few random ids of them."""
    return rng.choice(ids, min(int(rng.integers(1, most + 1)), len(ids)), replace=False)


def of_all_classes(rng: Rng, blocks: Blocks, share: float | None = None) -> Ids:
    """A sub-chunk of a few blocks of each class in random order."""
    some = np.concatenate([few(rng, ids, 3) for ids in blocks.classes() if len(ids)] + [few(rng, blocks.lamps, 2)])
    return any_of(rng, some, rng.choice([0.03, 0.3, 0.8, 1.0]) if share is None else share, blocks.air)


def anywhere(rng: Rng, columns: Sequence[ColumnPos], dimension: Dimension, count: int) -> npt.NDArray[np.int64]:
    """int64[n, 3] random block positions in some columns."""
    corners = np.array(columns, np.int64)[rng.integers(len(columns), size=count)] * 16
    positions = np.empty((count, 3), np.int64)
    positions[:, ::2] = corners + rng.integers(0, 16, (count, 2))
    positions[:, 1] = rng.integers(dimension.floor_y_blocks, dimension.roof_y_blocks, count)
    return positions


def changes_of(rng: Rng, positions: npt.NDArray[np.int64], ids: Ids, wet: float = 0.2) -> Changes:
    """A change to a random id at each position, some in the second layer."""
    layers = (rng.random(len(positions)) < wet).astype(np.int64)
    return Changes(positions, layers, rng.choice(ids, len(positions)))


def every_block_of(column: ColumnPos, dimension: Dimension) -> npt.NDArray[np.int64]:
    """int64[n, 3] positions of all blocks of a column."""
    heights = np.arange(dimension.floor_y_blocks, dimension.roof_y_blocks)
    x, z, y = np.meshgrid(np.arange(16), np.arange(16), heights, indexing="ij")
    return np.stack([x.ravel() + 16 * column.x, y.ravel(), z.ravel() + 16 * column.z], axis=1)


# ---------------------------------------------------------------- contents taken to their end


@kind
def every_block_different(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """4,096 different states in each sub-chunk: nothing merges, and palettes have their greatest length."""
    return filled(rng, square(2, 1), lambda _: [rng.permutation(blocks.every)[:4096]])


@kind
def all_light_sources(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """All or nearly all blocks are light sources."""
    share = float(rng.choice([0.02, 0.5, 1.0]))
    return filled(rng, square(2, 2), lambda _: [any_of(rng, blocks.lamps, share, blocks.air)])


@kind
def all_models(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Only models: of thousands of states, or of few states that connect to each other."""
    ids = blocks.models if rng.random() < 0.5 else few(rng, blocks.models)
    return filled(rng, square(2, 1), lambda _: [any_of(rng, ids)])


@kind
def all_liquids(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Water and lava of all levels, in both layers."""
    share = float(rng.choice([0.3, 0.8, 1.0]))
    return filled(
        rng,
        square(2, 1),
        lambda _: [any_of(rng, blocks.liquids, share, blocks.air), any_of(rng, blocks.liquids, 0.2, blocks.air)],
    )


@kind
def all_waterlogged(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Water in the second layer of all blocks."""
    return filled(rng, square(2, 1), lambda _: [of_all_classes(rng, blocks), any_of(rng, blocks.waters)])


def _checkerboard(rng: Rng, blocks: Blocks, number: int) -> AdversarialWorld:
    """A checkerboard of a class and another or air, of single blocks or larger cubes."""
    own = blocks.classes()[number]
    other = [np.array([blocks.air]), *(ids for ids in blocks.classes() if len(ids))][int(rng.integers(7)) % 6]
    own, other = few(rng, own), few(rng, other)
    side = int(rng.choice([1, 1, 1, 2, 3]))

    def content(at: SubChunkPos) -> list[Ids]:
        x, z, y = np.indices((16, 16, 16)).reshape(3, -1)
        odd = ((x + 16 * at.x) // side + (z + 16 * at.z) // side + (y + 16 * at.y) // side) % 2 == 1
        return [np.where(odd, rng.choice(own, 4096), rng.choice(other, 4096))]

    return filled(rng, square(2, 1), content)


@kind
def checkerboards_of_models(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every other block is a model."""
    return _checkerboard(rng, blocks, 0)


@kind
def checkerboards_of_cutouts(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every other block has holes."""
    return _checkerboard(rng, blocks, 1)


@kind
def checkerboards_of_translucents(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every other block is glass."""
    return _checkerboard(rng, blocks, 2)


@kind
def checkerboards_of_liquids(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every other block is wet."""
    return _checkerboard(rng, blocks, 3)


@kind
def checkerboards_of_placeholders(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every other block, or each, is the client's placeholder, which servers should not send."""
    world = _checkerboard(rng, blocks, 4)
    return replace(world, changes=_busy(rng, world, np.concatenate([blocks.placeholders, blocks.every[:9]])))


@kind
def checkerboards_of_opaques(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every other block is opaque: the largest number of faces."""
    return _checkerboard(rng, blocks, 5)


@kind
def mazes(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Walls with few holes, that is long winding paths for light and rays, with weak lamps in them."""
    wall, lamp = int(rng.choice(blocks.opaques)), int(rng.choice(blocks.lamps))

    def content(_: SubChunkPos) -> list[Ids]:
        cells = np.full((16, 16, 16), blocks.air)
        for axis in range(3):
            for at in range(int(rng.integers(2)), 16, int(rng.integers(2, 5))):
                plane = np.moveaxis(cells, axis, 0)[at]
                plane[rng.random((16, 16)) < 0.985] = wall
        cells[rng.random((16, 16, 16)) < 0.002] = lamp
        return [cells.reshape(4096)]

    return filled(rng, square(2, 2), content)


@kind
def without_sky(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """The Nether, from floor to roof."""
    return filled(rng, square(2, 1), lambda _: [of_all_classes(rng, blocks)], NETHER)


@kind
def floor_to_roof(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """24 sub-chunks of all classes, with water."""
    return filled(
        rng,
        square(2, 1),
        lambda _: [of_all_classes(rng, blocks), any_of(rng, blocks.waters, 0.1, blocks.air)],
        OVERWORLD,
    )


@kind
def as_high_as_it_gets(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """A dimension of 256 sub-chunks, y -2,048 to 2,047; most of it is air in daylight."""
    tall = Dimension(7, "tall", -128, 256, True)
    sparse = float(rng.choice([0.0005, 0.3]))
    return filled(rng, square(1, 1), lambda at: [of_all_classes(rng, blocks, 0.5 if at.y < -120 else sparse)], tall)


# ---------------------------------------------------------------- places


@kind
def at_the_edge_of_block_numbers(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Columns of 24 sub-chunks whose blocks have the lowest or highest 32-bit coordinates, on either axis."""
    low, high = -BLOCK_EDGE, BLOCK_EDGE - 2
    x, z = int(rng.choice([low, high])), int(rng.choice([low, high, -1]))
    world = filled(rng, square(2, 2, x=x, z=z), lambda _: [of_all_classes(rng, blocks)], OVERWORLD)
    return replace(world, changes=_busy(rng, world, blocks.every))


@kind
def at_the_edge_of_column_numbers(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Columns with the lowest or highest 32-bit coordinates; their blocks have no 32-bit coordinates."""
    low, high = -COLUMN_EDGE, COLUMN_EDGE - 2
    x, z = int(rng.choice([low, high])), int(rng.choice([low, high, 0]))
    return filled(rng, square(2, 2, x=x, z=z), lambda _: [of_all_classes(rng, blocks)])


@kind
def far_apart(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Columns in all corners of the 32-bit range, and columns that share the low bits of their coordinates."""
    low, high, alike = -BLOCK_EDGE, BLOCK_EDGE - 1, int(rng.integers(1, 1 << 18)) << 8
    corners = [(low, low), (low, high), (high, low), (high, high), (0, 0), (1, 0), (alike, 0), (0, -alike)]
    return filled(rng, [ColumnPos(*at) for at in corners], lambda _: [of_all_classes(rng, blocks)])


# ---------------------------------------------------------------- changes


def _busy(rng: Rng, world: AdversarialWorld, ids: Ids) -> tuple[Changes, ...]:
    """Several drains of one to thousands of block changes, some in layers and at heights that do not exist."""
    columns, dimension = list(world.columns), world.dimension
    found = []
    for count in rng.choice([1, 2, 63, 64, 65, 300, 3000], int(rng.integers(2, 5))).tolist():
        made = changes_of(rng, anywhere(rng, columns, dimension, count), few(rng, ids, 40))
        if count > 64:
            made.layers[rng.integers(count, size=3)] = (-1, 2, 255)
            made.positions[rng.integers(count, size=2), 1] = dimension.floor_y_blocks - 1, dimension.roof_y_blocks
        found.append(made)
    return tuple(found)


@kind
def a_column_changed_in_one_drain(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """All blocks of a column change at once, in both layers, and then again."""
    world = filled(rng, square(2, 1), lambda _: [of_all_classes(rng, blocks)])
    cells = every_block_of(ColumnPos(0, 0), SMALL)
    again = rng.permutation(np.concatenate([cells, cells]))
    first = Changes(cells, np.zeros(len(cells), np.int64), rng.choice(blocks.every, len(cells)))
    return replace(world, changes=(first, changes_of(rng, again, few(rng, blocks.every, 40), 0.5)))


@kind
def a_tall_column_changed_in_one_drain(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """98,304 changes over the whole height of a column that was uniform."""
    stone = int(rng.choice(blocks.opaques))
    world = filled(rng, square(1, 1), lambda _: [np.full(4096, stone)], OVERWORLD)
    cells = every_block_of(ColumnPos(0, 0), OVERWORLD)
    return replace(world, changes=(changes_of(rng, cells, few(rng, blocks.every, 60), 0.0),))


@kind
def changes_everywhere(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Many drains of changes, before and after the blocks come."""
    world = filled(rng, square(2, 2), lambda _: [of_all_classes(rng, blocks)] if rng.random() < 0.9 else None)
    early = [made for made in _busy(rng, world, blocks.every) if len(made.ids) <= MOST_EARLY]
    return replace(world, early=tuple(early), changes=_busy(rng, world, blocks.every))


@kind
def lamps_on_borders(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Lamps are placed and removed at corners and borders of sub-chunks, in air, water and leaves."""
    ground = np.concatenate([[blocks.air] * 3, few(rng, blocks.waters, 2), few(rng, blocks.cutouts, 2)])
    world = filled(rng, square(2, 2), lambda _: [any_of(rng, ground)])
    found = []
    for ids in (blocks.lamps, np.array([blocks.air]), blocks.lamps, blocks.opaques, np.array([blocks.air])):
        positions = anywhere(rng, list(world.columns), SMALL, int(rng.integers(1, 60)))
        positions = (positions & ~15) + rng.choice([0, 15], (len(positions), 3))
        found.append(Changes(positions, np.zeros(len(positions), np.int64), rng.choice(ids, len(positions))))
    return replace(world, changes=tuple(found))


@kind
def holes_and_repeats(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Unanswered sub-chunks, uniform ones, and columns that are removed and sent again."""

    def content(_: SubChunkPos) -> list[Ids] | None:
        which = rng.integers(4)
        if which == 0:
            return None
        return [np.full(4096, rng.choice(blocks.every)) if which == 1 else of_all_classes(rng, blocks)]

    world = filled(rng, square(3, 3), content)
    columns = list(world.columns)
    again = tuple(columns[index] for index in rng.choice(len(columns), 3, replace=False))
    return replace(world, changes=_busy(rng, world, blocks.every), again=again)


@kind
def any_height_map(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Random height maps, with missing sub-chunks, for which height maps determine daylight."""
    world = filled(rng, square(2, 2), lambda _: None if rng.random() < 0.3 else [of_all_classes(rng, blocks)])
    return replace(world, honest=False)


# ---------------------------------------------------------------- bytes taken to their end


@kind
def long_palettes(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Palettes of 4,095 to 65,536 entries, longer than their width can index; one with 65,537 entries is a fault."""

    def layer(ids: Ids) -> bytes:
        entries, bits = int(rng.choice([4095, 4096, 4097, 65535, 65536])), int(rng.choice([16, 16, 16, *WIDTHS]))
        if bits == 16:
            return storage(rng, rng.choice(ids, 4096), entries, 16)
        return words(rng, rng.integers(0, 1 << bits, 4096), bits) + palette_bytes(rng.choice(ids, entries))

    world = filled(rng, square(2, 1), lambda _: None)
    for sent in world.columns.values():
        for y in range(SMALL.floor_section, SMALL.roof_section):
            layers = [layer(rng.permutation(blocks.every)[: rng.integers(1, 4096)])]
            if rng.random() < 0.5:
                layers.append(layer(blocks.waters))
            sent[y] = header(len(layers), y) + b"".join(layers)
    one_more = storage(rng, of_all_classes(rng, blocks), 65537, 16)
    world.columns[ColumnPos(0, 0)][0] = header(1, 0) + one_more
    return world


@kind
def indices_beyond_palettes(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """For each width: an index one or far beyond the palette, in either layer; such a sub-chunk is a fault."""
    world = filled(rng, square(2, 2), lambda _: [of_all_classes(rng, blocks)])
    columns = list(world.columns)
    for bits in WIDTHS[1:]:
        most = min(1 << bits, 4096)
        entries = int(rng.integers(2, most))
        index = rng.integers(0, entries, 4096)
        index[rng.integers(4096)] = rng.choice([entries, most - 1])
        broken = words(rng, index, bits) + palette_bytes(rng.choice(blocks.every, entries))
        y = int(rng.integers(SMALL.floor_section, SMALL.roof_section))
        sound = storage(rng, of_all_classes(rng, blocks))
        sent = [broken] if rng.random() < 0.5 else [sound, broken]
        world.columns[columns[int(rng.integers(len(columns)))]][y] = header(len(sent), y) + b"".join(sent)
    return world


@kind
def all_forms_of_the_wire(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Versions 0 to 9, zero to five layers, all widths, a wrong section number; one is truncated."""

    def sent(y: int) -> bytes:
        version = int(rng.choice([*LEGACY_VERSIONS, 1, 1, 8, 8, 8, 9, 9, 9]))
        if version in LEGACY_VERSIONS:
            return bytes((version,)) + rng.integers(0, 256, 6144, np.uint8).tobytes()
        count = 1 if version == 1 else int(rng.integers(0, 6))
        layers = [of_all_classes(rng, blocks) for _ in range(count)]
        return payload(rng, layers, int(rng.choice([y, 127, -128])), version)

    columns: dict[ColumnPos, Column] = {
        column: {y: sent(y) for y in range(SMALL.floor_section, SMALL.roof_section)} for column in square(2, 2)
    }
    short = columns[ColumnPos(0, 0)]
    short[0] = short[0][: int(rng.integers(0, len(short[0])))] or b"\x08"
    return AdversarialWorld(SMALL, columns, foreign=True)


@kind
def whole_columns(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Columns with all their sub-chunks: too few, too many, and with an undecodable one that hides those after it."""
    columns: dict[ColumnPos, Column] = {}
    for number, column in enumerate(square(3, 2)):
        count = int(rng.integers(0, SMALL.sections + 3))
        heights = range(SMALL.floor_section, SMALL.floor_section + count)
        columns[column] = {
            y: payload(rng, [of_all_classes(rng, blocks) for _ in range(int(rng.integers(0, 4)))], y, 8 + number % 2)
            for y in heights
        }
        if count and rng.random() < 0.4:
            y = int(rng.choice(heights))
            columns[column][y] = columns[column][y][:1] + b"\x01" + columns[column][y][2:3] * (number % 2) + b"\x0f"
    world = AdversarialWorld(SMALL, columns, whole=True)
    return replace(world, changes=_busy(rng, world, blocks.every), again=(ColumnPos(0, 0), ColumnPos(2, 1)))


@kind
def ids_that_nobody_knows(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """70,000 ids that are in no palette: the session's dense ids run out."""
    unknown = rng.choice(1 << 32, 80_000, replace=False).astype(np.int64)
    unknown = unknown[(unknown < 0) | (unknown > blocks.every.max())][:70_000]
    columns = square(3, 2)
    sections = len(columns) * SMALL.sections
    parts = iter(np.array_split(unknown, sections))
    world = filled(rng, columns, lambda _: [rng.permutation(np.resize(next(parts), 4096))])
    return replace(world, foreign=True)


# ---------------------------------------------------------------- adversarial play

Volume = npt.NDArray[np.uint16]
MOST_CONNECTIVITIES = 4
MOST_VERDICTS = 2
RAYS = 20
BIOMES = b"\x01\x04\x00"
"""One biome for a whole column, and no border blocks."""


def decoded(payload: bytes, air: int) -> list[Ids] | None:
    """Decodes both layers plainly; unknown old ids become negative. None if the bytes are invalid."""
    empty = np.full(4096, air)
    if not payload:
        return [empty, empty]
    try:
        layers, end = subchunk.subchunk(payload)
    except (IndexError, AssertionError):
        return None
    if end > len(payload) or longest_palette(payload) > PALETTE_LIMIT:
        return None
    if payload[0] in subchunk.LEGACY_VERSIONS:
        values, where = np.unique(layers[0], return_inverse=True)
        return [np.array([_id_of_number(value) for value in values.tolist()])[where.reshape(-1)], empty]
    return [*layers, empty, empty][:2]


@cache
def _words() -> ReleaseWords:
    return ReleaseWords(Palette.for_protocol(486))


def _id_of_number(value: int) -> int:
    """The id of ``number << 4 | data value``; other tests compare this table with independent ones."""
    state = state_of_number(value)
    found = None if state is None else _words().find(state)
    return -value if found is None else found


def longest_palette(payload: bytes) -> int:
    """Length of the longest palette of a valid sub-chunk."""
    if payload[0] in subchunk.LEGACY_VERSIONS:
        return 0
    at, longest = {1: 1, 8: 2, 9: 3}[payload[0]], 0
    for _ in range(1 if payload[0] == 1 else payload[1]):
        bits = payload[at] >> 1
        if bits:
            count, _ = subchunk.varint(payload, at + 1 + 4 * -(-4096 // (32 // bits)))
            longest = max(longest, count >> 1)
        _, at = subchunk.storage(payload, at)
    return longest


class Wanted(msgspec.Struct, frozen=True):
    """What mesh jobs read of a scene's cells: int64[cells] wanted revision."""

    wanted: npt.NDArray[np.int64]


class PlayedWorld:
    """A world that was sent to a store and lit step by step meanwhile."""

    def __init__(self, world: AdversarialWorld, palette: Palette, table: BlockTable, seed: int) -> None:
        self.world = world
        self.rng = np.random.default_rng(seed)
        self.told = ToldStore(palette, self.rng, table, world.dimension)  # store and light
        # by position: the final ids of both layers; None if the bytes are invalid
        self.truth: dict[SubChunkPos, list[Ids] | None] = {}
        self._now = 0.0
        self._known = {int(wire): dense for dense, wire in enumerate(table.runtime_ids[: len(table)].tolist())}
        self._air = int(table.runtime_ids[0])
        self._told_verdicts: list[tuple[SubChunkPos, int, bytes | None]] = []
        self._play()

    @property
    def store(self) -> Store:
        return self.told.store

    def dense(self, ids: Ids) -> npt.NDArray[np.uint16]:
        """Dense ids as light and heights see them: unknown ids are opaque."""
        distinct, where = np.unique(ids, return_inverse=True)
        unknown = self.store.table.first.opaque
        known = [self._known.get(wire, unknown) for wire in distinct.tolist()]
        return np.array(known, np.uint16)[where.reshape(ids.shape)]

    # ------------------------------------------------------------ playing

    def _play(self) -> None:
        world, columns = self.world, list(self.world.columns)
        for index in self.rng.permutation(len(columns)).tolist():
            self.store.announce(columns[index], None, b"", self._now)
        for changes in world.early:
            self._change(changes)
        self._send(columns)
        for changes in world.early:
            self._record(changes)
        for number, changes in enumerate(world.changes):
            if number == 1 and world.again:
                self._send_again(world.again)
            self._change(changes)
            self._record(changes)
            self._end_drain(1.0)
        self.told.drain()
        self.told.finish_light()

    def _send(self, columns: Sequence[ColumnPos]) -> None:
        """Sends columns in random order and in packets of random size."""
        if self.world.whole:
            self._send_whole(columns)
            return
        for column in columns:
            for y, payload in self.world.columns[column].items():
                layers = decoded(payload, self._air)
                self.truth[SubChunkPos(column.x, y, column.z)] = layers and [layer.copy() for layer in layers]
        maps = {column: self._maps(column) for column in columns}
        every = [SubChunkPos(column.x, y, column.z) for column in columns for y in self.world.columns[column]]
        order = self.rng.permutation(len(every)).tolist()
        while order:
            count = int(self.rng.choice([1, 5, 40, 300]))
            part, order = [every[index] for index in order[:count]], order[count:]
            payloads = [self.world.columns[at.column][at.y] for at in part]
            told = [maps[at.column][at.y] for at in part]
            self._now += 1.0
            report = self.store.answer(
                np.array(part, np.int64).astype(np.int32),
                np.array([1 if payload else 6 for payload in payloads], np.uint8),
                payloads,
                np.array([map_kind for map_kind, _ in told], np.uint8),
                [values for _, values in told],
                self._now,
            )
            broken = {fault.position for fault in report.faults}
            assert broken == {at for at in part if self.truth[at] is None}, "other sub-chunks are broken"
            if not self.world.honest:
                self._told_verdicts += [(at, *told[index]) for index, at in enumerate(part)]
            self._end_drain(0.6)

    def _send_whole(self, columns: Sequence[ColumnPos]) -> None:
        """Sends whole columns with biomes at their end; what follows invalid bytes is lost."""
        empty = np.full(4096, self._air)
        for column in columns:
            sent = self.world.columns[column]
            found = [decoded(payload, self._air) for payload in sent.values()]
            sound = next((index for index, layers in enumerate(found) if layers is None), len(found))
            for index, y in enumerate(sections_of(self.world.dimension)):
                layers = [empty, empty] if index >= len(found) else found[index] if index < sound else None
                self.truth[SubChunkPos(column.x, y, column.z)] = layers and [layer.copy() for layer in layers]
            self._now += 1.0
            self.store.fill(column, b"".join(sent.values()) + BIOMES, len(sent), self._now)
            self._end_drain(0.6)

    def _send_again(self, columns: Sequence[ColumnPos]) -> None:
        for column in columns:
            self.store.forget(column)
            self._end_drain(0.5)
        for column in columns:
            self.store.announce(column, None, b"", self._now)
        self._send(columns)

    def _end_drain(self, share: float) -> None:
        if self.rng.random() < share:
            self.told.drain()
            if self.rng.random() < 0.6:
                self.told.relight(int(self.rng.integers(1, 4)))

    def _change(self, changes: Changes) -> None:
        positions = changes.positions.astype(np.int32)
        assert (positions == changes.positions).all()
        self.store.update_blocks(positions, changes.layers, changes.ids)

    def _record(self, changes: Changes) -> None:
        """Applies changes to the expected blocks, in order."""
        layered = (changes.layers >= 0) & (changes.layers < 2)
        positions, layers, ids = changes.positions[layered], changes.layers[layered], changes.ids[layered]
        places, where = np.unique(positions >> 4, axis=0, return_inverse=True)
        cells = (positions[:, 0] & 15) << 8 | (positions[:, 2] & 15) << 4 | (positions[:, 1] & 15)
        order = np.argsort(where.reshape(-1), kind="stable")
        starts = np.searchsorted(where.reshape(-1)[order], np.arange(len(places) + 1))
        for number, place in enumerate(places.tolist()):
            shown = self.truth.get(SubChunkPos(*place))
            if shown is not None:
                for at in order[starts[number] : starts[number + 1]].tolist():
                    shown[layers[at]][cells[at]] = ids[at]

    def _maps(self, column: ColumnPos) -> dict[int, tuple[int, bytes | None]]:
        """A height map for each sent sub-chunk."""
        dimension = self.world.dimension
        if not self.world.honest:
            return {y: self._any_map() for y in self.world.columns[column]}
        if not all(self.shows_blocks(SubChunkPos(column.x, y, column.z)) for y in sections_of(dimension)):
            return dict.fromkeys(self.world.columns[column], (int(HeightAnswer.NONE), None))
        tops = self._tops(column)
        return {y: subchunk.honest_map(tops, 16 * y, as_y=False) for y in sections_of(dimension)}

    def _any_map(self) -> tuple[int, bytes | None]:
        map_kind = int(self.rng.choice([int(known) for known in HeightAnswer]))
        if map_kind != HeightAnswer.DATA:
            return map_kind, None
        lowest, highest = ((-128, 128), (-1, 17), (15, 17))[int(self.rng.integers(3))]
        return map_kind, self.rng.integers(lowest, highest, 256).astype(np.int8).tobytes()

    def _tops(self, column: ColumnPos) -> list[int]:
        every = [self.truth[SubChunkPos(column.x, y, column.z)] or [] for y in sections_of(self.world.dimension)]
        layers = [np.stack([self.dense(layers[layer]) for layers in every]) for layer in (0, 1)]
        return subchunk.true_tops(*layers, self.store.table.opacity[3], self.world.dimension.floor_y_blocks)

    def shows_blocks(self, at: SubChunkPos) -> bool:
        """Whether blocks other than placeholders are known at a position."""
        layers = self.truth.get(at)
        return layers is not None and bool((self.dense(layers[0]) != self.store.table.placeholder).any())

    # ------------------------------------------------------------ comparing

    def check(self, looks: AppearanceTables) -> None:
        """Runs all comparisons."""
        self.check_blocks()
        self.check_derived()
        self.check_heights()
        self.check_light()
        self.check_meshes(looks)
        self.check_sight()

    def check_blocks(self) -> None:
        """Each sub-chunk shows its bytes with the later changes, and nothing else is shown."""
        store, table = self.store, self.store.table
        told_as = table.runtime_ids.copy()
        for dense, state in enumerate(table.states):
            values = dict(state.states)
            if "legacy_id" in values:
                told_as[dense] = -(int(values["legacy_id"]) << 4 | int(values["legacy_data"]))
        for column in self.world.columns:
            for y in sections_of(self.world.dimension):
                at = SubChunkPos(column.x, y, column.z)
                place, expected = store.place_of(at), self.truth.get(at)
                assert place >= self.world.dimension.sections
                assert tuple(store.positions_of(np.array([place], np.int32))[0].tolist()) == at
                hidden = store.pools.kinds[store.slot[place]] & IS_PLACEHOLDER
                assert bool(hidden) != self.shows_blocks(at), at
                if expected is None:
                    wanted = SubChunkState.UNDECODABLE if y in self.world.columns[column] else SubChunkState.UNKNOWN
                    assert store.state[place] == wanted, at
                    continue
                for layer, shown in enumerate((store.blocks_of(at), store.layer1_of(at))):
                    wrong = np.flatnonzero((told_as[shown] != expected[layer]) & (shown != LAST_ID))
                    assert not len(wrong), f"{at} layer {layer} cell {wrong[0]}: {told_as[shown[wrong[0]]]}"
                    shared = np.unique(expected[layer][shown == LAST_ID]).tolist()
                    assert not any(wire in self._known for wire in shared), "a known id was lost"

    def check_derived(self) -> None:
        """Compares masks, kinds and connectivity of all shown sub-chunks."""
        store, first = self.store, self.store.table.first
        pools = store.pools
        places = store.places_of_rows(store.announced_rows)
        slots = np.unique(store.slot[places]).tolist()
        for slot in slots:
            ids = pools.blocks[slot]
            assert pools.kinds[slot] == subchunk.kinds(ids, first.liquid, first.placeholder, first.opaque)
            liquid = (ids >= first.liquid) & (ids < first.placeholder)
            assert (pools.opaque[slot] == subchunk.column_masks(ids >= first.placeholder)).all()
            assert (pools.liquid[slot] == subchunk.column_masks(liquid)).all()
            assert (pools.other[slot] == subchunk.column_masks((ids > 0) & (ids < first.liquid))).all()
            needed = int(np.bitwise_or.reduce(store.table.flags[ids]))
            assert pools.flags[slot] & needed == needed
        for second in np.unique(store.layer1_slot[places]).tolist():
            ids = pools.layer1[second]
            assert (pools.wet[second] == subchunk.column_masks((ids >= first.liquid) & (ids < first.placeholder))).all()
        for slot in self.rng.permutation(slots)[:MOST_CONNECTIVITIES].tolist():
            assert int(pools.connectivity[slot]) == flood_connectivity(pools.opaque[slot]), f"slot {slot}"

    def check_heights(self) -> None:
        """Correct maps agree with their blocks and surfaces are right; verdicts on other maps equal the reference's."""
        store, dimension = self.store, self.world.dimension
        for column in self.world.columns:
            sent = [SubChunkPos(column.x, y, column.z) for y in sections_of(dimension)]
            if self.world.honest and all(map(self.shows_blocks, sent)):
                assert HeightVerdict.CONTRADICTS not in {store.height_verdict_of(at) for at in sent}
                assert store.height_map(column).tolist() == self._tops(column)
        for index in self.rng.permutation(len(self._told_verdicts))[:MOST_VERDICTS].tolist():
            self._check_verdict(*self._told_verdicts[index])

    def _check_verdict(self, at: SubChunkPos, map_kind: int, values: bytes | None) -> None:
        if map_kind == HeightAnswer.NONE or at.y == self.world.dimension.roof_section - 1:
            return  # there is no map; or nothing is above, which allows more interpretations
        constant = 16 if map_kind == HeightAnswer.ALL_TOO_HIGH else -1
        told = np.full(256, constant, np.int8) if values is None else np.frombuffer(values, np.int8)
        layers = [self.dense(layer) for layer in self.truth[at] or []]
        expected = subchunk.verdict(layers[0], layers[1], self.store.table.opacity[3], told, False)
        assert self.store.height_verdict_of(at) == expected, f"{at} {HeightAnswer(map_kind)}"

    def check_light(self) -> None:
        """Light updated step by step equals brute force and a relight."""
        self.told.check_light()
        fresh = LightMap(self.store, 4096)
        fresh.step(self.store, self.store.announced_rows)
        places = self.store.places_of_rows(self.store.announced_rows)
        mine = self.told.light
        assert (fresh.values[fresh.table[places]] == mine.values[mine.table[places]]).all(), (
            "light from nothing differs"
        )

    def check_meshes(self, looks: AppearanceTables) -> None:
        """The mesh of each cell has exactly the faces that it shows."""
        store, grid = self.store, Grid.of(self.world.dimension)
        rows = store.announced_rows
        every = grid.cells_of_rows(rows)
        wanted = np.arange(len(store.columns) * grid.tall, dtype=np.int64)
        dirty = every[drawable(store, grid, every)]
        column = next(iter(self.world.columns))
        eye = (column.x * 16.0, 0.0, column.z * 16.0)
        met = []
        workshop = WorkerResources()
        for job in mesh_jobs(store, grid, Wanted(wanted), dirty, looks, eye, len(dirty)):
            meshed = job.work(workshop)
            assert not meshed.failed, meshed.failed
            for result in meshed.results:
                for mesh, (x, y, z) in enumerate(result.cells.tolist()):
                    truth = mesh_twin.CellTruth(*self.neighbourhood(x, y, z), looks)
                    models, slopes = mesh_twin.models_and_slopes_of(result, mesh)
                    same = np.array_equal
                    assert same(mesh_twin.faces_of(result, mesh), truth.faces()), f"faces of cell {x} {y} {z}"
                    assert same(models, truth.models()), f"models of cell {x} {y} {z}"
                    assert same(slopes, truth.slopes()), f"slopes of cell {x} {y} {z}"
                    met.append((x, y, z))
        positions = grid.cell_positions(dirty, store.columns).tolist()
        assert sorted(met) == sorted(map(tuple, positions)), "a cell was left out, or made twice"

    def neighbourhood(self, x: int, y: int, z: int) -> tuple[Volume, Volume]:
        """uint16[48, 64, 48] dense ids of both layers around a cell."""
        store, dimension = self.store, self.world.dimension
        both = np.zeros((2, 3, 4, 3, 16, 16, 16), np.uint16)
        for dx, k, dz in np.ndindex(3, 4, 3):
            at = SubChunkPos(x + dx - 1, 2 * y - 1 + k, z + dz - 1)
            if not dimension.holds_section(at.y):
                continue
            if self.truth.get(at) is None:
                both[0, dx, k, dz] = store.table.placeholder
            else:
                both[0, dx, k, dz] = store.blocks_of(at).reshape(16, 16, 16).transpose(0, 2, 1)
                both[1, dx, k, dz] = store.layer1_of(at).reshape(16, 16, 16).transpose(0, 2, 1)
        volumes = both.transpose(0, 1, 4, 2, 5, 3, 6).reshape(2, 48, 64, 48)
        return volumes[0], volumes[1]

    def check_sight(self) -> None:
        """The visibility walk from a random place reaches everything that rays from there reach."""
        eye = self.eye()
        reached = set(Walk().run(self.store, eye).tolist())
        for _ in range(RAYS):
            direction = self.rng.normal(size=3).tolist()
            for place in places_on_ray(self.store, eye, direction, 150):
                assert place in reached, f"eye {eye} sees place {place} along {direction}"

    def eye(self) -> tuple[float, float, float]:
        """A random point in a column, or above or below it."""
        columns, dimension = list(self.world.columns), self.world.dimension
        x, z = columns[int(self.rng.integers(len(columns)))]
        y = float(self.rng.uniform(dimension.floor_y_blocks - 8, dimension.roof_y_blocks + 8))
        within = self.rng.uniform(0.1, 15.9, 2)
        return 16.0 * x + float(within[0]), y, 16.0 * z + float(within[1])


def sections_of(dimension) -> range:
    """Section numbers of a dimension."""
    return range(dimension.floor_section, dimension.roof_section)
