// Sky with sun, moon, stars and clouds. Everything is computed from the direction, without textures.
#include "chance.glsl"
#include "sky.glsl"

in vec3 direction;
out vec4 colour;

const float SUN_SIZE = 0.060;  // half of its side, as a tangent
const float MOON_SIZE = 0.046;
const float STAR_CELLS = 64.0;  // cells along half of a cube's side
const float STAR_SIZE = 0.125;  // half of a star's side, in cells
const float CLOUD_LOW = 200.0;
const float CLOUD_THICK = 4.0;
const int MOST_CLOUD_CELLS = 8;  // most cells that a ray crosses inside the slab
const int CLOUD_SHIFT = 4;  // a cell of clouds is 16 blocks wide
const int CLOUD_PERIOD = 2048;  // cells after which clouds repeat, so that precision far from the origin is the same
const float CLOUD_SPEED = 0.6;  // blocks a second, westwards

// Position of a direction in a square on the sky around a centre: -1..1 each inside it; large for opposite directions.
vec2 on_square(vec3 d, vec3 centre, float size) {
    vec3 side = normalize(cross(vec3(0.0, 0.0, 1.0), centre));
    vec3 up = cross(centre, side);
    float along = dot(d, centre);
    if (along <= 0.0) return vec2(1e3);
    return vec2(dot(d, side), dot(d, up)) / (along * size);
}

// Specks of the sky, by the cell where a direction meets a cube around the eye: stars, squares in some cells that are
// never thinner than a pixel but fainter then; and a random value in -0.5..0.5 for the whole cell, the End's noise.
vec2 specks(vec3 d) {
    vec3 size = abs(d);
    bool by_x = size.x >= max(size.y, size.z), by_y = size.y >= size.z;
    vec3 side = by_x ? vec3(d.yz, d.x) : by_y ? vec3(d.xz, d.y) : d;  // the last coordinate is along the side's normal
    vec2 place = side.xy * (STAR_CELLS / abs(side.z));
    ivec2 cell = ivec2(floor(place));
    int which = (by_x ? 0 : by_y ? 1 : 2) + (side.z > 0.0 ? 3 : 0);
    uint here = scramble(uint(cell.x + cell.y * 512 + which * 262144));
    float chance_of = float(here >> 8) * (1.0 / 16777216.0);
    vec4 more = vec4(here >> 18 & 63u, here >> 12 & 63u, here >> 6 & 63u, here & 63u) * (1.0 / 64.0);
    float pixel = ray_up.w * STAR_CELLS;
    float wide = STAR_SIZE * (0.7 + 0.6 * more.x);
    float drawn = max(wide, 0.5 * pixel);
    vec2 inside = clamp((drawn - abs(place - vec2(cell) - 0.25 - 0.5 * more.yz)) / pixel + 0.5, 0.0, 1.0);
    float star = inside.x * inside.y * min(wide / drawn, 1.0) * (0.5 + 0.5 * more.w);
    return vec2(chance_of > 0.965 ? star : 0.0, chance_of - 0.5);
}

// The moon in 16 x 16 spots: colour and coverage.
vec4 moon_at(vec2 at) {
    if (max(abs(at.x), abs(at.y)) >= 1.0) return vec4(0.0);
    ivec2 spot = ivec2(floor((at + 1.0) * 8.0));
    vec2 middle = (vec2(spot) + 0.5) / 8.0 - 1.0;
    float across = 1.0 - middle.y * middle.y;
    if (dot(middle, middle) > 0.97) return vec4(0.0);
    float rough = chance(ivec3((spot + 1) / 3, 3)) * 0.75 + chance(ivec3(spot, 5)) * 0.25;
    vec3 ground = mix(vec3(0.74, 0.78, 0.85), vec3(0.92, 0.94, 0.98), smoothstep(0.25, 0.50, rough));
    float edge = -moon.x * sqrt(across);  // the terminator: at one rim for a full moon, at the other for a new one
    bool lit = moon.y >= 0.0 ? middle.x > edge : -middle.x > edge;
    return lit ? vec4(ground, 1.0) : vec4(ground * 0.10 + zenith.rgb * 0.6, 0.85);
}

float cloud_at(ivec2 cell) {
    ivec2 own = cell & (CLOUD_PERIOD - 1);
    ivec2 wide = own >> 2;
    float fine = float(scramble(uint(own.x + own.y * CLOUD_PERIOD)) >> 8) * (1.0 / 16777216.0);
    float broad = float(scramble(uint(wide.x + wide.y * CLOUD_PERIOD) ^ 0x5bd1e995u) >> 8) * (1.0 / 16777216.0);
    return broad * 0.72 + fine * 0.28 > 0.66 - 0.30 * weather.x ? 1.0 : 0.0;
}

