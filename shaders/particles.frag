// Particles of blocks: texels of the block's texture that are not holes, under the light of their position.
#include "sky.glsl"
#include "tint.glsl"

uniform sampler2DArray tiles;

in vec3 near_;
in vec2 uv;
flat in vec4 level;
flat in ivec3 own_block;
flat in int layer;
flat in int tint;
flat in int flags;

out vec4 colour;

const float INSET = 1.0 / 1024.0;  // pixels at the rim may lie outside it, where the sampler would repeat the texture
const float HOLE_ALPHA = 0.1;     // texels below are holes, also in panes
const float ANY_SIDE = 0.88;        // share of the daylight: between that of a top and of a side

void main() {
    vec4 texel = textureLod(tiles, vec3(clamp(uv, INSET, 1.0 - INSET), float(layer)), 0.0);
    bool mask = (flags & FLAG_TINT_MASK) != 0;
    if (!mask && texel.a < HOLE_ALPHA) discard;
    vec3 albedo = texel.rgb * mix(vec3(1.0), tint_of(tint, eye_block.xyz + own_block), mask ? texel.a : 1.0);
    vec3 shown = (flags & FLAG_GLOWS) != 0 ? albedo * 1.08 : lit(albedo, brightness(level), ANY_SIDE, 0.0);
    colour = vec4(graded(through_air(shown, near_)), 1.0);
}
