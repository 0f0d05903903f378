// The content of whole sub-chunks in a sparse volume, read by the functions of all shaders: 16 rows of 256 pixels each.
#include "bricks.glsl"

uniform usampler3D ATLAS;
uniform usampler3D TABLE;
uniform ivec3 mask;
uniform ivec3 sections[AT_ONCE];

out uint held;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    int index = (at.y & 15) << 8 | at.x;  // order of net/space.py: x, z, y
    ivec3 cell = ivec3(index >> 8, index & 15, index >> 4 & 15);
    held = value_at(TABLE, ATLAS, mask, sections[at.y >> 4] * 16 + cell);
}
