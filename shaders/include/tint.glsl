// Colours of the biome: one texture column a tint kind (0: white), one row a biome colour set.
#include "frame.glsl"

uniform sampler2D tints;

vec3 tint_of(int kind, vec3 near) {
    if (kind == 0) return vec3(1.0);
    return texelFetch(tints, ivec2(kind, 0), 0).rgb;
}
