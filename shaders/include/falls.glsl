// Where rain ends in a block column: at the block found in the block-ID map (falls.frag), if that is the block of the
// column's height map or one above it; where the map does not hold that block, at the height of the height map.
#include "frame.glsl"

uniform isamplerBuffer falling;  // sheets: x, z, height map, 1 rain or 2 snow
uniform isampler2D falls;

int fall_of(ivec2 column) {
    return texelFetch(falls, column - eye_block.xz + FALL_REACH, 0).r;
}

bool map_knows(ivec4 sheet) {
    return fall_of(sheet.xy) >= (sheet.z - 1) * 16;
}

// Height relative to eye_block.
float lowest_of(ivec4 sheet) {
    int sixteenths = map_knows(sheet) ? fall_of(sheet.xy) : sheet.z * 16;
    return float(sixteenths - eye_block.y * 16) * (1.0 / 16.0);
}
