// Colours of the biome by block column: a toroidal texture with a layer a tint; see render/scene/gpu_copy/tint_map.py.
#include "frame.glsl"

uniform sampler2DArray tints;

// The colour of a tint (0: white) at a block.
vec3 tint_of(int kind, ivec3 block) {
    if (kind == 0) return vec3(1.0);
    return texelFetch(tints, ivec3(block.z & light_mask.w, block.x & light_mask.w, kind - 1), 0).rgb;
}
