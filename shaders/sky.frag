// Sky with sun, moon, stars and clouds. Everything is computed from the direction: no texture, no noise.
#include "chance.glsl"
#include "sky.glsl"

in vec3 direction;
out vec4 colour;

const float SUN_SIZE = 0.060;  // half of its side, as a tangent
const float MOON_SIZE = 0.046;
const float CLOUD_HEIGHT = 200.0;
const int CLOUD_SHIFT = 4;  // a cell of clouds is 16 blocks wide
const int CLOUD_PERIOD = 2500;  // cells until they repeat, so that they are as sharp far out as at the origin
const float CLOUD_SPEED = 0.6;  // blocks a second, westwards

// Where a direction meets the square on the sky around a centre: inside it -1..1 each; far out where it looks away.
vec2 on_square(vec3 d, vec3 centre, float size) {
    vec3 side = normalize(cross(vec3(0.0, 0.0, 1.0), centre));
    vec3 up = cross(centre, side);
    float along = dot(d, centre);
    if (along <= 0.0) return vec2(1e3);
    return vec2(dot(d, side), dot(d, up)) / (along * size);
}

float stars(vec3 d) {
    vec3 big = d * 90.0;
    ivec3 cell = ivec3(floor(big));
    float here = chance(cell);
    float near = length(big - vec3(cell) - 0.5);
    return here > 0.985 ? (1.0 - smoothstep(0.18, 0.42, near)) * (0.4 + 0.6 * fract(here * 917.0)) : 0.0;
}

// The moon in sixteen by sixteen spots: colour and how much of it is there.
vec4 moon_at(vec2 at) {
    if (max(abs(at.x), abs(at.y)) >= 1.0) return vec4(0.0);
    ivec2 spot = ivec2(floor((at + 1.0) * 8.0));
    vec2 middle = (vec2(spot) + 0.5) / 8.0 - 1.0;
    float across = 1.0 - middle.y * middle.y;
    if (dot(middle, middle) > 0.97) return vec4(0.0);
    float rough = chance(ivec3((spot + 1) / 3, 3)) * 0.75 + chance(ivec3(spot, 5)) * 0.25;
    vec3 ground = mix(vec3(0.74, 0.78, 0.85), vec3(0.92, 0.94, 0.98), smoothstep(0.25, 0.50, rough));
    float edge = -moon.x * sqrt(across);  // the terminator: of a full moon at one rim, of a new one at the other
    bool lit = moon.y >= 0.0 ? middle.x > edge : -middle.x > edge;
    return lit ? vec4(ground, 1.0) : vec4(ground * 0.10 + zenith.rgb * 0.6, 0.85);
}

// GLSL says nothing of remainders of negative numbers: no world reaches so far that this is one.
int wrapped(int cell) {
    return (cell + CLOUD_PERIOD * 4000) % CLOUD_PERIOD;
}

float cloud_at(ivec2 cell) {
    ivec2 own = ivec2(wrapped(cell.x), wrapped(cell.y));
    float broad = chance(ivec3(own / 5, 11));
    float fine = chance(ivec3(own, 7));
    return broad * 0.72 + fine * 0.28 > 0.66 - 0.30 * weather.x ? 1.0 : 0.0;
}

// How much of a cloud lies in a direction, and how near its middle.
float clouds(vec3 d) {
    float height = CLOUD_HEIGHT - float(eye_block.y) - eye_fraction.y;
    if (d.y * height <= 0.0) return 0.0;
    vec2 place = d.xz * (height / d.y);
    float far = length(place);
    float drift = weather.z * CLOUD_SPEED;
    vec2 start = vec2(eye_block.xz & ((1 << CLOUD_SHIFT) - 1)) + eye_fraction.xz;
    vec2 world = (place + start + vec2(drift, 0.0)) * (1.0 / float(1 << CLOUD_SHIFT));
    float cover = cloud_at(ivec2(floor(world)) + (eye_block.xz >> CLOUD_SHIFT));
    return cover * (1.0 - smoothstep(260.0, 1000.0, far));
}

void main() {
    vec3 d = normalize(direction);
    vec3 shown = sky_base(d);
    if (is_parallel()) {  // the same point of the sky everywhere, be it the sun
        colour = vec4(graded(shown), 1.0);
        return;
    }
    float sky = horizon.w;
    float above = smoothstep(-0.03, 0.06, d.y) * sky;
    if (zenith.w > 0.0) shown += vec3(0.92, 0.95, 1.0) * stars(d) * zenith.w * above;

    float risen = smoothstep(-0.12, 0.02, sun.y) * moon.z;
    float halo = max(dot(d, sun.xyz), 0.0);
    vec3 warmth = mix(vec3(1.0, 0.90, 0.70), vec3(1.0, 0.62, 0.30), glow.w);
    shown += warmth * (pow(halo, 900.0) * 0.38 + pow(halo, 160.0) * 0.20 + pow(halo, 14.0) * 0.10) * sky * risen;
    vec2 on_sun = abs(on_square(d, sun.xyz, SUN_SIZE));
    float disc = 1.0 - smoothstep(0.96, 1.04, max(on_sun.x, on_sun.y));
    float core = 1.0 - smoothstep(0.55, 1.05, max(on_sun.x, on_sun.y));
    shown = mix(shown, mix(mix(vec3(1.0, 0.90, 0.62), warmth, glow.w * 0.6), vec3(1.0, 0.99, 0.93), core), disc * above * risen);

    float moonrise = smoothstep(-0.10, 0.05, -sun.y) * moon.z;
    float gleam = max(-dot(d, sun.xyz), 0.0);
    float phase = 0.5 + 0.5 * moon.x;
    shown += vec3(0.52, 0.62, 0.86) * (pow(gleam, 500.0) * 0.20 + pow(gleam, 40.0) * 0.07) * phase * moonrise * above;
    vec4 disc_of_moon = moon_at(on_square(d, -sun.xyz, MOON_SIZE));
    shown = mix(shown, disc_of_moon.rgb, disc_of_moon.a * moonrise * above);

    vec3 cloud = mix(vec3(0.055, 0.060, 0.085), vec3(1.0), sun.w);
    cloud = mix(cloud, horizon.rgb * 0.86, weather.x * 0.9);
    cloud = mix(cloud, horizon.rgb * 0.70, weather.y * 0.9);
    vec3 lit_low = mix(glow.rgb * 1.05, vec3(0.86, 0.50, 0.52), 0.35);
    cloud = mix(cloud, lit_low, glow.w * 0.55);
    shown = mix(shown, mix(cloud, sky_base(d), 0.14), clouds(d) * 0.76 * sky * smoothstep(0.0, 0.08, abs(d.y)));
    colour = vec4(graded(through_medium(shown, d, 1e6)), 1.0);
}
