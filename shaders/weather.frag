// Drops and flakes on a sheet, computed from the column, the lane and the time.
#include "chance.glsl"
#include "sky.glsl"

in vec3 near_;
in vec2 place;
flat in ivec3 sheet;

out vec4 colour;

const int SNOW = 2;
const float RAIN_LANES = 7.0;
const float SNOW_LANES = 5.0;

// Coverage of a pixel by an object `wide` blocks wide.
float covering(float wide, float away) {
    return min(wide / (ray_up.w * away), 1.0);
}

float drops(float away) {
    float lane = floor(place.x * RAIN_LANES);
    float own = chance(ivec3(sheet.xy, int(lane)));
    if (own < 0.5) return 0.0;
    float along = place.y * 0.30 + weather.z * (5.0 + 2.5 * own) + own * 37.0;
    float part = fract(along);
    float line = abs(fract(place.x * RAIN_LANES) - 0.5) * 2.0;
    float tail = smoothstep(0.0, 0.05, part) * (1.0 - smoothstep(0.08, 0.34, part));
    return tail * step(line, 0.13) * 0.30 * covering(0.13 / RAIN_LANES * 2.0, away);
}

float flakes(float away) {
    float lane = floor(place.x * SNOW_LANES);
    float own = chance(ivec3(sheet.xy, int(lane) + 16));
    float height = place.y + weather.z * (1.1 + 0.7 * own) + own * 53.0;
    float cell = floor(height * 1.6);
    float there = chance(ivec3(sheet.x * 64 + sheet.y, int(lane), int(cell) & 4095));
    if (there < 0.62) return 0.0;
    vec2 at = vec2(fract(place.x * SNOW_LANES) / SNOW_LANES, fract(height * 1.6) / 1.6);
    vec2 middle = vec2(0.5 / SNOW_LANES + 0.05 * sin(weather.z * 1.3 + there * 40.0), 0.18 + 0.26 * fract(there * 91.0));
    float size = 0.020 + 0.014 * fract(there * 57.0);
    vec2 off = abs(at - middle);
    return step(max(off.x, off.y), size) * 0.65 * covering(size * 2.0, away);
}

void main() {
    float away = max(length(near_ - eye_fraction.xyz), 0.05);
    float cover = sheet.z == SNOW ? flakes(away) : drops(away);
    float across = length((near_ - eye_fraction.xyz).xz);
    cover *= weather.x * (1.0 - smoothstep(0.6 * REACH_BLOCKS, REACH_BLOCKS, across)) * smoothstep(0.3, 1.5, across);
    if (cover < 0.004) discard;
    vec4 level = brightness(light_of(eye_block.xyz + ivec3(floor(near_))));
    vec3 own = sheet.z == SNOW ? vec3(0.97, 0.98, 1.0) : vec3(0.66, 0.74, 0.90);
    vec3 light = level.a * daylight.rgb * 1.1 + soft_lamps(level.rgb, away) + vec3(0.02);
    colour = vec4(graded(min(own * light, vec3(1.0))), cover);
}
