"""Data files and their typed accessors.

derive_states   Derives the block state lists from npm minecraft-data
models          Shapes of blocks that fill no cube, by their states: typed access to ``models.toml``
renames         What a block state of a later release was called at 486, which the tables of traits
states          The block states of a protocol by runtime id; what its biomes are called, how warm and wet they are
textures        How block states look, as recipes for the painters of ``render.materials``
traits          How blocks take part in light, sight and movement: class, emission, opacity, by name and state
"""
