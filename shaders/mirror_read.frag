// What the GPU's copy has of whole sub-chunks, block by block, as every shader finds it: 16 rows of 256 pixels each.
#include "blocks.glsl"

uniform ivec3 sections[AT_ONCE];

out uint held;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    int index = (at.y & 15) << 8 | at.x;  // as net/space/layout.py counts: x, z, y
    held = block_at(sections[at.y >> 4] * 16 + ivec3(index >> 8, index & 15, index >> 4 & 15));
}
