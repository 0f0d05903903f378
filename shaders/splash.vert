// Splashes where drops end: some lanes in each near column, in each lane one splash after another, each of a few
// droplets. Everything is computed from the column and the time.
#include "chance.glsl"
#include "faces.glsl"
#include "falls.glsl"

out vec3 near_;

const float PERIOD = 0.55;   // seconds between two splashes of a lane
const float UP = 1.15;       // blocks a second
const float GRAVITY = 9.0;   // blocks a second squared
const float LIFE = 2.0 * UP / GRAVITY;
const int RAIN = 1;

void main() {
    gl_Position = NOT_DRAWN;
    int number = gl_VertexID / 6;
    ivec4 sheet = texelFetch(falling, number / (SPLASH_LANES * DROPLETS));
    int lane = number / DROPLETS % SPLASH_LANES;
    int droplet = number % DROPLETS;
    int column = (sheet.x & 63) * 64 + (sheet.y & 63);
    float since = weather.z / PERIOD + chance(ivec3(column, lane, 7)) * 5.0;
    int turn = int(since) * SPLASH_LANES + lane;
    float age = fract(since) * PERIOD;
    if (sheet.w != RAIN || age >= LIFE || chance(ivec3(column, turn, 0)) >= weather.x || !map_knows(sheet)) return;
    vec2 at = vec2(chance(ivec3(column, turn, 1)), chance(ivec3(column, turn, 2))) * 0.9 + 0.05;
    float way = 6.2831853 * chance(ivec3(column, turn, 3 + droplet));
    at += vec2(cos(way), sin(way)) * age * (0.35 + 0.45 * chance(ivec3(column, turn, 16 + droplet)));
    vec3 middle = vec3(sheet.xy - eye_block.xz, 0.0).xzy + vec3(at.x, 0.0, at.y);
    float size = 0.016 + 0.012 * chance(ivec3(column, turn, 32 + droplet));
    middle.y = lowest_of(sheet) + size + (UP - 0.5 * GRAVITY * age) * age;
    vec2 across = (vec2(corner_of_vertex(gl_VertexID)) * 2.0 - 1.0) * size;
    near_ = middle + normalize(ray_right.xyz) * across.x + normalize(ray_up.xyz) * across.y;
    gl_Position = project(near_);
}
