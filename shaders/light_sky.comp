// First stage of a light step, one group a changed column: marks the cells with full daylight from above, from the top
// down. Sets flags of seats that lose or gain some. Old full daylight is read from the light: only it has level 15.
#include "light_twin.glsl"

layout(local_size_x = 16, local_size_y = 16) in;  // z, x

uniform int sections;

bool dims(uint block) {
    return texelFetch(light_traits, int(block)).g >> 24 != 0u;
}

uint open_cells(int seat, int x, int z, inout bool open) {
    if (enters(seat, x, z)) open = true;
    if (!open) return 0u;
    uint entry = table_entry(block_table, twin_block_mask, position_of(seat));
    if (!is_brick(entry)) {
        open = !dims(entry);
        return open ? 0xffffu : 0u;
    }
    uint cells = 0u;
    for (int y = 15; y >= 0; y--) {
        if (dims(block_at(entry, ivec3(x, y, z)))) {
            open = false;
            break;
        }
        cells |= 1u << y;
    }
    return cells;
}

uint open_before(int seat, int x, int z) {
    uint held = seats[seat * 10 + 1];
    if (held != KEPT) return held >> 12 == 15u ? 0xffffu : 0u;
    uint cells = 0u;
    for (int y = 0; y < 16; y++) {
        cells |= (light_before(seat, ivec3(x, y, z)) >> 12 == 15u ? 1u : 0u) << y;
    }
    return cells;
}

shared uint packed_cells[256];

void main() {
    int x = int(gl_LocalInvocationID.y);
    int z = int(gl_LocalInvocationID.x);
    int first = int(gl_WorkGroupID.x) * tall;
    bool open = false;
    if (tall < sections) {  // the sub-chunk above is not part of the step: its light is unchanged and valid
        ivec3 above = position_of(first) + ivec3(0, tall, 0);
        open = light_at(table_entry(light_table, twin_light_mask, above), ivec3(x, 0, z)) >> 12 == 15u;
    }
    for (int seat = first + tall - 1; seat >= first; seat--) {
        uint now = open_cells(seat, x, z, open);
        packed_cells[x << 4 | z] = now;
        if (seats[seat * 10] != NO_BRICK) {
            uint then = open_before(seat, x, z);
            uint mode = ((then & ~now) != 0u ? LOST : 0u) | ((now & ~then) != 0u ? RAISE : 0u);
            if (mode != 0u) atomicOr(work[seat * 2], mode);
        }
        barrier();
        if ((z & 1) == 0) {
            sky[seat * 128 + (x << 3 | z >> 1)] = packed_cells[x << 4 | z] | packed_cells[x << 4 | z + 1] << 16;
        }
        barrier();
    }
}
