// Sparse volumes: a toroidal page table of sub-chunks over an atlas of 16 x 16 x 16 bricks, 16 x 16 bricks a layer.
// An entry with bit 31 names a brick; without it, it is the value the whole sub-chunk has.

// Width is y, height is z, depth is x: the order of the wire, said here and in net/space/layout.py only.
ivec3 texel_of(ivec3 position) {
    return position.yzx;
}

uint value_at(usampler3D table, usampler3D atlas, ivec3 mask, ivec3 block) {
    uint entry = texelFetch(table, texel_of((block >> 4) & mask), 0).r;
    if ((entry & 0x80000000u) == 0u) return entry;
    int brick = int(entry & 0x7fffffffu);
    ivec3 corner = ivec3(brick >> 8, brick & 15, (brick >> 4) & 15);  // x, y, z of the brick in the atlas
    return texelFetch(atlas, texel_of(corner * 16 + (block & 15)), 0).r;
}
