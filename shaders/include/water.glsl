// The look of water from above and from below. Waves move with the time of the frame and repeat every 64 blocks, so
// that precision far from the origin is the same.
#include "sky.glsl"

uniform sampler2D depth;  // of solid geometry behind the water

const float WAVE = 6.2831853 / 64.0;

// The normal of a level surface with small waves on it.
vec3 rippled(vec3 near) {
    vec2 at = vec2(eye_block.xz & 63) + near.xz;
    float t = weather.z;
    vec2 slope = vec2(0.0);
    slope += vec2(9.0, 4.0) * (0.0026 * cos(dot(at, vec2(9.0, 4.0)) * WAVE + t * 1.1));
    slope += vec2(-5.0, 11.0) * (0.0020 * cos(dot(at, vec2(-5.0, 11.0)) * WAVE - t * 1.5));
    slope += vec2(17.0, -13.0) * (0.0011 * cos(dot(at, vec2(17.0, -13.0)) * WAVE + t * 2.1));
    return normalize(vec3(-slope.x, 1.0, -slope.y));
}

// Blocks of water between a point of the surface and the solid geometry behind it, along the ray.
float depth_behind(vec3 offset) {
    float stored = texelFetch(depth, ivec2(gl_FragCoord.xy), 0).r;
    float solid = depth_of(stored);
    float own = dot(offset, ray_forward.xyz);
    if (is_parallel()) return max(solid - own, 0.0);
    own = max(own, 1e-3);
    return max(solid - own, 0.0) * length(offset) / own;
}

// Colour and coverage of a fragment of water.
//   body: the lit texture; open: how much daylight reaches the surface, 0..1
vec4 water(vec3 body, vec3 near, vec3 normal, bool surface, float open) {
    vec3 offset = near - eye_fraction.xyz;
    vec3 d = normalize(sight_to(near));
#ifndef AIR
    if (medium.w > 0.0 && surface) {
        // From inside: a clear window towards the sky; outside it, by total reflection, the water's own colour.
        float window = smoothstep(0.62, 0.74, abs(dot(d, rippled(near))));
        return vec4(mix(medium_colour() * 1.25, body, 0.25 * window), mix(0.94, 0.22, window));
    }
#endif
    vec3 facing = surface ? rippled(near) : normal;
    float thick = depth_behind(offset);
    float murk = 1.0 - exp(-0.13 * thick);
    vec3 deep = body * vec3(0.80, 1.12, 1.02);
    vec3 shown = mix(body * 1.06, deep, murk);
    float cover = mix(0.42, 0.90, murk);
    float slant = 1.0 - clamp(-dot(d, facing), 0.0, 1.0);
    float mirrored = (0.03 + 0.85 * slant * slant * slant * slant) * open;
    vec3 thrown = reflect(d, facing);
    thrown.y = abs(thrown.y);
    vec3 sky = sky_base(thrown);
    float glint = pow(max(dot(thrown, sun.xyz), 0.0), 260.0) * moon.z * smoothstep(-0.05, 0.10, sun.y);
    float moonglint = pow(max(-dot(thrown, sun.xyz), 0.0), 260.0) * moon.z * smoothstep(0.0, 0.10, -sun.y);
    sky += vec3(1.0, 0.88, 0.66) * glint * 0.9 + vec3(0.5, 0.6, 0.8) * moonglint * 0.25 * (0.5 + 0.5 * moon.x);
    if (!surface) mirrored *= 0.35;
    shown = mix(shown, sky, mirrored);
    return vec4(through_air(shown, near), mix(cover, 1.0, mirrored));
}
