"""Bedrock resource packs from the user's disk: other pictures for blocks, read with distrust.

biomes    The colours that packs give to grass, foliage and water, biome by biome
files     The files of a pack: a folder, or a .zip, .mcpack or .mcaddon
images    Images of packs -> square pictures of 16, 32, 64 or 128 texels a side
pack      One pack: its files and its tables, with what is wrong in them
reload    Packs that somebody may be working on: read at the start, and again when their files change
stack     Several packs as one: what a face of a block shows, or None where ours stays
tables    blocks.json, terrain_texture.json and flipbook_textures.json -> plain tables
troubles  What is wrong with a pack: a line each, naming file and key
"""
