// State boxes: one box a sub-chunk, pulled from a buffer of x, y, z, look; look = kind of line | hatch << 8 | colour << 16
// | ring << 24 | bare sides << 25.
#include "frame.glsl"

uniform isamplerBuffer boxes;

out vec2 place;
flat out int hatch;
flat out int line;
flat out int tone;
flat out int ring;

const ivec3 AXES[6] = ivec3[6](ivec3(2, 1, 0), ivec3(2, 1, 0), ivec3(0, 1, 2), ivec3(0, 1, 2), ivec3(0, 2, 1), ivec3(0, 2, 1));
const int ORDER[6] = int[6](0, 1, 2, 0, 2, 3);
const float INSET = 0.35;  // neighbours' lines lie side by side, not on each other

void main() {
    ivec4 box = texelFetch(boxes, gl_VertexID / 36);
    int face = gl_VertexID / 6 % 6;
    int number = ORDER[gl_VertexID % 6];
    ivec2 st = ivec2((number ^ (number >> 1)) & 1, number >> 1);
    bool flipped = face == 1 || face == 2 || face == 5;
    if (flipped) st = st.yx;
    vec3 corner = vec3(INSET);
    float span = 16.0 - 2.0 * INSET;
    corner[AXES[face].x] += span * float(st.x);
    corner[AXES[face].y] += span * float(st.y);
    corner[AXES[face].z] += span * float(face & 1);
    place = vec2(st) * 16.0;
    line = box.w & 255;
    hatch = box.w >> 8 & 255;
    tone = box.w >> 16 & 255;
    ring = box.w >> 24 & 1;
    if ((box.w >> (25 + face) & 1) != 0) {  // nothing is painted on this side
        line = LINE_NONE;
        hatch = HATCH_NONE;
    }
    vec3 near = vec3(box.xyz * 16 - eye_block.xyz) + corner;
    gl_Position = view_projection * vec4(near - eye_fraction.xyz, 1.0);
}
