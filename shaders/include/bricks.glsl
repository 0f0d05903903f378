// Sparse volumes: a toroidal page table of sub-chunks over an atlas of 16 x 16 x 16 bricks, 16 x 16 bricks a layer.
// An entry with bit 31 is the number of a brick; without it, the one value of the whole sub-chunk.

const uint LEFT_OUT = 0x40000000u;  // the sub-chunk is known, but the GPU has no room for it

// Width is y, height is z, depth is x: the order of the network format, defined only here and in net/space.py.
ivec3 texel_of(ivec3 position) {
    return position.yzx;
}

bool is_brick(uint entry) {
    return (entry & 0x80000000u) != 0u;
}

// The texel of a brick's cell in its atlas; bit 31 of the brick's number is ignored.
ivec3 texel_in(uint entry, ivec3 cell) {
    int brick = int(entry & 0x7fffffffu);
    ivec3 corner = ivec3(brick >> 8, brick & 15, (brick >> 4) & 15);  // x, y, z of the brick in the atlas
    return texel_of(corner * 16 + cell);
}

// The entry of a sub-chunk.
uint table_entry(usampler3D table, ivec3 mask, ivec3 section) {
    return texelFetch(table, texel_of(section & mask), 0).r;
}

uint value_at(usampler3D table, usampler3D atlas, ivec3 mask, ivec3 block) {
    uint entry = table_entry(table, mask, block >> 4);
    return is_brick(entry) ? texelFetch(atlas, texel_in(entry, block & 15), 0).r : entry;
}
