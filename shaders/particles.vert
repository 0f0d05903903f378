// Particles of blocks: a small square each, turned to the eye, at the position from drift.frag.
#include "light.glsl"
#include "particles.glsl"

uniform sampler2D drift;

out vec3 near_;
out vec2 uv;
flat out vec4 level;
flat out ivec3 own_block;
flat out int layer;
flat out int tint;
flat out int flags;

const ivec2 CORNER[6] = ivec2[6](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1), ivec2(0, 0), ivec2(1, 1), ivec2(0, 1));
const int BIT_TEXELS = 4;  // texels a side

void main() {
    int number = gl_VertexID / 6;
    int row = number / PER_BURST;
    number %= PER_BURST;
    vec4 place = texelFetch(drift, ivec2(number, row), 0);
    if (place.w == 0.0) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    Burst burst = burst_of(row);
    vec2 st = vec2(CORNER[gl_VertexID % 6]);
    vec3 middle = vec3(burst.block - eye_block.xyz) + place.xyz + vec3(0.0, place.w, 0.0);
    vec2 across = (st * 2.0 - 1.0) * place.w;
    near_ = middle + normalize(ray_right.xyz) * across.x + normalize(ray_up.xyz) * across.y;
    vec2 corner = floor(vec2(part_of(burst, number, 6), part_of(burst, number, 7)) * float(17 - BIT_TEXELS));
    uv = (corner + vec2(st.x, 1.0 - st.y) * float(BIT_TEXELS)) * (1.0 / 16.0);
    own_block = ivec3(floor(middle));
    level = light_of(eye_block.xyz + own_block);
    layer = burst.layer;
    tint = burst.tint;
    flags = burst.flags;
    gl_Position = view_projection * vec4(near_ - eye_fraction.xyz, 1.0);
}
