"""Sub-chunks as bytes and as arrays: scan, unpack, encode, masks, heights, biomes, block entities."""
