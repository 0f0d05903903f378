"""Sub-chunks as bytes and as arrays: scan, unpack, encode, masks, heights, biomes, block entities.

biome_kernels   Finds the storages of a column's biomes in raw bytes; see ``biomes`` for the form
biomes          Reads and writes the tail of a skeleton: biomes of a column, and the border byte (wire.md 2.1, 3.4)
block_entities  Block entities: NBT compounds after a sub-chunk's terrain
decode          Many sub-chunks at a time: scan, let the caller map palettes, unpack into the caller's pools
decode_kernels  Finds the parts of network sub-chunks in raw bytes, and unpacks them
encode          Sub-chunks as bytes, for a server; see ``encode_kernels`` for the form
encode_kernels  Writes sub-chunks as a server sends them
height_kernels  Height maps of answers, compared with the blocks; surfaces from blocks
heights         Height maps of sub-chunks (wire.md 0.3, 2.3; seed 000)
legacy          Sub-chunks whose palettes are NBT: cached blobs before 1.18, and world folders
mask_kernels    Column masks and kinds of sub-chunks, which light, sight and meshes use instead of 8 KiB of ids
storage         The storage of a sub-chunk layer in numbers (wire.md 3.1, 3.2), and its faults
"""
