"""The 64 block states of the bench world, in the order of the local ids its benchmarks were first measured with.

The world was drawn with names of later versions; each stands here as the state of protocol 486 that looks and lights
alike (``granite`` was one kind of ``stone`` then). The key is the later name, which the generator uses.
"""

from typing import Final

from net.server.worlds.states import state

BLOCKS: Final = {
    "air": state("air"),
    "bedrock": state("bedrock", infiniburn_bit=0),
    "stone": state("stone", stone_type="stone"),
    "deepslate": state("deepslate", pillar_axis="y"),
    "granite": state("stone", stone_type="granite"),
    "diorite": state("stone", stone_type="diorite"),
    "andesite": state("stone", stone_type="andesite"),
    "tuff": state("tuff"),
    "dirt": state("dirt", dirt_type="normal"),
    "grass_block": state("grass"),
    "sand": state("sand", sand_type="normal"),
    "sandstone": state("sandstone", sand_stone_type="default"),
    "gravel": state("gravel"),
    "clay": state("clay"),
    "snow": state("snow"),
    "water": state("water", liquid_depth=0),
    "lava": state("lava", liquid_depth=0),
    "coal_ore": state("coal_ore"),
    "iron_ore": state("iron_ore"),
    "copper_ore": state("copper_ore"),
    "gold_ore": state("gold_ore"),
    "redstone_ore": state("redstone_ore"),
    "lapis_ore": state("lapis_ore"),
    "diamond_ore": state("diamond_ore"),
    "emerald_ore": state("emerald_ore"),
    "deepslate_coal_ore": state("deepslate_coal_ore"),
    "deepslate_iron_ore": state("deepslate_iron_ore"),
    "deepslate_copper_ore": state("deepslate_copper_ore"),
    "deepslate_gold_ore": state("deepslate_gold_ore"),
    "deepslate_redstone_ore": state("deepslate_redstone_ore"),
    "deepslate_lapis_ore": state("deepslate_lapis_ore"),
    "deepslate_diamond_ore": state("deepslate_diamond_ore"),
    "oak_log": state("log", old_log_type="oak", pillar_axis="y"),
    "birch_log": state("log", old_log_type="birch", pillar_axis="y"),
    "spruce_log": state("log", old_log_type="spruce", pillar_axis="y"),
    "oak_leaves": state("leaves", old_leaf_type="oak", persistent_bit=0, update_bit=0),
    "birch_leaves": state("leaves", old_leaf_type="birch", persistent_bit=0, update_bit=0),
    "spruce_leaves": state("leaves", old_leaf_type="spruce", persistent_bit=0, update_bit=0),
    "short_grass": state("tallgrass", tall_grass_type="tall"),
    "fern": state("tallgrass", tall_grass_type="fern"),
    "dandelion": state("yellow_flower"),
    "poppy": state("red_flower", flower_type="poppy"),
    "cornflower": state("red_flower", flower_type="cornflower"),
    "brown_mushroom": state("brown_mushroom"),
    "seagrass": state("seagrass", sea_grass_type="default"),
    "snow_layer": state("snow_layer", covered_bit=0, height=0),
    "torch": state("torch", torch_facing_direction="top"),
    "soul_torch": state("soul_torch", torch_facing_direction="top"),
    "redstone_torch": state("redstone_torch", torch_facing_direction="top"),
    "glowstone": state("glowstone"),
    "sea_lantern": state("seaLantern"),
    "shroomlight": state("shroomlight"),
    "ochre_froglight": state("ochre_froglight"),
    "verdant_froglight": state("verdant_froglight"),
    "pearlescent_froglight": state("pearlescent_froglight"),
    "oak_planks": state("planks", wood_type="oak"),
    "cobblestone": state("cobblestone"),
    "mossy_cobblestone": state("mossy_cobblestone"),
    "glass": state("glass"),
    "red_stained_glass": state("stained_glass", color="red"),
    "blue_stained_glass": state("stained_glass", color="blue"),
    "oak_stairs": state("oak_stairs", upside_down_bit=0, weirdo_direction=0),
    "oak_fence": state("fence", wood_type="oak"),
    "glow_lichen": state("glow_lichen", multi_face_direction_bits=1),
}
"""Later name -> state of protocol 486; the local id is the position."""

IDS: Final = {name: number for number, name in enumerate(BLOCKS)}
"""Later name -> local id."""
