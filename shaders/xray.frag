// Hidden things seen through terrain: placeholders, or air (SHOWS_AIR). The shader marches through the block-ID map along
// every pixel's ray; the drawn picture stays visible below.
//   placeholders: orange, hatched; bright if directly visible, faint behind opaque blocks. Placeholders that were never
//   requested are left out.
//   air: the first air behind the first opaque block; violet where it is dark, blue in daylight, tinted by lamps,
//   each face shaded by its direction, with the blocks' edges.
#include "light.glsl"

#ifndef SHOWS_AIR
uniform usampler3D unasked;  // same layout as the page table of the block ids: 1 where a sub-chunk was never requested
#define LEAVES_OUT(entry, section) (class_of(entry) == PLACEHOLDERS && never_requested(section))
bool never_requested(ivec3 section) {
    return table_entry(unasked, block_mask.xyz, section) != 0u;
}
#endif
#include "blocks.glsl"

uniform float reach;  // in blocks; parallel rays cross the whole depth range

in vec3 direction;
in vec3 begin;

out vec4 colour;

// The two coordinates along a face, without its normal's axis.
vec2 on_face(vec3 near, int face) {
    return face < 2 ? near.zy : face < 4 ? near.xy : near.xz;
}

// Coverage of lines at whole multiples of a period, with a width in blocks, for pixels of that size.
float lines(float value, float period, float wide, float pixel) {
    float away = abs(fract(value / period + 0.5) - 0.5) * period;
    float shown = 1.0 - smoothstep(wide, wide + pixel, away);
    return shown * (1.0 - smoothstep(period * 0.2, period * 0.5, pixel));  // too far to resolve
}

float grid(vec2 at, float period, float wide, float pixel) {
    return max(lines(at.x, period, wide, pixel), lines(at.y, period, wide, pixel));
}

void main() {
    vec3 forward = normalize(direction);
    float most = is_parallel() ? ray_forward.w - ray_right.w : reach;
    Ray ray;
    if (!ray_from(begin, forward, ray)) discard;
#ifdef SHOWS_AIR
    if (!march(ray, OPAQUE, most) || !march(ray, AIR, most)) discard;
#else
    if (!march(ray, OPAQUE | PLACEHOLDERS, most)) discard;
    bool hidden = class_of(ray.id) == OPAQUE;
    if (hidden && !march(ray, PLACEHOLDERS, most)) discard;
#endif
    // Relative to the world's origin modulo whole sub-chunks: floats stay small and lines do not move with the eye.
    vec3 met = vec3(eye_block.xyz & 15) + begin + forward * ray.distance;
    vec2 at = on_face(met, ray.face);
    float pixel = ray_up.w * (is_parallel() ? 1.0 : max(ray.distance, 1.0));
    float far = ray.distance / most;
#ifdef SHOWS_AIR
    vec4 level = light_of(eye_block.xyz + ray.block);
    vec3 tone = mix(vec3(0.42, 0.22, 0.72), vec3(0.34, 0.71, 0.91), level.a);
    float lamps = max(level.r, max(level.g, level.b));
    tone = mix(tone, level.rgb / max(lamps, 0.01), sqrt(lamps) * 0.8);
    float shade = ray.face < 2 ? 0.72 : ray.face < 4 ? 0.86 : ray.face == 4 ? 0.6 : 1.0;
    float line = grid(at, 1.0, 0.02, pixel);
    colour = vec4(tone * shade * (1.0 - 0.45 * line), mix(0.85, 0.35, far));
#else
    float line = max(grid(at, 16.0, 0.12, pixel), lines(at.x + at.y, 4.0, 0.25, pixel) * 0.7);
    vec3 tone = mix(vec3(0.90, 0.62, 0.0), vec3(1.0, 0.86, 0.45), line);
    colour = vec4(tone, (hidden ? 0.30 : 0.65) + 0.25 * line);
#endif
}
