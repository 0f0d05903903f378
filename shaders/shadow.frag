// Depth as seen from the sun or the moon; texels that are holes are discarded.
#include "faces.glsl"
#include "frame.glsl"
#include "quad_inputs.glsl"
#include "rim.glsl"
#ifdef CUTOUT
#include "turned.glsl"
#endif

uniform sampler2DArray tiles;

void main() {
#if defined(CUTOUT) || defined(MODEL)
    if ((flags & FLAG_TINT_MASK) != 0) return;
#ifdef CUTOUT
    ivec3 block = clamp(ivec3(floor(near_ - NORMALS[face] * 0.5)), first, last);
    vec2 at = place_in_tile(near_, block, face, flags);
#else
    vec2 at = inside_rim(uv);
#endif
    if (textureLod(tiles, vec3(at, float(layer)), 0.0).a < 0.5) discard;
#endif
}
