"""The 64 block states of the bench world, in the order of the local ids its benchmarks were first measured with.

The world was drawn with names of later versions; each stands here as the state of protocol 486 that looks and lights
alike.
"""

from typing import Final

from net.server.worlds.states import table_of

BLOCKS: Final = table_of(
    """
    air bedrock stone deepslate granite diorite andesite tuff dirt grass sand sandstone gravel clay snow water lava
    coal_ore iron_ore copper_ore gold_ore redstone_ore lapis_ore diamond_ore emerald_ore deepslate_coal_ore
    deepslate_iron_ore deepslate_copper_ore deepslate_gold_ore deepslate_redstone_ore deepslate_lapis_ore
    deepslate_diamond_ore oak_log birch_log spruce_log oak_leaves birch_leaves spruce_leaves short_grass fern
    dandelion poppy cornflower brown_mushroom seagrass snow_layer torch soul_torch redstone_torch glowstone
    sea_lantern shroomlight ochre_froglight verdant_froglight pearlescent_froglight oak_planks cobblestone
    mossy_cobblestone glass red_glass blue_glass oak_stairs oak_fence glow_lichen
    """
)

IDS: Final = {word: number for number, word in enumerate(BLOCKS)}
"""Word -> local id."""
