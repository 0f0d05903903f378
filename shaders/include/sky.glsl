// The sky's colour in a direction, without sun, moon, stars and clouds: what distant terrain fades into; and the air.
#include "light.glsl"

// Along a direction of length 1.
vec3 sky_base(vec3 direction) {
    float height = direction.y;
    float above = max(height, 0.0);
    float up = 1.0 - exp(-above * 3.6);
    vec3 colour = mix(horizon.rgb, zenith.rgb, up * (0.82 + 0.18 * above));
    // A pale band where the air is thickest.
    float band = exp(-abs(height) * 8.0);
    colour = mix(colour, horizon.rgb * 1.05, band * 0.55);
    // Dawn and dusk: a flat fire on the sun's side, a rose veil above it and, fainter, all around.
    float towards = dot(normalize(direction.xz + vec2(1e-5)), normalize(sun.xz + vec2(1e-5))) * 0.5 + 0.5;
    float low = exp(-above * 6.5) * exp(-max(-height, 0.0) * 3.0);
    float veil = exp(-above * 2.2) * exp(-max(-height, 0.0) * 2.0) * (1.0 - exp(-above * 14.0));
    float side = towards * towards;
    colour = mix(colour, vec3(0.78, 0.40, 0.48), clamp(glow.w * veil * (0.20 + 0.42 * side), 0.0, 1.0));
    colour = mix(colour, glow.rgb, clamp(glow.w * low * (0.14 + 0.86 * side * side), 0.0, 1.0));
    // Below the horizon it darkens, as ground would.
    float below = clamp(-height * 1.6, 0.0, 1.0);
    return mix(colour, colour * 0.62, below);
}

// What a medium that the eye is in looks like where it is deep.
vec3 medium_colour() {
    vec4 level = pow(light_of(eye_block.xyz), vec4(0.3));
    return medium.rgb * min(level.a * daylight.rgb + level.rgb + vec3(0.05), vec3(1.1));
}

// A colour so far away along a direction, seen through what the eye is in; air is clear here.
vec3 through_medium(vec3 colour, vec3 direction, float away) {
    if (medium.w == 0.0) return colour;
    float rise = moon.w - eye_fraction.y;
    float inside = direction.y * away > rise ? rise / direction.y : away;
    return mix(colour, medium_colour(), 1.0 - exp(-medium.w * max(inside, 0.0)));
}

// Terrain seen through the air: haze by distance, then a fade into the sky with distance and towards the loaded edge.
// The rim is faded only where it is far, so that one who stands at the edge still sees the ground. Nothing fades where
// lines of sight are parallel: nothing is far there.
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

// The last step of every colour: the gamma setting. Exactly nothing at 1.
vec3 graded(vec3 colour) {
    return weather.w == 1.0 ? colour : pow(clamp(colour, 0.0, 1.0), vec3(weather.w));
}
