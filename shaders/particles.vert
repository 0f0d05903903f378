// Particles of blocks: a small square each, turned to the eye, at the position from drift.frag.
#include "faces.glsl"
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

const int BIT_TEXELS = 4;  // texels a side

void main() {
    int number = gl_VertexID / 6;
    int row = number / PER_BURST;
    number %= PER_BURST;
    vec4 place = texelFetch(drift, ivec2(number, row), 0);
    if (place.w == 0.0) {
        gl_Position = NOT_DRAWN;
        return;
    }
    Burst burst = burst_of(row);
    vec2 st = vec2(corner_of_vertex(gl_VertexID));
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
    gl_Position = project(near_);
}
