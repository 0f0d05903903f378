// Bursts of particles: two texels each, written by render/passes/particles.py; a burst has PER_BURST particles.
#include "chance.glsl"
#include "frame.glsl"

uniform isamplerBuffer bursts;

struct Burst {
    ivec3 block;
    int kind;   // BREAK: the whole block bursts. HIT: dust of one blow at a face. GRIND: dust during digging
    int face;   // of HIT: the face that dust comes from
    int age;    // milliseconds; of GRIND: of the frame's time
    int seed;
    int layer;  // texture layer of its particles
    int tint;
    int flags;
};

Burst burst_of(int row) {
    ivec4 a = texelFetch(bursts, row * 2);
    ivec4 b = texelFetch(bursts, row * 2 + 1);
    return Burst(a.xyz, a.w & 255, a.w >> 8, b.x, b.y, b.z, b.w & 255, b.w >> 8);
}

// One of several pseudo-random numbers of a particle, 0..1.
float part_of(Burst burst, int number, int which) {
    return chance(ivec3(burst.seed, number, which));
}
