// How deep rain falls in each block column around the eye: from the roof down through the block-ID map to the first
// block that stops drops. A texel a column, the eye's in the middle; in sixteenths of a block, NO_FALL without a block.
#include "stops.glsl"

out int height;

void main() {
    ivec2 column = eye_block.xz + ivec2(gl_FragCoord.xy) - FALL_REACH;
    height = NO_FALL;
    for (int y = bounds.y - 1; y >= bounds.x; --y) {
        ivec3 block = ivec3(column.x, y, column.y);
        uint entry = table_entry(block_table, block_mask.xyz, block >> 4);
        uint id = is_brick(entry) ? texelFetch(block_atlas, texel_in(entry, block & 15), 0).r : entry;
        int top = drop_stop_of(id);
        if (top > 0) {
            height = y * 16 + top;
            return;
        }
        if (!is_brick(entry)) y &= ~15;  // a uniform sub-chunk is one step
    }
}
