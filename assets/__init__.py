"""Data files and their typed accessors.

biome_climates  What biomes are called and how warm and wet they are: typed access to ``climates.txt``
derive_states   Derives the block state lists from npm minecraft-data
models          Shapes of blocks by their states: typed access to ``models.toml``
renames         What a block state of a later release was called at 486, which the tables of traits
shapes          Shapes of blocks that fill no cube, and how they are turned: boxes, sheets, crossed plants
states          The block states of a protocol, in the order of their runtime ids
textures        How block states look, as recipes for the painters of ``render.materials``
traits          How blocks take part in light, sight and movement: class, emission, opacity, by name and state
"""
