"""The interface of worlds: columns of local block ids, and the list of the states of those ids; the flat world.

Rules:
1. ``column`` is a pure function of the world and the position: same arguments, same blocks, in any order.
2. A world's ids index ``states``; 0 is air in every world. They are small so that a generator can compute with them. A
   saved world learns its states as it reads columns: the list grows, and existing entries never change.
3. A world knows nothing of the wire, runtime ids or players.

States: a short name ("word") for each block state of protocol 486 that a built-in world uses. A world selects words
with ``table_of``; their order numbers its local ids. If a later version has a better name than 486 (``granite`` was a
kind of ``stone`` then), the word is the later name.

The flat world is the simplest: bedrock, two layers of dirt, grass. Endless, equal everywhere, one sub-chunk high.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, Protocol, runtime_checkable

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import Biomes, BlockIds
from net.palette import BlockState
from net.space import OVERWORLD, ColumnPos, Dimension

Entities = Mapping[int, Mapping[int, bytes]]
"""Block entities in the form that clients get: by section index from the floor, then by block index in it."""
SurfaceBiomes = npt.NDArray[np.uint16]
"""[256] by x << 4 | z: the biome of a block column from floor to roof."""


class GeneratedColumn(msgspec.Struct, frozen=True):
    """A generated column. Read-only once returned."""

    layer0: BlockIds  # local ids, [sections, 4096], lowest section first
    layer1: BlockIds | None  # the second layer (the liquid a plant stands in), the same shape, None where there is none
    biomes: SurfaceBiomes  # biome ids of its 256 block columns
    # biome ids of all its blocks, [sections, 4096]; None if the surface biomes apply from floor to roof
    section_biomes: Biomes | None = None
    entities: Entities = {}  # its block entities


class Spawn(msgspec.Struct, frozen=True):
    """Where a player starts."""

    feet: tuple[float, float, float]  # x, y, z of the feet in blocks
    yaw: float  # degrees, 0 = +z, 90 = -x
    pitch: float  # degrees, positive looks down


class ServerWorld(Protocol):
    """A source of columns."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    @property
    def dimension(self) -> Dimension:
        """Vertical range and sky."""

    @property
    def states(self) -> tuple[BlockState, ...]:
        """The states of the ids in columns made so far; index 0 is air."""

    @property
    def spawn(self) -> Spawn:
        """Where players start."""

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """The column at a position; every position has one."""


@runtime_checkable
class SteppedWorld(Protocol):
    """A ``ServerWorld`` whose columns take long to make, and which can make them in steps."""

    def steps(self, position: ColumnPos) -> Iterator[None]:
        """Some milliseconds of work a step; after the last one ``column`` returns at once. May be abandoned."""


def subchunks_of(blocks: npt.NDArray[np.uint16]) -> BlockIds:
    """Cuts ``[16, 16, height]`` (x, z, y, lowest y first) into ``[height / 16, 4096]`` sub-chunks of wire order."""
    sections = blocks.shape[2] // 16
    cut = blocks.reshape(16, 16, sections, 16).transpose(2, 0, 1, 3)
    return np.ascontiguousarray(cut).reshape(sections, 4096)


def state(name: str, **properties: int | str) -> BlockState:
    """``state("log", old_log_type="oak", pillar_axis="y")``: the namespace is added, the properties are sorted."""
    return BlockState(f"minecraft:{name}", tuple(sorted(properties.items())))


_PLAIN: Final = """
    air tuff grass podzol gravel clay snow magma coal_ore iron_ore copper_ore gold_ore redstone_ore lapis_ore
    diamond_ore emerald_ore deepslate_coal_ore deepslate_iron_ore deepslate_copper_ore deepslate_gold_ore
    deepslate_redstone_ore deepslate_lapis_ore deepslate_diamond_ore deepslate_emerald_ore brown_mushroom
    red_mushroom waterlily glowstone shroomlight ochre_froglight verdant_froglight pearlescent_froglight
    cobblestone mossy_cobblestone glass bookshelf crafting_table netherrack soul_sand quartz_ore end_stone
    obsidian
"""
"""Words that are the name of their state, which has no properties."""

