// Light maps in the picture: R | G << 4 | B << 8 | D << 12 a block.
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

// Light that falls on a face: bilinear over the four nearest blocks of the layer in front of it. Opaque blocks hold no
// light, so corners come out darker: that is the ambient occlusion.
vec4 light_on_face(vec3 near, vec3 normal) {
    vec3 before = near + normal * 0.5;
#ifdef FLAT_LIGHT
    return light_of(eye_block.xyz + ivec3(floor(before)));
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
    vec4 first = mix(light_of(block), light_of(block + u), a);
    vec4 second = mix(light_of(block + v), light_of(block + u + v), a);
    return mix(first, second, b);
#endif
}

// A level is a share of light that falls by a fifteenth a block; the eye sees it fall slower near full and faster below.
// Under water it has got used to the dark.
vec4 brightness(vec4 level) {
    if (medium.w > 0.0) level = pow(level, vec4(0.45));
    return level * (0.46 + 0.54 * level * level);
}

// What a face of a colour looks like under light levels.
//   shade: share of the daylight a face of this direction takes, 0..1
vec3 lit(vec3 albedo, vec4 level, float shade) {
    vec4 bright = brightness(level);
    vec3 day = bright.a * shade * daylight.rgb;
    float drown = 1.0 - daylight.w * bright.a;
    vec3 lamps = bright.rgb * mix(shade, 1.0, 0.55) * drown;
    vec3 total = day + lamps * 1.05 + least_light.rgb * mix(1.0, shade, least_light.w);
    return albedo * (total / (1.0 + max(total - 1.0, 0.0)));
}
