// Depth as seen from the sun or the moon; texels that are holes are discarded.
#include "frame.glsl"
#include "rim.glsl"
#ifdef CUTOUT
#include "turned.glsl"
#endif

uniform sampler2DArray tiles;

in vec3 near_;
in vec2 uv;
flat in int layer;
flat in int face;
flat in int flags;
#ifdef CUTOUT
flat in ivec3 first;
flat in ivec3 last;
#endif

void main() {
#if defined(CUTOUT) || defined(MODEL)
    if ((flags & FLAG_TINT_MASK) != 0) return;
#ifdef CUTOUT
    vec3 looks = vec3(face == 1, face == 5, face == 3) - vec3(face == 0, face == 4, face == 2);
    ivec3 block = clamp(ivec3(floor(near_ - looks * 0.5)), first, last);
    vec2 at = place_in_tile(near_, block, face, flags);
#else
    vec2 at = inside_rim(uv);
#endif
    if (textureLod(tiles, vec3(at, float(layer)), 0.0).a < 0.5) discard;
#endif
}
