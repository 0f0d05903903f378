"""The block states that hills are made of; a local id is the position in the table."""

from typing import Final

from net.server.worlds.states import table_of

BLOCKS: Final = table_of(
    """
    air bedrock stone granite diorite andesite deepslate tuff dirt coarse_dirt grass podzol path sand sandstone
    gravel clay snow snow_layer deep_snow_layer water lava magma moss coal_ore iron_ore copper_ore gold_ore
    redstone_ore lapis_ore diamond_ore emerald_ore deepslate_coal_ore deepslate_iron_ore deepslate_copper_ore
    deepslate_gold_ore deepslate_redstone_ore deepslate_lapis_ore deepslate_diamond_ore deepslate_emerald_ore
    oak_log birch_log spruce_log dark_log oak_leaves birch_leaves spruce_leaves dark_leaves short_grass fern
    dandelion poppy cornflower allium oxeye red_tulip orange_tulip brown_mushroom red_mushroom reeds waterlily
    seagrass kelp glow_lichen torch soul_torch redstone_torch lantern soul_lantern glowstone sea_lantern shroomlight
    redstone_lamp ochre_froglight verdant_froglight pearlescent_froglight oak_planks spruce_planks dark_planks
    cobblestone mossy_cobblestone stone_bricks bricks glass red_glass blue_glass yellow_glass oak_fence bookshelf
    crafting_table red_wool amethyst
    """
)

IDS: Final = {word: number for number, word in enumerate(BLOCKS)}
"""Word -> local id."""
