"""Data files and their typed accessors.

derive_states   Derives the block state lists from npm minecraft-data
models          Shapes of blocks that are no full cubes, by state: typed access to ``models.toml``
renames         Translates block states of other releases to those of 486, whose names our tables use
states          The block states of a protocol by runtime id; names, temperature and downfall of its biomes
textures        Textures of block states, as recipes for the painters of ``render.materials``
traits          How blocks affect light, visibility and movement: class, emission, opacity, by name and state
"""
