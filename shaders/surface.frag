// One property of each surface instead of the picture: the overlays channel-*, light-r ... light-d, merge and mirror. The
// same quads in the same order as the terrain; nothing is lit, faded or mixed, except the albedo of translucent quads.
//   CUTOUT, MODEL: texels with alpha under a half are holes. TRANSLUCENT: both formats. Which fact: ``shows``, numbered by render/passes/overlay/surface_channels.py.
#include "chance.glsl"
#include "faces.glsl"
#include "light.glsl"
#include "quad_inputs.glsl"
#include "rim.glsl"
#include "tint.glsl"
#if !defined(MODEL) && !defined(TRANSLUCENT)
#include "turned.glsl"
#define TURNED
#endif

uniform sampler2DArray tiles;
uniform usampler3D block_atlas;
uniform usampler3D block_table;
uniform usamplerBuffer surface_traits;  // by dense id: colour of the state, light that it emits
uniform int shows;
uniform int channel;      // of light: 0 red, 1 green, 2 blue, 3 daylight
uniform vec3 ramp[16];    // colours of its levels
uniform ivec2 liquids;    // dense ids: the first, and one past the last

out vec4 colour;

// Shading that makes shapes visible in flat colours: weak, so that a level keeps its colour.
const float SHADE[7] = float[7](0.90, 0.90, 0.95, 0.95, 0.84, 1.0, 0.97);
const int DIGIT[10] = int[10](DIGIT_0, DIGIT_1, DIGIT_2, DIGIT_3, DIGIT_4, DIGIT_5, DIGIT_6, DIGIT_7, DIGIT_8, DIGIT_9);
const float FACE_TEXELS = 11.0;  // texels a side for a number on a face: two digits of 3 x 5 and margins

// A face's coordinates as seen by the eye: right and up, from a block's lower left corner. On horizontal faces right
// is the axis nearest to the picture's.
vec2 upright(vec3 inside) {
    if (face == 0) return vec2(inside.z, inside.y);
    if (face == 1) return vec2(1.0 - inside.z, inside.y);
    if (face == 2) return vec2(1.0 - inside.x, inside.y);
    if (face == 3) return vec2(inside.x, inside.y);
    vec2 at = inside.xz - 0.5;
    bool by_x = abs(ray_right.x) >= abs(ray_right.z);
    float way = (by_x ? ray_right.x : ray_right.z) < 0.0 ? -1.0 : 1.0;
    vec2 turned = by_x ? vec2(at.x, -at.y) * way : at.yx * way;
    return 0.5 + (face == 4 ? turned * vec2(1.0, -1.0) : turned);
}

// Whether a number of up to two digits covers a texel of its face; texels count from the lower left.
bool written(int number, ivec2 texel) {
    bool two = number > 9;
    ivec2 at = ivec2(texel.x - (two ? 2 : 4), 7 - texel.y);
    if (at.y < 0 || at.y > 4 || at.x < 0 || at.x > (two ? 6 : 2) || at.x == 3) return false;
    int digit = two && at.x < 3 ? number / 10 : number % 10;
    return (DIGIT[digit] >> (at.y * 3 + at.x % 4) & 1) != 0;
}

// Whether the quad is a model quad.
bool of_model() {
#if defined(MODEL)
    return true;
#elif defined(TRANSLUCENT)
    return sloping != 0;
#else
    return false;
#endif
}

// Distance in pixels to the nearest edge of the quad, including the diagonal of cube quads; and the width of the quad.
vec3 edges_px() {
    vec2 at = uv - rim.xy;
    vec2 whole = max(rim.zw - rim.xy, vec2(1e-6));
    bool cut = !of_model();
#ifndef MODEL
    if (cut) {
        vec3 along = near_ - vec3(first);
        vec3 size = vec3(last + 1 - first);
        at = face < 2 ? along.zy : face < 4 ? along.xy : along.xz;
        whole = face < 2 ? size.zy : face < 4 ? size.xy : size.xz;
    }
#endif
    vec2 pixel = max(fwidth(at), vec2(1e-6));
    vec2 from_edges = min(at, whole - at) / pixel;
    vec2 wide = whole / pixel;
    float edge = min(from_edges.x, from_edges.y);
    float across = at.x / whole.x - at.y / whole.y;
    float from_diagonal = abs(across) / max(fwidth(across), 1e-6);
    return vec3(edge, cut ? min(edge, from_diagonal) : edge, min(wide.x, wide.y));
}

