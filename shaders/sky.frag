// Sky with sun, moon, stars and clouds. Everything is computed from the direction: no texture, no noise that drifts.
#include "sky.glsl"

in vec3 direction;
out vec4 colour;

uint scramble(uint v) {
    v ^= v >> 16; v *= 0x7feb352du; v ^= v >> 15; v *= 0x846ca68bu; v ^= v >> 16;
    return v;
}

float chance(ivec3 cell) {
    uint v = scramble(uint(cell.x) + scramble(uint(cell.y) + scramble(uint(cell.z))));
    return float(v >> 8) * (1.0 / 16777216.0);
}

// A square on the sky around a centre: 1 inside, soft over a thirtieth of its size.
float square(vec3 d, vec3 centre, float size) {
    vec3 side = normalize(cross(vec3(0.0, 0.0, 1.0), centre));
    vec3 up = cross(centre, side);
    if (dot(d, centre) <= 0.0) return 0.0;
    vec2 place = abs(vec2(dot(d, side), dot(d, up))) / dot(d, centre);
    float outside = max(place.x, place.y);
    return 1.0 - smoothstep(size * 0.97, size * 1.03, outside);
}

float stars(vec3 d) {
    vec3 big = d * 90.0;
    ivec3 cell = ivec3(floor(big));
    float here = chance(cell);
    float near = length(big - vec3(cell) - 0.5);
    return here > 0.985 ? (1.0 - smoothstep(0.18, 0.42, near)) * (0.4 + 0.6 * fract(here * 917.0)) : 0.0;
}

float cloud_at(ivec2 cell) {
    ivec2 coarse = ivec2(floor(vec2(cell) / 5.0));
    float broad = chance(ivec3(coarse, 11));
    float fine = chance(ivec3(cell, 7));
    return broad * 0.72 + fine * 0.28 > 0.66 ? 1.0 : 0.0;
}

float clouds(vec3 d) {
    float height = 200.0 - float(eye_block.y) - eye_fraction.y;
    if (d.y * height <= 0.0) return 0.0;
    vec2 place = d.xz * (height / d.y);
    float far = length(place);
    vec2 world = (place + vec2(eye_block.xz) + eye_fraction.xz) / 14.0;
    float cover = cloud_at(ivec2(floor(world)));
    return cover * (1.0 - smoothstep(220.0, 900.0, far));
}

void main() {
    vec3 d = normalize(direction);
    vec3 shown = sky_base(d);
    float sky = horizon.w;
    float above = smoothstep(-0.03, 0.06, d.y);
    if (zenith.w > 0.0) shown += vec3(0.92, 0.95, 1.0) * stars(d) * zenith.w * above * sky;
    float halo = max(dot(d, sun.xyz), 0.0);
    shown += vec3(1.0, 0.86, 0.60) * (pow(halo, 220.0) * 0.30 + pow(halo, 24.0) * 0.10) * sky * sun.w;
    float disc = square(d, sun.xyz, 0.055) * above * sky;
    shown = mix(shown, vec3(1.0, 0.97, 0.86), disc * smoothstep(-0.12, 0.02, sun.y));
    float moon = square(d, -sun.xyz, 0.042) * above * sky;
    shown = mix(shown, vec3(0.84, 0.87, 0.93), moon * smoothstep(-0.10, 0.05, -sun.y));
    vec3 cloud = mix(vec3(0.055, 0.06, 0.085), vec3(1.0), sun.w);
    cloud = mix(cloud, glow.rgb * 1.05, glow.w * 0.45);
    shown = mix(shown, mix(cloud, sky_base(d), 0.12), clouds(d) * 0.72 * sky * smoothstep(0.0, 0.08, abs(d.y)));
    colour = vec4(shown, 1.0);
}
