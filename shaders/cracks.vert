// Boxes around blocks that are being broken, pulled from a buffer of x, y, z, tenths.
#include "faces.glsl"
#include "frame.glsl"

uniform isamplerBuffer cracks;

flat out ivec3 block;  // relative to eye_block
flat out ivec3 seed;
flat out int tenths;

const float HAIR = 0.02;

void main() {
    ivec4 box = texelFetch(cracks, gl_VertexID / 36);
    int face = gl_VertexID / 6 % 6;
    ivec2 st = corner_on_face(gl_VertexID, face);
    vec3 corner = vec3(-HAIR);
    float span = 1.0 + 2.0 * HAIR;
    corner[AXES[face].x] += span * float(st.x);
    corner[AXES[face].y] += span * float(st.y);
    corner[AXES[face].z] += span * float(face & 1);
    block = box.xyz - eye_block.xyz;
    seed = box.xyz & 63;
    tenths = box.w;
    gl_Position = project(vec3(block) + corner);
}
