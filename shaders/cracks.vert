// Boxes around blocks that are being broken, pulled from a buffer of x, y, z, tenths.
#include "frame.glsl"

uniform isamplerBuffer cracks;

flat out ivec3 block;  // relative to eye_block
flat out ivec3 seed;
flat out int tenths;

const ivec3 AXES[6] = ivec3[6](ivec3(2, 1, 0), ivec3(2, 1, 0), ivec3(0, 1, 2), ivec3(0, 1, 2), ivec3(0, 2, 1), ivec3(0, 2, 1));
const int ORDER[6] = int[6](0, 1, 2, 0, 2, 3);
const float HAIR = 0.02;

void main() {
    ivec4 box = texelFetch(cracks, gl_VertexID / 36);
    int face = gl_VertexID / 6 % 6;
    int number = ORDER[gl_VertexID % 6];
    ivec2 st = ivec2((number ^ (number >> 1)) & 1, number >> 1);
    bool flipped = face == 1 || face == 2 || face == 5;
    if (flipped) st = st.yx;
    vec3 corner = vec3(-HAIR);
    float span = 1.0 + 2.0 * HAIR;
    corner[AXES[face].x] += span * float(st.x);
    corner[AXES[face].y] += span * float(st.y);
    corner[AXES[face].z] += span * float(face & 1);
    block = box.xyz - eye_block.xyz;
    seed = box.xyz & 63;
    tenths = box.w;
    gl_Position = view_projection * vec4(vec3(block) + corner - eye_fraction.xyz, 1.0);
}
