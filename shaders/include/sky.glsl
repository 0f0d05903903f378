// The sky's colour in a direction, without sun, moon, stars and clouds: what distant terrain fades into.
#include "frame.glsl"

vec3 sky_base(vec3 direction) {
    float height = direction.y;
    float up = 1.0 - exp(-max(height, 0.0) * 4.2);
    vec3 colour = mix(horizon.rgb, zenith.rgb, up);
    // A pale band where the air is thickest.
    float band = exp(-abs(height) * 9.0);
    colour = mix(colour, horizon.rgb * 1.04, band * 0.5);
    // Dawn and dusk gather around the sun, flat along the horizon.
    float towards = max(dot(normalize(direction.xz + vec2(1e-5)), normalize(sun.xz + vec2(1e-5))), 0.0);
    float low = exp(-max(height, 0.0) * 5.0) * exp(-max(-height, 0.0) * 3.0);
    colour = mix(colour, glow.rgb, clamp(glow.w * low * (0.25 + 0.75 * towards * towards), 0.0, 1.0));
    // Below the horizon it darkens, as ground would.
    float below = clamp(-height * 1.6, 0.0, 1.0);
    return mix(colour, colour * 0.62, below);
}

// Terrain seen through the air: haze by distance, then a fade into the sky with distance and towards the loaded edge.
// The rim is faded only where it is far, so that one who stands at the edge still sees the ground.
vec3 through_air(vec3 colour, vec3 near) {
    vec3 offset = near - eye_fraction.xyz;
    vec3 behind = sky_base(normalize(offset));
    float across = length(offset.xz);
    float haze = 1.0 - exp(-fog.z * max(length(offset) - 8.0, 0.0));
    float far = smoothstep(fog.x, fog.y, across);
    vec2 inside = min(near.xz - loaded.xy, loaded.zw - near.xz);
    float rim = (1.0 - smoothstep(0.0, fog.w, min(inside.x, inside.y))) * smoothstep(16.0, 56.0, across);
    return mix(colour, behind, max(haze, max(far, rim)));
}