vec3 hue(float turn) {
    return clamp(abs(fract(turn + vec3(0.0, 0.6667, 0.3333)) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
}

// A colour for each quad, computed from its position and size, so that it is the same in any frame.
vec3 quad_colour(ivec3 block) {
    ivec3 cut;
#if defined(MODEL) || defined(TRANSLUCENT)
    if (of_model()) {
        ivec3 low = ivec3(floor((lowest - own_block) * 16.0 + 0.5)) + 64;
        ivec3 high = ivec3(floor((highest - own_block) * 16.0 + 0.5)) + 64;
        cut = low + high * 256 + face * 65536;
    }
#endif
#ifndef MODEL
    if (!of_model()) {
        cut = (eye_block.xyz + last) * 8 + face;
        block = eye_block.xyz + first;
    }
#endif
    float turn = chance(block + cut * 31);
    float deep = chance(cut + block * 17);
    return mix(vec3(1.0), hue(turn), 0.45 + 0.4 * deep) * (0.62 + 0.33 * chance(block.zxy + cut * 7));
}

// The colour of a level; near the eye its number on each block's face; sources of the channel in a black and white frame.
vec3 level_colour(vec3 inside, ivec3 before, float away, float pixel) {
    vec4 levels = light_of(before);
    int level = int(levels[channel] * 15.0 + 0.5);
    vec3 shown = ramp[level] * SHADE[face];
    if (face > 5 || pixel * FACE_TEXELS > 1.0) return shown;
    ivec2 texel = ivec2(clamp(upright(inside), 0.0, 0.9999) * FACE_TEXELS);
    vec3 ink = luma(ramp[level]) > 0.45 ? vec3(0.0) : vec3(1.0);
    ivec2 from_edge = min(texel, int(FACE_TEXELS) - 1 - texel);
    bool framed = channel < 3 && (texelFetch(surface_traits, dense).g >> (4 * channel) & 15u) != 0u;
    if (framed && min(from_edge.x, from_edge.y) == 0) return vec3((texel.x + texel.y & 2) == 0);
    if (away > NUMBERS_BLOCKS) return shown;
    return written(level, texel) ? ink : shown;
}

// The mirror's state of a block's sub-chunk, over the surface's brightness; magenta where the mirror has another block.
vec3 mirror_colour(ivec3 block, vec3 albedo, vec3 inside, float pixel) {
    uint entry = table_entry(block_table, block_mask.xyz, block >> 4);
    bool brick = is_brick(entry);
    bool out_ = !brick && (entry & LEFT_OUT) != 0u;
    vec2 at = upright(inside);
    vec3 kind = out_ ? LEFT_OUT_TONE : brick ? BRICK_TONE : UNIFORM_TONE;
    vec3 shown = kind * (0.35 + 0.75 * luma(albedo)) * SHADE[face];
    if (out_ && fract((at.x + at.y) * 2.0) < 0.5) shown *= 0.4;
    uint held = brick ? texelFetch(block_atlas, texel_in(entry, block & 15), 0).r : entry;
    bool liquid = dense >= liquids.x && dense < liquids.y;  // a waterlogged block may have another id
    if (!out_ && !liquid && held != uint(dense)) return fract((at.x - at.y) * 2.0) < 0.5 ? DIFFERS_TONE : vec3(0.0);
    vec3 in_section = vec3(block & 15) + inside;
    vec3 from_border = min(in_section, 16.0 - in_section) + abs(NORMALS[face]) * 16.0;
    float border = min(from_border.x, min(from_border.y, from_border.z));
    return border < clamp(pixel * 0.6, 0.03, 0.25) ? shown * 0.35 : shown;
}

void main() {
#ifdef TURNED
    ivec3 own = clamp(ivec3(floor(near_ - NORMALS[face] * 0.5)), first, last);
    vec4 texel = textureGrad(tiles, vec3(place_in_tile(near_, own, face, flags), float(layer)), dFdx(uv), dFdy(uv));
#else
    vec4 texel = texture(tiles, vec3(inside_rim(uv), float(layer)));
#endif
    vec3 edges = edges_px();
    float drawn_apart = clamp(edges.z / 8.0, 0.25, 1.0);  // edges of narrow quads are fainter, to show the fill
    vec3 pixels = fwidth(near_);
#if defined(CUTOUT) || defined(MODEL)
    if ((flags & FLAG_TINT_MASK) == 0 && texel.a < 0.5) discard;
#endif
    vec3 normal = NORMALS[face];
#if defined(MODEL) || defined(TRANSLUCENT)
    if (face == 6) normal = normalize(cross(dFdx(near_), dFdy(near_)));
#endif
#ifdef MODEL
    ivec3 block = ivec3(floor(own_block + 0.5));
    ivec3 before = block;
#else
    ivec3 block = clamp(ivec3(floor(near_ - normal * 0.5)), first, last);
    ivec3 before = block + ivec3(normal);
#endif
#ifdef TRANSLUCENT
    bool from_inside = dot(sight_to(near_), normal) > 0.0;  // a liquid's surface
    if (from_inside || (flags & FLAG_TRANSLUCENT) != 0) before = block;
    if (from_inside && sloping == 0) normal = -normal;
#endif
    vec3 inside = near_ - vec3(block);
    block += eye_block.xyz;
    before += eye_block.xyz;
    float tinted = (flags & FLAG_TINT_MASK) != 0 ? texel.a : 1.0;
    vec3 albedo = texel.rgb * mix(vec3(1.0), tint_of(tint, block), tinted);
    vec3 offset = near_ - eye_fraction.xyz;
    float pixel = max(pixels.x, max(pixels.y, pixels.z));

    colour = vec4(1.0);
    if (shows == SHOWS_ALBEDO) {
        colour.rgb = albedo;
#ifdef TRANSLUCENT
        colour.a = texel.a;
#endif
    } else if (shows == SHOWS_NORMAL) {
        colour.rgb = normal * 0.5 + 0.5;
    } else if (shows == SHOWS_DEPTH) {
        float depth = clamp(dot(offset, ray_forward.xyz), 1.0, FAR_BLOCKS);
        colour.rgb = vec3((25.0 + 230.0 * (1.0 - log2(depth) / log2(FAR_BLOCKS))) / 255.0);
    } else if (shows == SHOWS_BLOCK) {
        uint tone = texelFetch(surface_traits, dense).r;
        colour.rgb = vec3(tone & 255u, tone >> 8 & 255u, tone >> 16 & 255u) * (1.0 / 255.0);
    } else if (shows == SHOWS_LIGHT) {
        vec4 levels = light_of(before);
        colour.rgb = max(levels.rgb, vec3(levels.a * 0.7));
    } else if (shows == SHOWS_LEVEL) {
        colour.rgb = level_colour(inside, before, length(offset), pixel);
    } else if (shows == SHOWS_MERGE) {
        colour.rgb = quad_colour(block) * SHADE[face] * (edges.x < 0.75 ? 1.0 - 0.55 * drawn_apart : 1.0);
    } else if (shows == SHOWS_MIRROR) {
        colour.rgb = mirror_colour(block, albedo, inside, pixel);
    } else if (shows == SHOWS_OVERDRAW) {
        colour.rgb = OVERDRAW_STEP;  // added up by blending
    } else if (shows == SHOWS_WIRE_GROUND) {
        colour.rgb = WIRE_GROUND_TONE;
    } else {
        if (edges.y > 0.6) discard;
        colour.rgb = shows == SHOWS_WIRE ? WIRE_TONE * drawn_apart : WIRE_BEHIND_TONE;  // hidden lines are added up
    }
}
