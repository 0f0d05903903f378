"""Small worlds that are as bad as a server may send: a kind and a seed make one, always the same.

Rules:
1. A world is what comes over the wire: the bytes of each sub-chunk, height maps, and block changes grouped by drain.
   Nothing here is decoded by the product; ``subchunk_twin`` says what the bytes mean.
2. Every kind is worth a world of its own: it takes something to its end that honest worlds only touch.
3. Worlds are as small as their kind allows, since references are slow: two or three columns of three sub-chunks.

``KINDS`` has them all; ``make(kind, seed, blocks)`` makes one.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.world.block_table import BlockTable
from net.space.dimensions import NETHER, OVERWORLD, Dimension
from net.space.positions import ColumnPos, SubChunkPos
from tests.support.subchunk_twin import LEGACY_VERSIONS

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
    """Runtime ids by what they are, of one block table."""

    air: int  # its id
    every: Ids  # all but air and the placeholder
    models: Ids  # of one class each, as the four behind them
    cutouts: Ids  # see there
    translucents: Ids  # see there
    liquids: Ids  # see there
    opaques: Ids  # see there
    placeholders: Ids  # ids that show nothing and hide all
    waters: Ids  # of all levels
    lamps: Ids  # whatever shines, of any class

    @classmethod
    def of(cls, table: BlockTable) -> "Blocks":
        """The blocks of a table."""
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
        """The ids of every class but air, in the order of dense ids."""
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

    dimension: Dimension  # where
    columns: dict[ColumnPos, Column]  # what is sent of each column
    early: tuple[Changes, ...] = ()  # changes that come before any answer
    changes: tuple[Changes, ...] = ()  # those behind the answers
    honest: bool = True  # whether height maps tell what is there; else each says anything
    again: tuple[ColumnPos, ...] = ()  # columns that are forgotten and sent anew in the middle
    # whether columns come whole, as those of old servers: sub-chunks behind each other from the floor up
    whole: bool = False
    # whether it brings ids that its block table does not know, so that the table is spoilt for others
    foreign: bool = False


Maker = Callable[[Rng, Blocks], AdversarialWorld]
KINDS: Final[dict[str, Maker]] = {}


def kind(maker: Maker) -> Maker:
    """Adds a kind under its maker's name."""
    KINDS[maker.__name__] = maker
    return maker


def make(name: str, seed: int, blocks: Blocks) -> AdversarialWorld:
    """A world of a kind."""
    return KINDS[name](np.random.default_rng([seed, *name.encode()]), blocks)


# ---------------------------------------------------------------- bytes


def varint(value: int) -> bytes:
    """LEB128."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def zigzag(value: int) -> int:
    """Of a signed number of 32 bits, which ids are written as."""
    signed = (value & 0xFFFFFFFF) - ((value & 0x80000000) << 1)
    return (signed << 1 ^ signed >> 31) & 0xFFFFFFFF


def storage(rng: Rng, ids: Ids, entries: int = 0, bits: int | None = None) -> bytes:
    """One layer: of any width that suffices unless said, its palette in any order, filled up to so many entries.

    What no index names is written all the same: entries beyond those, padding bits, the rest of the last word.
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
    """How many, and each."""
    return varint(2 * len(palette)) + b"".join(varint(zigzag(value)) for value in palette.tolist())


def payload(rng: Rng, layers: Sequence[Ids], section: int, version: int = 9) -> bytes:
    """A sub-chunk as the wire carries it."""
    return header(len(layers), section, version) + b"".join(storage(rng, ids) for ids in layers)


def header(layers: int, section: int, version: int = 9) -> bytes:
    """What stands before the layers."""
    if version == 1:
        return b"\x01"
    return bytes((version, layers)) + (bytes((section & 255,)) if version == 9 else b"")


# ---------------------------------------------------------------- worlds from contents


def square(*sides: int, x: int = 0, z: int = 0) -> list[ColumnPos]:
    """Columns of a rectangle."""
    return [ColumnPos(x + dx, z + dz) for dx in range(sides[0]) for dz in range(sides[1])]


def filled(
    rng: Rng,
    columns: Sequence[ColumnPos],
    content: Callable[[SubChunkPos], Sequence[Ids] | None],
    dimension: Dimension = SMALL,
) -> AdversarialWorld:
    """A world whose sub-chunks have these layers each; none: it is not answered."""
    made: dict[ColumnPos, Column] = {}
    for column in columns:
        made[column] = {}
        for y in range(dimension.floor_section, dimension.roof_section):
            layers = content(SubChunkPos(column.x, y, column.z))
            if layers is not None:
                made[column][y] = payload(rng, layers, y)
    return AdversarialWorld(dimension, made)