// The first cloud that a direction meets in the slab of clouds: its visibility, and the brightness of the side met.
vec2 clouds(vec3 d) {
    float low = CLOUD_LOW - float(eye_block.y) - eye_fraction.y;
    float high = low + CLOUD_THICK;
    float slant = abs(d.y) < 1e-4 ? 1e-4 : d.y;
    float enters = max(min(low / slant, high / slant), 0.0);
    float leaves = max(low / slant, high / slant);
    float end = clamp(fog.y * 6.0, 800.0, 1600.0);  // farther than faded terrain, and low in the sky
    float across = length(d.xz);
    if (leaves <= enters || enters * across > end) return vec2(0.0);
    float cells = 1.0 / float(1 << CLOUD_SHIFT);
    vec2 start = (vec2(eye_block.xz & ((1 << CLOUD_SHIFT) - 1)) + eye_fraction.xz + vec2(weather.z * CLOUD_SPEED, 0.0)) * cells;
    vec2 way = d.xz * cells;
    way = mix(way, vec2(1e-6), lessThan(abs(way), vec2(1e-6)));
    vec2 at = start + way * enters;
    ivec2 cell = ivec2(floor(at));
    vec2 ahead = (vec2(cell) + step(0.0, way) - start) / way;  // distance to the next border of each axis
    float bright = d.y > 0.0 ? 0.90 : 1.0;
    float near = enters;
    for (int turn = 0; turn < MOST_CLOUD_CELLS && near < leaves; ++turn) {
        if (cloud_at(cell + (eye_block.xz >> CLOUD_SHIFT)) > 0.0) {
            return vec2(1.0 - smoothstep(0.4 * end, end, near * across), bright);
        }
        bool by_x = ahead.x < ahead.y;
        near = by_x ? ahead.x : ahead.y;
        cell += by_x ? ivec2(sign(way.x), 0) : ivec2(0, sign(way.y));
        ahead += by_x ? vec2(abs(1.0 / way.x), 0.0) : vec2(0.0, abs(1.0 / way.y));
        bright = by_x ? 0.94 : 0.97;
    }
    return vec2(0.0);
}

void main() {
    vec3 d = normalize(direction);
    vec3 base = sky_base(d);
    vec3 shown = base;
    if (is_parallel()) {  // all pixels have the same direction: no sun, stars, clouds
        colour = vec4(graded(shown), 1.0);
        return;
    }
    float sky = horizon.w;
    vec2 speck = specks(d);
    if (sky == 0.0) {
        shown *= 1.0 + eye_fraction.w * speck.y * smoothstep(0.02, 0.30, abs(d.y));  // 0 at the horizon, as the fog
        colour = vec4(graded(through_medium(shown, d, 1e6)), 1.0);
        return;
    }
    vec2 cover = clouds(d);
    float above = smoothstep(0.0, 0.08, d.y);  // at the horizon the sky has the fog's colour and nothing else
    shown += vec3(0.92, 0.95, 1.0) * (speck.x * zenith.w * above * (1.0 - cover.x));

    float halo = max(dot(d, sun.xyz), 0.0);
    vec3 warm = warmth();
    float shining = risen() * above;
    shown += warm * (pow(halo, 900.0) * 0.38 + pow(halo, 160.0) * 0.20) * shining;
    vec2 on_sun = abs(on_square(d, sun.xyz, SUN_SIZE));
    float disc = 1.0 - smoothstep(0.96, 1.04, max(on_sun.x, on_sun.y));
    float core = 1.0 - smoothstep(0.55, 1.05, max(on_sun.x, on_sun.y));
    shown = mix(shown, mix(mix(vec3(1.0, 0.90, 0.62), warm, glow.w * 0.6), vec3(1.0, 0.99, 0.93), core), disc * shining);

    float moonrise = smoothstep(-0.10, 0.05, -sun.y) * moon.z;
    float gleam = max(-dot(d, sun.xyz), 0.0);
    float phase = 0.5 + 0.5 * moon.x;
    shown += vec3(0.52, 0.62, 0.86) * (pow(gleam, 500.0) * 0.20 + pow(gleam, 40.0) * 0.07) * phase * moonrise * above;
    vec4 disc_of_moon = moon_at(on_square(d, -sun.xyz, MOON_SIZE));
    shown = mix(shown, disc_of_moon.rgb, disc_of_moon.a * moonrise * above);

    vec3 cloud = mix(vec3(0.060, 0.068, 0.105), vec3(1.0), sun.w);
    cloud = mix(cloud, horizon.rgb * 0.86, weather.x * 0.9);
    cloud = mix(cloud, horizon.rgb * 0.70, weather.y * 0.9);
    vec3 lit_low = mix(glow.rgb * 1.05, vec3(0.86, 0.50, 0.52), 0.35);
    cloud = mix(cloud, lit_low, glow.w * 0.55);
    shown = mix(shown, cloud * cover.y, cover.x * 0.92 * smoothstep(0.01, 0.10, abs(d.y)));
    colour = vec4(graded(through_medium(shown, d, 1e6)), 1.0);
}
