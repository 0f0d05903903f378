// Reading of light maps: R | G << 4 | B << 8 | D << 12 a block.
#include "frame.glsl"
#include "bricks.glsl"

uniform usampler3D light_atlas;
uniform usampler3D light_table;

vec4 unpack_light(uint value) {
    return vec4(value & 15u, (value >> 4) & 15u, (value >> 8) & 15u, (value >> 12) & 15u) * (1.0 / 15.0);
}

// Red, green, blue, daylight of a block, each 0..1.
vec4 light_of(ivec3 block) {
    if (block.y >= bounds.y) return unpack_light(uint(bounds.z));
    if (block.y < bounds.x) return unpack_light(uint(bounds.w));
    return unpack_light(value_at(light_table, light_atlas, light_mask.xyz, block));
}

// A level is a share of light that falls by a fifteenth a block; perceived brightness falls slower near full and faster
// below. Under water the curve is that of an eye adapted to the dark.
vec4 brightness(vec4 level) {
#ifndef AIR
    if (medium.w > 0.0) level = pow(level, vec4(0.32));
#endif
    return level * (0.46 + 0.54 * level * level);
}

// Where a pixel is wide, the value at its centre does not represent an edge that it covers: half a block gets one value,
// which is as wide as a pixel at least, and none where that is too narrow. Otherwise maps show dashes along each step.
float off_the_edge(float part) {
    float away = 0.25 * (1.0 - smoothstep(0.25, 0.6, ray_up.w));
    return mix(part, part < 0.5 ? away : 1.0 - away, smoothstep(0.1, 0.25, ray_up.w));
}

// Brightness on a face: the mean of the open ones of the four nearest blocks in the layer in front of it, times the
// ambient occlusion: 1, 0.8, 0.6 and 0.4 in the middle of four blocks, by the number of closed ones. A block without
// light of a channel is closed for that channel: opaque blocks hold no light, and brightness has no step at the end of a
// lamp's reach.
vec4 light_on_face(vec3 near, vec3 normal) {
    vec3 before = near + normal * 0.5;
#ifdef FLAT_LIGHT
    return brightness(light_of(eye_block.xyz + ivec3(floor(before))));
#else
    vec3 across = 1.0 - abs(normal);
    vec3 corner = before - across * 0.5;
    ivec3 low = ivec3(floor(corner));
    vec3 part = corner - vec3(low);
    ivec3 block = eye_block.xyz + low;
    ivec3 u = abs(normal.x) > 0.5 ? ivec3(0, 1, 0) : ivec3(1, 0, 0);
    ivec3 v = abs(normal.z) > 0.5 ? ivec3(0, 1, 0) : ivec3(0, 0, 1);
    float a = dot(part, vec3(u));
    float b = dot(part, vec3(v));
    if (is_parallel()) {
        a = off_the_edge(a);
        b = off_the_edge(b);
    }
    vec4 here = light_of(block), by_u = light_of(block + u), by_v = light_of(block + v), by_both = light_of(block + u + v);
    vec4 level = mix(mix(here, by_u, a), mix(by_v, by_both, a), b);
    vec4 open = mix(mix(sign(here), sign(by_u), a), mix(sign(by_v), sign(by_both), a), b);
    level /= max(open, 1e-6);
    return brightness(level) * mix(open, min(0.2 + 0.8 * open, 1.6 * open), vec4(0.0, 0.0, 0.0, level.a * level.a));
#endif
}

// Share of the diffuse daylight of a face by its direction (-x, +x, -z, +z, down, up; slanted), as large as the visible
// part of the sky. ``direct`` adds the part that follows the sun and the moon.
const float SIDE_SHADE[7] = float[7](0.74, 0.74, 0.88, 0.88, 0.58, 1.0, 0.97);

// The lit colour of a face.
//   bright: brightness of the light on it
//   shade: share of the diffuse daylight, 0..1
//   sunward: share added for faces towards the sun or the moon, negative for others
vec3 lit(vec3 albedo, vec4 bright, float shade, float sunward) {
    vec3 day = bright.a * (shade + sunward) * daylight.rgb;
    float drown = 1.0 - daylight.w * bright.a;
    vec3 lamps = bright.rgb * mix(shade, 1.0, 0.55) * drown;
    vec3 total = day + lamps * 1.25 + least_light.rgb * mix(1.0, shade, least_light.w);
#ifndef AIR
    if (medium.w > 0.0) total += medium.rgb * daylight.rgb * (0.5 * shade);  // water scatters light in all directions
#endif
    return albedo * (total / (1.0 + max(total - 1.0, 0.0)));
}
