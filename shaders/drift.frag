// Positions of particles: a row a burst, a texel a particle. xyz: from the burst's block, so that floats are the same
// anywhere in the world; w: size in blocks, 0 for no particle.
//
// A particle's start is computed from its burst's seed and its number; then it moves tick by tick through the
// block-ID map and stops at blocks that stop bodies. It moves less than a block a tick, so it cannot skip a block.
// The same steps in plain Python: tests/gpu/test_particles.py.
#include "faces.glsl"
#include "particles.glsl"
#include "stops.glsl"

out vec4 place;

const int TICK = 50;          // milliseconds
const float GRAVITY = 0.04;   // blocks a tick squared
const float DRAG = 0.98;
const float FRICTION = 0.7;   // factor on the ground
const int GRIND_PERIOD = 800; // milliseconds between two particles of a lane

struct Body {
    vec3 at;
    vec3 speed;  // blocks a tick
};

// Height up to which the block at a position stops bodies, if the position is below it; else 0.
float stopping(Burst burst, vec3 at) {
    ivec3 cell = ivec3(floor(at));
    if (burst.kind == BREAK && cell == ivec3(0)) return 0.0;  // the map may still contain the broken block
    float top = stop_of(block_at(burst.block + cell));
    return at.y - float(cell.y) < top ? top : 0.0;
}

Body step_of(Burst burst, Body body) {
    body.speed.y -= GRAVITY;
    vec3 to = vec3(body.at.x, body.at.y + body.speed.y, body.at.z);
    float top = stopping(burst, to);
    bool grounded = top > 0.0 && body.speed.y < 0.0;
    if (grounded) body.at.y = min(floor(to.y) + top, body.at.y);
    if (top > 0.0) body.speed.y = 0.0; else body.at.y = to.y;
    to = vec3(body.at.x + body.speed.x, body.at.yz);
    if (stopping(burst, to) > 0.0) body.speed.x = 0.0; else body.at.x = to.x;
    to = vec3(body.at.xy, body.at.z + body.speed.z);
    if (stopping(burst, to) > 0.0) body.speed.z = 0.0; else body.at.z = to.z;
    body.speed *= DRAG;
    if (grounded) body.speed.xz *= FRICTION;
    return body;
}

// The whole block bursts into 4 x 4 x 4 particles.
Body broken(Burst burst, int number) {
    vec3 part = (vec3(number & 3, number >> 2 & 3, number >> 4) + 0.5) * 0.25;
    vec3 loose = vec3(part_of(burst, number, 0), part_of(burst, number, 1), part_of(burst, number, 2)) - 0.5;
    vec3 way = part - 0.5 + loose * 0.8;
    return Body(part, way * (0.10 + 0.12 * part_of(burst, number, 3)) + vec3(0.0, 0.10, 0.0));
}

// A particle from a face.
Body dust(Burst burst, int number, int face) {
    vec3 inside = vec3(part_of(burst, number, 0), part_of(burst, number, 1), part_of(burst, number, 2));
    vec3 across = 1.0 - abs(NORMALS[face]);
    vec3 at = 0.5 + NORMALS[face] * 0.56 + (inside - 0.5) * 0.9 * across;
    vec3 speed = NORMALS[face] * (0.02 + 0.04 * part_of(burst, number, 3)) + (inside.zxy - 0.5) * 0.05 * across;
    return Body(at, speed + vec3(0.0, 0.03, 0.0));
}

void main() {
    int number = int(gl_FragCoord.x);
    Burst burst = burst_of(int(gl_FragCoord.y));
    place = vec4(0.0);
    bool all = burst.kind == BREAK;
    if (!all && number >= (burst.kind == HIT ? HIT_PARTICLES : GRIND_PARTICLES)) return;
    int age = burst.age;
    int face = burst.face;
    if (burst.kind == GRIND) {
        // Each lane emits one particle after another without end: the time alone gives the current one.
        int since = age + int(part_of(burst, number, 9) * float(GRIND_PERIOD));
        age = since % GRIND_PERIOD;
        burst.seed = int(scramble(uint(burst.seed) + uint(since / GRIND_PERIOD) * 0x9e3779b9u) & 0x7fffffffu);
        face = min(int(part_of(burst, number, 8) * 6.0), 5);
    }
    float life = all ? 12.0 + 16.0 * part_of(burst, number, 4) : 7.0 + 8.0 * part_of(burst, number, 4);  // ticks
    if (float(age) >= life * float(TICK)) return;
    Body body;
    if (all) body = broken(burst, number); else body = dust(burst, number, face);
    if (stopping(burst, body.at) > 0.0) return;  // another block covers that face
    vec3 before = body.at;
    for (int tick = 0; tick <= age / TICK; ++tick) {
        before = body.at;
        body = step_of(burst, body);
    }
    vec3 at = mix(before, body.at, float(age % TICK) / float(TICK));
    float size = (all ? 0.05 : 0.03) + (all ? 0.05 : 0.03) * part_of(burst, number, 5);
    place = vec4(at, size * min((life - float(age) / float(TICK)) * 0.25, 1.0));
}
