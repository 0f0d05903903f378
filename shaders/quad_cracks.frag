// Cracks of one block, drawn on its own quads: for cut-out and translucent blocks, holes included, as the depth buffer
// does not hold their surface. Other blocks of the render cell are discarded.
//   MODEL: model quads; crossed plants crack where they are. TRANSLUCENT: panes, without the water around them.
#include "cracks.glsl"
#include "faces.glsl"
#include "frame.glsl"
#include "quad_inputs.glsl"

uniform sampler2DArray tiles;
uniform ivec3 cracked;  // the block
uniform int tenths;

out vec4 colour;

void main() {
#ifdef MODEL
    ivec3 block = ivec3(floor(own_block + 0.5));
#else
    ivec3 block = clamp(ivec3(floor(near_ - NORMALS[face] * 0.5)), first, last);
#endif
    if (eye_block.xyz + block != cracked) discard;
    if (dot(sight_to(near_), NORMALS[face]) > 0.0) discard;  // back faces of translucent blocks
#if defined(MODEL) && defined(TRANSLUCENT)
    if ((flags & FLAG_TRANSLUCENT) == 0) discard;
#elif defined(MODEL)
    if (face == NO_FACE && texture(tiles, vec3(uv, float(layer))).a < 0.5) discard;
#endif
    colour = crack_at(near_ - vec3(block), face < 6 ? AXES[face].z : 0, cracked & 63, tenths);
    if (colour.a == 0.0) discard;
}
