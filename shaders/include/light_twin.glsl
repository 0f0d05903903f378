// Shared code of the three stages of GPU lighting (render/gpu/light_compute.py describes them and their order).
// A step's seats are the sub-chunks of a stack of columns: seat = column * tall + section, the lowest section first.
#include "bricks.glsl"

layout(std430, binding = 0) readonly buffer Columns { int columns[]; };  // 11 each: x, z, the 9 columns around or -1
layout(std430, binding = 1) readonly buffer Seats { uint seats[]; };     // 10 each: brick, its old entry, 16 x 16 entries
layout(std430, binding = 2) buffer Work { uint work[]; };                // 2 each: mode, the last pass it is queued for
layout(std430, binding = 3) buffer Sky { uint sky[]; };                  // 128 each: 16 bits by x << 4 | z, two a word
layout(std430, binding = 4) buffer Waiting { uint waiting[]; };          // queued seats of even passes, of odd passes
layout(std430, binding = 5) buffer Turns { uint turns[]; };              // 3 each: work groups of each pass
layout(std430, binding = 6) buffer Flags { uint flags[]; };              // the one value of a brick, MIXED or UNTOUCHED

layout(r16ui, binding = 0) uniform uimage3D light_bricks;
uniform usampler3D light_table;
uniform usampler3D block_atlas;
uniform usampler3D block_table;
uniform usamplerBuffer light_traits;  // by dense id: steps of R, B, G, D; emission of R, B, G, then 1 where D is dimmed

uniform ivec3 twin_light_mask;
uniform ivec3 twin_block_mask;
uniform int tall;
uniform int floor_section;

const uint NO_BRICK = 0xffffffffu;
const uint KEPT = 0xffffffffu;  // old entry of a seat: its own brick
const uint UNTOUCHED = 0xffffffffu;
const uint MIXED = 0xfffffffeu;

const uint RAISE = 1u;  // its own light may have grown
const uint LOST = 2u;   // it may have lost light: everything within one sub-chunk is computed anew
const uint RESET = 4u;  // it is computed anew

const uint GUARD = 0x80808080u;
const uint ONE = 0x01010101u;
const uint FULL_DAYLIGHT = 0x0f000000u;

// Four levels in four bytes, R, B, G, D from the low end: a few plain instructions process all of them.
uint to_lanes(uint value) {
    return (value & 0x0f0fu) | ((value & 0xf0f0u) << 12);
}

uint from_lanes(uint lanes) {
    return (lanes & 0x0f0fu) | ((lanes >> 12) & 0xf0f0u);
}

// max(a - b, 0) of each byte.
uint less(uint a, uint b) {
    uint t = (a | GUARD) - b;
    uint m = t & GUARD;
    return t & (m - (m >> 7));
}

uint highest(uint a, uint b) {
    return a + less(b, a);
}

ivec3 position_of(int seat) {
    int column = seat / tall;
    return ivec3(columns[column * 11], floor_section + seat % tall, columns[column * 11 + 1]);
}

// The seat at an offset of columns and sections; -1 if it is not part of the step.
int seat_beside(int seat, ivec3 way) {
    int column = columns[seat / tall * 11 + 2 + (way.x + 1) * 3 + way.z + 1];
    int section = seat % tall + way.y;
    return column < 0 || section < 0 || section >= tall ? -1 : column * tall + section;
}

bool enters(int seat, int x, int z) {
    return (seats[seat * 10 + 2 + (x >> 1)] >> ((x & 1) * 16 + z) & 1u) != 0u;
}

uint block_at(uint entry, ivec3 cell) {
    return is_brick(entry) ? texelFetch(block_atlas, texel_in(entry, cell), 0).r : entry;
}

uint light_at(uint entry, ivec3 cell) {
    return is_brick(entry) ? imageLoad(light_bricks, texel_in(entry, cell)).r : entry;
}

// The old light of a seat, before its stage `light_start` has run.
uint light_before(int seat, ivec3 cell) {
    uint held = seats[seat * 10 + 1];
    return held == KEPT ? imageLoad(light_bricks, texel_in(seats[seat * 10], cell)).r : held;
}
