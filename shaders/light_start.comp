// Second stage of a light step, one group a seat: bricks start with the light they have without their neighbours, or
// with the maximum of that and their old light; new bricks that are included only because light may reach them are kept.
#include "light_twin.glsl"

layout(local_size_x = 16, local_size_y = 16) in;  // z, x

uniform int changed_columns;  // the first so many have their daylight in `sky`, the others keep their own

shared uint mode;

uint own_light(uint block, bool under_sky, bool entered) {
    uvec2 traits = texelFetch(light_traits, int(block)).rg;
    uint own = traits.g & 0x000f0f0fu;
    if (under_sky) return own | FULL_DAYLIGHT;
    return entered ? own | less(FULL_DAYLIGHT, traits.r & 0xff000000u) : own;
}

void main() {
    int seat = int(gl_WorkGroupID.x);
    int x = int(gl_LocalInvocationID.y);
    int z = int(gl_LocalInvocationID.x);
    uint brick = seats[seat * 10];
    uint held = seats[seat * 10 + 1];
    if (brick == NO_BRICK) {
        if (x + z == 0) flags[seat] = UNTOUCHED;
        return;
    }
    int thread = x << 4 | z;
    if (thread == 0) mode = work[seat * 2] & (RAISE | RESET);
    barrier();
    if (thread < 27) {
        int near = seat_beside(seat, ivec3(thread / 9, thread / 3 % 3, thread % 3) - 1);
        if (near >= 0 && (work[near * 2] & LOST) != 0u) atomicOr(mode, RESET);
    }
    barrier();
    uint entry = table_entry(block_table, twin_block_mask, position_of(seat));
    bool known = seat < changed_columns * tall;
    uint open = known && mode != 0u ? sky[seat * 128 + (x << 3 | z >> 1)] >> ((z & 1) * 16) : 0u;
    bool entered = enters(seat, x, z);
    for (int y = 0; y < 16; y++) {
        ivec3 cell = ivec3(x, y, z);
        uint value = light_before(seat, cell);
        if (mode != 0u) {
            bool under_sky = known ? (open >> y & 1u) != 0u : value >> 12 == 15u;
            uint own = own_light(block_at(entry, cell), under_sky, entered && y == 15);
            value = from_lanes((mode & RESET) != 0u ? own : highest(own, to_lanes(value)));
        }
        if (mode != 0u || held != KEPT) imageStore(light_bricks, texel_in(brick, cell), uvec4(value));
    }
    if (thread == 0) {
        flags[seat] = held == KEPT ? UNTOUCHED : held;
        if (mode != 0u) {
            work[seat * 2 + 1] = 1u;
            waiting[atomicAdd(turns[0], 1u)] = uint(seat);
        }
    }
}