STATES: Final = {
    **{word: state(word) for word in _PLAIN.split()},
    "bedrock": state("bedrock", infiniburn_bit=0),
    "stone": state("stone", stone_type="stone"),
    "granite": state("stone", stone_type="granite"),
    "diorite": state("stone", stone_type="diorite"),
    "andesite": state("stone", stone_type="andesite"),
    "deepslate": state("deepslate", pillar_axis="y"),
    "dirt": state("dirt", dirt_type="normal"),
    "coarse_dirt": state("dirt", dirt_type="coarse"),
    "path": state("grass_path"),
    "sand": state("sand", sand_type="normal"),
    "sandstone": state("sandstone", sand_stone_type="default"),
    "snow_layer": state("snow_layer", covered_bit=0, height=0),
    "deep_snow_layer": state("snow_layer", covered_bit=0, height=2),
    "water": state("water", liquid_depth=0),
    "lava": state("lava", liquid_depth=0),
    "moss": state("moss_block"),
    "oak_log": state("log", old_log_type="oak", pillar_axis="y"),
    "birch_log": state("log", old_log_type="birch", pillar_axis="y"),
    "spruce_log": state("log", old_log_type="spruce", pillar_axis="y"),
    "dark_log": state("log2", new_log_type="dark_oak", pillar_axis="y"),
    "oak_leaves": state("leaves", old_leaf_type="oak", persistent_bit=0, update_bit=0),
    "birch_leaves": state("leaves", old_leaf_type="birch", persistent_bit=0, update_bit=0),
    "spruce_leaves": state("leaves", old_leaf_type="spruce", persistent_bit=0, update_bit=0),
    "dark_leaves": state("leaves2", new_leaf_type="dark_oak", persistent_bit=0, update_bit=0),
    "short_grass": state("tallgrass", tall_grass_type="tall"),
    "fern": state("tallgrass", tall_grass_type="fern"),
    "dandelion": state("yellow_flower"),
    "poppy": state("red_flower", flower_type="poppy"),
    "cornflower": state("red_flower", flower_type="cornflower"),
    "allium": state("red_flower", flower_type="allium"),
    "oxeye": state("red_flower", flower_type="oxeye"),
    "red_tulip": state("red_flower", flower_type="tulip_red"),
    "orange_tulip": state("red_flower", flower_type="tulip_orange"),
    "reeds": state("reeds", age=0),
    "seagrass": state("seagrass", sea_grass_type="default"),
    "kelp": state("kelp", kelp_age=0),
    "glow_lichen": state("glow_lichen", multi_face_direction_bits=1),
    "torch": state("torch", torch_facing_direction="top"),
    "soul_torch": state("soul_torch", torch_facing_direction="top"),
    "redstone_torch": state("redstone_torch", torch_facing_direction="top"),
    "lantern": state("lantern", hanging=0),
    "soul_lantern": state("soul_lantern", hanging=0),
    "sea_lantern": state("seaLantern"),
    "redstone_lamp": state("lit_redstone_lamp"),
    "oak_planks": state("planks", wood_type="oak"),
    "spruce_planks": state("planks", wood_type="spruce"),
    "dark_planks": state("planks", wood_type="dark_oak"),
    "stone_bricks": state("stonebrick", stone_brick_type="default"),
    "bricks": state("brick_block"),
    "red_glass": state("stained_glass", color="red"),
    "blue_glass": state("stained_glass", color="blue"),
    "yellow_glass": state("stained_glass", color="yellow"),
    "oak_stairs": state("oak_stairs", upside_down_bit=0, weirdo_direction=0),
    "oak_fence": state("fence", wood_type="oak"),
    "red_wool": state("wool", color="red"),
    "end_rod": state("end_rod", facing_direction=1),
    "amethyst": state("amethyst_block"),
}
"""Block state by word."""


def table_of(words: str) -> dict[str, BlockState]:
    """The states of some words, in order; the position is the local id.

    Raises KeyError: a word that is not in ``STATES``.
    """
    return {word: STATES[word] for word in words.split()}


FLAT_BLOCKS = table_of("air bedrock dirt grass")
FLAT_LAYERS = (1, 2, 2, 3)
"""Local ids from the dimension's floor upwards."""
PLAINS = 1


class FlatWorld:
    """An endless plain, in any dimension; its seed changes only its name."""

    states = tuple(FLAT_BLOCKS.values())

    def __init__(self, seed: int = 1, dimension: Dimension = OVERWORLD) -> None:
        self.name = f"flat:{seed}"
        self.dimension = dimension

    @property
    def spawn(self) -> Spawn:
        """On the grass at the origin."""
        return Spawn((0.5, float(self.dimension.floor_y_blocks + len(FLAT_LAYERS)), 0.5), 0.0, 10.0)

    def column(self, position: ColumnPos) -> GeneratedColumn:
        del position
        return self._column

    @cached_property
    def _column(self) -> GeneratedColumn:
        blocks = np.zeros((16, 16, self.dimension.sections * 16), np.uint16)
        blocks[:, :, : len(FLAT_LAYERS)] = FLAT_LAYERS
        return GeneratedColumn(subchunks_of(blocks), None, np.full(256, PLAINS, np.uint16))