def any_of(rng: Rng, ids: Ids, share: float = 1.0, air: int = -1) -> Ids:
    """A sub-chunk of these, in no order; ``air`` where a block is not among that share."""
    chosen = rng.choice(ids, 4096)
    return np.where(rng.random(4096) < share, chosen, air)


def few(rng: Rng, ids: Ids, most: int = 6) -> Ids:
    """Some of them."""
    return rng.choice(ids, min(int(rng.integers(1, most + 1)), len(ids)), replace=False)


def of_all_classes(rng: Rng, blocks: Blocks, share: float | None = None) -> Ids:
    """A sub-chunk of a few blocks of each class, in no order."""
    some = np.concatenate([few(rng, ids, 3) for ids in blocks.classes() if len(ids)] + [few(rng, blocks.lamps, 2)])
    return any_of(rng, some, rng.choice([0.03, 0.3, 0.8, 1.0]) if share is None else share, blocks.air)


def anywhere(rng: Rng, columns: Sequence[ColumnPos], dimension: Dimension, count: int) -> npt.NDArray[np.int64]:
    """Positions of blocks of some columns: int64[n, 3]."""
    corners = np.array(columns, np.int64)[rng.integers(len(columns), size=count)] * 16
    positions = np.empty((count, 3), np.int64)
    positions[:, ::2] = corners + rng.integers(0, 16, (count, 2))
    positions[:, 1] = rng.integers(dimension.floor_y_blocks, dimension.roof_y_blocks, count)
    return positions


def changes_of(rng: Rng, positions: npt.NDArray[np.int64], ids: Ids, wet: float = 0.2) -> Changes:
    """Any of these ids at each position, some in the second layer."""
    layers = (rng.random(len(positions)) < wet).astype(np.int64)
    return Changes(positions, layers, rng.choice(ids, len(positions)))


def every_block_of(column: ColumnPos, dimension: Dimension) -> npt.NDArray[np.int64]:
    """The positions of all blocks of a column: int64[n, 3]."""
    heights = np.arange(dimension.floor_y_blocks, dimension.roof_y_blocks)
    x, z, y = np.meshgrid(np.arange(16), np.arange(16), heights, indexing="ij")
    return np.stack([x.ravel() + 16 * column.x, y.ravel(), z.ravel() + 16 * column.z], axis=1)


# ---------------------------------------------------------------- contents taken to their end


