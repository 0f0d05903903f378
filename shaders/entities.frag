// Sides of entities: a colour with a rim, or a face of a block, under the light of the entity's cell.
//   SEMANTIC: integers instead of a colour, as semantic.frag writes them.
#include "sky.glsl"
#include "tint.glsl"

uniform sampler2DArray tiles;

in vec3 near_;
in vec2 place;
flat in vec2 span;
flat in vec3 normal;
flat in vec3 tone;
flat in vec4 level;
flat in ivec3 own_block;
flat in ivec2 texture_of;
flat in int pattern;
flat in int face;
flat in uint row;

#ifdef SEMANTIC
layout(location = 0) out ivec4 cell;   // block x, y, z that holds the entity's middle; NO_FACE
layout(location = 1) out uvec4 shown;  // depth's bits; the entity's number; packed light; 2: an entity
#else
out vec4 colour;
#endif

#define FACE_FIELD(NAME) (int(uint(texture_of[NAME##_WORD]) >> NAME##_SHIFT & uint(NAME##_MASK)) + NAME##_BIAS)

const float INSET = 1.0 / 1024.0;   // pixels at the rim may lie outside it, where the sampler would repeat the texture
const float RIM_BLOCKS = 0.03;
const float FRAME_BLOCKS = 0.0625;
const float HOLE_ALPHA = 0.1;      // texels below are holes, also in panes

vec4 texel_of_face() {
    float sign_u = (NEGATIVE_U_FACES >> face & 1) == 1 ? -1.0 : 1.0;
    vec2 inside = clamp(place, INSET, 1.0 - INSET);
    vec2 uv = face < 4 ? vec2(sign_u * inside.x, -inside.y) : inside;
    return texture(tiles, vec3(uv, float(FACE_FIELD(CUBE_LAYER))));
}

// Whether only edges are drawn and this fragment is not on one.
bool is_inside_edges() {
    vec2 edge = min(place, 1.0 - place) * span;
    return pattern == EDGES && min(edge.x, edge.y) > max(RIM_BLOCKS, length(fwidth(near_)));
}

vec3 painted() {
    vec2 edge = min(place, 1.0 - place) * span;
    float pixel = max(length(fwidth(near_)), 1e-6);
    float away = min(edge.x, edge.y);
    vec3 inner = tone;
    if (pattern == EYES) {
        vec2 from_middle = abs(place - vec2(0.5, 0.55));
        if (from_middle.x > 0.14 && from_middle.x < 0.36 && from_middle.y < 0.16) inner *= 0.12;
    }
    if (pattern == FRAME) {
        if (away < FRAME_BLOCKS) return vec3(0.36, 0.25, 0.13);
        float stroke = fract((place.x * span.x + place.y * span.y) * 2.0);
        inner = mix(tone, vec3(0.93, 0.88, 0.76), stroke < 0.5 ? 0.35 : 0.0);
    }
    return inner * mix(0.62, 1.0, smoothstep(0.5, 1.5, away / max(RIM_BLOCKS, pixel)));
}

void main() {
    if (is_inside_edges()) discard;
    bool textured = texture_of != ivec2(0);
    vec4 texel = textured ? texel_of_face() : vec4(1.0);
    int flags = textured ? FACE_FIELD(CUBE_FLAGS) : 0;
    bool mask = (flags & FLAG_TINT_MASK) != 0;
#ifdef SEMANTIC
    if (textured && !mask && texel.a < HOLE_ALPHA) discard;
    cell = ivec4(eye_block.xyz + own_block, NO_FACE);
    uvec4 rounded = uvec4(round(level * 15.0));
    uint light = rounded.x | rounded.y << 4 | rounded.z << 8 | rounded.w << 12;
    shown = uvec4(floatBitsToUint(dot(near_ - eye_fraction.xyz, ray_forward.xyz)), row, light, 2u);
#else
    vec3 albedo;
    if (textured) {
        if (!mask && texel.a < HOLE_ALPHA) discard;
        vec3 tinted = tint_of(FACE_FIELD(CUBE_TINT), eye_block.xyz + own_block);
        albedo = texel.rgb * mix(vec3(1.0), tinted, mask ? texel.a : 1.0);
    } else {
        albedo = painted();
    }
    float shade = dot(normal * normal, vec3(SIDE_SHADE[0], SIDE_SHADE[normal.y > 0.0 ? 5 : 4], SIDE_SHADE[2]));
    vec4 bright = brightness(level);
    vec3 lighted = (flags & FLAG_GLOWS) != 0 ? albedo * 1.08 : lit(albedo, bright, shade, dot(normal, direct.xyz));
    colour = vec4(graded(through_air(lighted, near_)), 1.0);
#endif
}
