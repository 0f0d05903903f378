// Cracks of one block, drawn on its own quads: for cut-out and translucent blocks, holes included, as the depth buffer
// does not hold their surface. Other blocks of the render cell are discarded.
//   MODEL: model quads; crossed plants crack where they are. TRANSLUCENT: panes, without the water around them.
#include "cracks.glsl"
#include "frame.glsl"

uniform sampler2DArray tiles;
uniform ivec3 cracked;  // the block
uniform int tenths;

in vec3 near_;
in vec2 uv;
flat in int layer;
flat in int face;
flat in int flags;
#ifdef MODEL
flat in vec3 own_block;
#else
flat in ivec3 first;
flat in ivec3 last;
#endif

out vec4 colour;

const vec3 NORMAL[7] = vec3[7](
    vec3(-1, 0, 0), vec3(1, 0, 0), vec3(0, 0, -1), vec3(0, 0, 1), vec3(0, -1, 0), vec3(0, 1, 0), vec3(0));
const int AXIS[7] = int[7](0, 0, 2, 2, 1, 1, 0);

void main() {
#ifdef MODEL
    ivec3 block = ivec3(floor(own_block + 0.5));
#else
    ivec3 block = clamp(ivec3(floor(near_ - NORMAL[face] * 0.5)), first, last);
#endif
    if (eye_block.xyz + block != cracked) discard;
    if (dot(sight_to(near_), NORMAL[face]) > 0.0) discard;  // back faces of translucent blocks
#if defined(MODEL) && defined(TRANSLUCENT)
    if ((flags & FLAG_CLEAR) == 0) discard;
#elif defined(MODEL)
    if (face == NO_FACE && texture(tiles, vec3(uv, float(layer))).a < 0.5) discard;
#endif
    colour = crack_at(near_ - vec3(block), AXIS[face], cracked & 63, tenths);
    if (colour.a == 0.0) discard;
}