@kind
def every_block_different(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """4,096 states in each sub-chunk, no two alike: no run merges, palettes are as long as they get."""
    return filled(rng, square(2, 1), lambda _: [rng.permutation(blocks.every)[:4096]])


@kind
def all_light_sources(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every block shines, or nearly every one."""
    share = float(rng.choice([0.02, 0.5, 1.0]))
    return filled(rng, square(2, 2), lambda _: [any_of(rng, blocks.lamps, share, blocks.air)])


@kind
def all_models(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Models beside models: of thousands of states, or of few, which connect."""
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
    """Water in the second layer of every block, whatever stands in the first."""
    return filled(rng, square(2, 1), lambda _: [of_all_classes(rng, blocks), any_of(rng, blocks.waters)])


def _checkerboard(rng: Rng, blocks: Blocks, number: int) -> AdversarialWorld:
    """Every other block of a class, each other of another or air; of single blocks, or of larger ones."""
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
    """Every other block, or every one, is the client's own placeholder, which no server should send."""
    world = _checkerboard(rng, blocks, 4)
    return replace(world, changes=_busy(rng, world, np.concatenate([blocks.placeholders, blocks.every[:9]])))


@kind
def checkerboards_of_opaques(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Every other block is opaque: as many faces as there can be."""
    return _checkerboard(rng, blocks, 5)


@kind
def mazes(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Walls with few holes: long crooked ways for light and sight, with lamps of small range in them."""
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
    """24 sub-chunks of everything on each other, with water."""
    return filled(
        rng,
        square(2, 1),
        lambda _: [of_all_classes(rng, blocks), any_of(rng, blocks.waters, 0.1, blocks.air)],
        OVERWORLD,
    )


@kind
def as_high_as_it_gets(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """A dimension of 256 sub-chunks, y -2,048 to 2,047; most of it is air that daylight falls through."""
    tall = Dimension(7, "tall", -128, 256, True)
    sparse = float(rng.choice([0.0005, 0.3]))
    return filled(rng, square(1, 1), lambda at: [of_all_classes(rng, blocks, 0.5 if at.y < -120 else sparse)], tall)


# ---------------------------------------------------------------- places


@kind
def at_the_edge_of_block_numbers(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """24-high columns whose blocks are the first or last that 32 bits count, on either axis."""
    low, high = -BLOCK_EDGE, BLOCK_EDGE - 2
    x, z = int(rng.choice([low, high])), int(rng.choice([low, high, -1]))
    world = filled(rng, square(2, 2, x=x, z=z), lambda _: [of_all_classes(rng, blocks)], OVERWORLD)
    return replace(world, changes=_busy(rng, world, blocks.every))


@kind
def at_the_edge_of_column_numbers(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Columns at the first or last number that 32 bits count; their blocks have no number."""
    low, high = -COLUMN_EDGE, COLUMN_EDGE - 2
    x, z = int(rng.choice([low, high])), int(rng.choice([low, high, 0]))
    return filled(rng, square(2, 2, x=x, z=z), lambda _: [of_all_classes(rng, blocks)])


@kind
def far_apart(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Columns in all corners of what 32 bits count, and such as share the low bits of their numbers."""
    low, high, alike = -BLOCK_EDGE, BLOCK_EDGE - 1, int(rng.integers(1, 1 << 18)) << 8
    corners = [(low, low), (low, high), (high, low), (high, high), (0, 0), (1, 0), (alike, 0), (0, -alike)]
    return filled(rng, [ColumnPos(*at) for at in corners], lambda _: [of_all_classes(rng, blocks)])


# ---------------------------------------------------------------- changes


def _busy(rng: Rng, world: AdversarialWorld, ids: Ids) -> tuple[Changes, ...]:
    """Some drains of changes, of one to some thousands of blocks each, with layers and heights that do not exist."""
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
    """Every block of a column changes at once, in both layers, and then once more."""
    world = filled(rng, square(2, 1), lambda _: [of_all_classes(rng, blocks)])
    cells = every_block_of(ColumnPos(0, 0), SMALL)
    again = rng.permutation(np.concatenate([cells, cells]))
    first = Changes(cells, np.zeros(len(cells), np.int64), rng.choice(blocks.every, len(cells)))
    return replace(world, changes=(first, changes_of(rng, again, few(rng, blocks.every, 40), 0.5)))


@kind
def a_tall_column_changed_in_one_drain(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """98,304 changes, of the whole height, over what was one block everywhere."""
    stone = int(rng.choice(blocks.opaques))
    world = filled(rng, square(1, 1), lambda _: [np.full(4096, stone)], OVERWORLD)
    cells = every_block_of(ColumnPos(0, 0), OVERWORLD)
    return replace(world, changes=(changes_of(rng, cells, few(rng, blocks.every, 60), 0.0),))


@kind
def changes_everywhere(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Drain after drain of changes, before the blocks come and behind them."""
    world = filled(rng, square(2, 2), lambda _: [of_all_classes(rng, blocks)] if rng.random() < 0.9 else None)
    early = [made for made in _busy(rng, world, blocks.every) if len(made.ids) <= MOST_EARLY]
    return replace(world, early=tuple(early), changes=_busy(rng, world, blocks.every))


@kind
def lamps_on_borders(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Lamps come and go at the corners and borders of sub-chunks, in air, water and leaves."""
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
    """Sub-chunks that nobody answers, uniform ones, columns that go and come again."""

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
    """Height maps that say whatever they like, with sub-chunks missing, over which they seed daylight."""
    world = filled(rng, square(2, 2), lambda _: None if rng.random() < 0.3 else [of_all_classes(rng, blocks)])
    return replace(world, honest=False)


# ---------------------------------------------------------------- bytes taken to their end


@kind
def long_palettes(rng: Rng, blocks: Blocks) -> AdversarialWorld:
    """Palettes of 4,095, 4,096, 4,097, 65,536 entries, longer than their width can name, and of one more: a fault."""

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
    """Of each width: an index one beyond the palette, or far beyond it, in either layer; that sub-chunk is a fault."""
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
    """Versions 0 to 9, none to five layers, all widths, a section that is another's; one ends too soon."""

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
    """Columns that come whole: too short, beyond the roof, with a sub-chunk that makes no sense and hides the rest."""
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
    """Some 70,000 ids that are in no palette: the numbers of the session run out."""
    unknown = rng.choice(1 << 32, 80_000, replace=False).astype(np.int64)
    unknown = unknown[(unknown < 0) | (unknown > blocks.every.max())][:70_000]
    columns = square(3, 2)
    sections = len(columns) * SMALL.sections
    parts = iter(np.array_split(unknown, sections))
    world = filled(rng, columns, lambda _: [rng.permutation(np.resize(next(parts), 4096))])
    return replace(world, foreign=True)
