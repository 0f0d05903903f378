// The sky's colour in a direction, without sun, moon, stars and clouds: distant terrain fades into it; and the air.
// At the horizon it equals the fog's colour, in every direction and at every hour.
#include "light.glsl"

// Height of the sun as a factor, reduced by the weather.
float risen() {
    return smoothstep(-0.12, 0.02, sun.y) * moon.z;
}

vec3 warmth() {
    return mix(vec3(1.0, 0.90, 0.70), vec3(1.0, 0.62, 0.30), glow.w);
}

// For a direction of length 1. Below the horizon it is the colour of the horizon, so that land far below and land far
// away fade into the same air.
vec3 sky_base(vec3 direction) {
    float above = max(direction.y, 0.0);
    float up = 1.0 - exp(-above * 3.6);
    float thick = 0.55 * exp(-above * 8.0);  // air: a pale band
    vec3 colour = mix(horizon.rgb, zenith.rgb, up * (0.82 + 0.18 * above) * (1.0 - thick));
    if (horizon.w == 0.0) return colour;
    vec3 level = vec3(direction.x, above, direction.z);  // directions below are raised to the horizon; straight below: 0
    level /= max(length(level), 0.35);
    // Dawn and dusk: a flat red band on the sun's side, a rose band above it and, fainter, all around.
    if (glow.w > 0.0) {
        float towards = dot(level.xz, normalize(sun.xz + vec2(1e-5))) * 0.5 + 0.5;
        float low = exp(-above * 6.5);
        float veil = exp(-above * 2.2) * (1.0 - exp(-above * 14.0));
        float side = towards * towards;
        colour = mix(colour, vec3(0.78, 0.40, 0.48), clamp(glow.w * veil * (0.20 + 0.42 * side), 0.0, 1.0));
        colour = mix(colour, glow.rgb, clamp(glow.w * low * side * side, 0.0, 1.0));
    }
    float halo = max(dot(level, sun.xyz), 0.0);
    float square = halo * halo;
    float fourth = square * square;
    return colour + warmth() * (fourth * fourth * fourth * square * 0.10 * risen());
}

// The colour of a deep medium that the eye is in.
vec3 medium_colour() {
    vec4 level = pow(light_of(eye_block.xyz), vec4(0.3));
    return medium.rgb * min(level.a * daylight.rgb + level.rgb + vec3(0.05), vec3(1.1));
}

// A colour at a distance along a direction, seen through the medium around the eye; air is clear here.
// Programs with AIR defined leave it out: a software driver computes both sides of a branch.
vec3 through_medium(vec3 colour, vec3 direction, float away) {
#ifdef AIR
    return colour;
#else
    if (medium.w == 0.0) return colour;
    float rise = moon.w - eye_fraction.y;
    float inside = direction.y * away > rise ? rise / direction.y : away;
    return mix(colour, medium_colour(), 1.0 - exp(-medium.w * max(inside - direct.w, 0.0)));
#endif
}

// Terrain seen through the air: haze by distance, then a fade into the sky with distance and towards the loaded edge.
// The rim is faded only at a distance, so that a player at the edge still sees the ground. Orthographic pictures have no
// fade: they have no distance.
vec3 through_air(vec3 colour, vec3 near) {
    if (is_parallel()) return colour;
    vec3 offset = near - eye_fraction.xyz;
    float away = length(offset);
    vec3 direction = offset / max(away, 1e-4);
    vec3 behind = sky_base(direction);
    float across = length(offset.xz);
    float haze = 1.0 - exp(-fog.z * max(away - 8.0, 0.0));
    float far = smoothstep(fog.x, fog.y, across);
    vec2 inside = min(near.xz - loaded.xy, loaded.zw - near.xz);
    float rim = (1.0 - smoothstep(0.0, fog.w, min(inside.x, inside.y))) * smoothstep(16.0, 56.0, across);
    return through_medium(mix(colour, behind, max(haze, max(far, rim))), direction, away);
}

// Light of lamps on drops and flakes: their colour, desaturated, only near the eye.
vec3 soft_lamps(vec3 lamps, float away) {
    return mix(lamps, vec3(luma(lamps)), 0.5) * (1.0 - smoothstep(4.0, 8.0, away));
}

// The last step of every colour: the gamma setting. 1 changes nothing.
vec3 graded(vec3 colour) {
    return weather.w == 1.0 ? colour : pow(clamp(colour, 0.0, 1.0), vec3(weather.w));
}
