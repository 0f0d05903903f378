"""Bedrock resource packs from the user's disk: pictures that replace ours; their content is not trusted.

biomes    Colours of grass, foliage and water from packs, by biome
files     The files of a pack: a folder, or a .zip, .mcpack or .mcaddon
fogs      Fogs and colours of the sky from packs, by identifier and by biome
images    Images of packs -> square pictures of 16, 32, 64 or 128 texels a side
pack      One pack: its files, its tables and the errors in them
reload    Packs that are read at the start, and again when their files change
stack     Several packs as one: the picture of a block face, or None where ours is shown
tables    blocks.json, terrain_texture.json and flipbook_textures.json -> plain tables
troubles  Errors in packs, one line each with file and key, and the limits of packs
"""
