// The faces that a cut makes: shown blocks next to hidden ones, where the shown block's own mesh has no face. Drawn with
// the block's own texture under even light, hatched to mark them as cut; unloaded areas are crossed.
//   SEMANTIC: integers instead of a colour, as semantic.frag writes them.
#include "blocks.glsl"
#include "sky.glsl"
#include "tint.glsl"

uniform sampler2DArray tiles;
uniform usamplerBuffer cut_faces;  // by dense id: two words of the upper face, two of the lower one
uniform int above;

in vec3 near_;

#ifdef SEMANTIC
layout(location = 0) out ivec4 place;
layout(location = 1) out uvec4 shown;
#else
out vec4 colour;
#endif

#define FACE_FIELD(NAME) (int(words[NAME##_WORD] >> NAME##_SHIFT & uint(NAME##_MASK)) + NAME##_BIAS)

const float STROKE_BLOCKS = 1.0;  // distance between strokes
const vec3 UNKNOWN_TONE = vec3(0.16, 0.14, 0.20);
const vec3 UNKNOWN_STROKE = vec3(0.90, 0.62, 0.0);

// Coverage of strokes at whole multiples of a period; an even tone where they are too far to resolve.
float strokes(float value, float period, float share) {
    float pixel = max(fwidth(value), 1e-5) / period;
    float away = abs(fract(value / period) - 0.5) * 2.0;
    float sharp = smoothstep(1.0 - share - pixel, 1.0 - share + pixel, away);
    return mix(sharp, share, smoothstep(0.12, 0.4, pixel));
}

// Whether a block's own mesh has no face towards a hidden block, by the rules of render/mesh/mesh_kernels.py.
bool is_cut(uint id, uint hidden) {
    int own = class_of(id), other = class_of(hidden);
    if (own == AIR || own == MODELS || own == UNKNOWN) return false;
    if (own == PLACEHOLDERS || other == OPAQUE || other == PLACEHOLDERS) return true;
    if (own == TRANSLUCENTS) return id == hidden;
    return own == LIQUIDS && other == LIQUIDS;
}

void main() {
    ivec3 block = eye_block.xyz + ivec3(int(floor(near_.x)), above == 1 ? cut.y - 1 : cut.x, int(floor(near_.z)));
    uint id = block_at(block);
    if (!is_cut(id, block_at(block + ivec3(0, above == 1 ? 1 : -1, 0)))) discard;
#ifdef SEMANTIC
    place = ivec4(block, above == 1 ? 5 : 4);
    shown = uvec4(floatBitsToUint(dot(near_ - eye_fraction.xyz, ray_forward.xyz)), (id & 0xffffu) * 65537u, 0u, 1u);
#else
    // Relative to the world's origin modulo whole sub-chunks: floats stay small and strokes do not move with the eye.
    vec2 at = near_.xz + vec2(eye_block.xz & 15);
    float stroke = strokes(at.x + at.y, STROKE_BLOCKS, 0.22);
    if (class_of(id) == PLACEHOLDERS) {
        float crossed = max(strokes(at.x + at.y, 4.0, 0.10), strokes(at.x - at.y, 4.0, 0.10));
        colour = vec4(graded(through_air(mix(UNKNOWN_TONE, UNKNOWN_STROKE, crossed * 0.7), near_)), 1.0);
        return;
    }
    uvec4 pair = texelFetch(cut_faces, int(id));
    uvec2 words = above == 1 ? pair.xy : pair.zw;
    vec4 texel = texture(tiles, vec3(fract(near_.xz), float(FACE_FIELD(CUBE_LAYER))));
    bool mask = (FACE_FIELD(CUBE_FLAGS) & FLAG_TINT_MASK) != 0;
    vec3 tinted = mix(vec3(1.0), tint_of(FACE_FIELD(CUBE_TINT), block), mask ? texel.a : 1.0);
    vec3 shown = texel.rgb * tinted * 0.82;
    shown = mix(shown, luma(shown) > 0.22 ? shown * 0.35 : shown + 0.22, stroke * 0.75);
    colour = vec4(graded(through_air(shown, near_)), 1.0);
#endif
}
