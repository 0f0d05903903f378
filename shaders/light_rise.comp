// Third stage of a light step, one group a waiting seat, in passes: light spreads in a brick until no cell rises any
// more, given the neighbours' present light; neighbours that it may raise are queued for the next pass.
//
// A thread holds a column of 16 cells in registers, so light goes up and down in one sweep; sideways it goes one cell
// a sweep, through shared memory. The neighbours' groups may write meanwhile. Values read from them never exceed the
// final light, and each brick that rises queues its neighbours, so the result is the same.
#include "faces.glsl"
#include "light_twin.glsl"

layout(local_size_x = 16, local_size_y = 16) in;  // z, x

uniform int pass_number;  // from 0
uniform int seat_count;

const int LAYER = 18 * 18;
const int MOST_SWEEPS = 16;  // light goes 14 cells at most; one more sweep confirms the end

shared uint cells[16 * LAYER];  // a brick and its neighbours' nearest cells in x and z: (x + 1) * 18 + z + 1 of layer y
shared uint risen[2];
shared uint reached;  // faces over which a neighbour may rise
shared uint ones;
shared uint zeros;

uint entry_beside(int seat, int face) {
    return table_entry(light_table, twin_light_mask, position_of(seat) + ivec3(NORMALS[face]));
}

bool raises(uint level, uint other) {
    return less(less(level, ONE), other) != 0u;
}

void main() {
    int seat = int(waiting[(pass_number & 1) * seat_count + int(gl_WorkGroupID.x)]);
    int x = int(gl_LocalInvocationID.y);
    int z = int(gl_LocalInvocationID.x);
    int thread = x << 4 | z;
    int home = (x + 1) * 18 + z + 1;
    uint brick = seats[seat * 10];
    if (thread == 0) {
        risen[0] = risen[1] = reached = ones = 0u;
        zeros = 0xffffu;
    }
    uint level[16];
    uint step_down[16];
    uint blocks = table_entry(block_table, twin_block_mask, position_of(seat));
    for (int y = 0; y < 16; y++) {
        ivec3 cell = ivec3(x, y, z);
        level[y] = to_lanes(imageLoad(light_bricks, texel_in(brick, cell)).r);
        cells[y * LAYER + home] = level[y];
        step_down[y] = texelFetch(light_traits, int(block_at(blocks, cell))).r;
    }
    // For sideways neighbours a thread is (y, x or z).
    uint near = entry_beside(seat, 0);
    cells[x * LAYER + z + 1] = to_lanes(light_at(near, ivec3(15, x, z)));
    near = entry_beside(seat, 1);
    cells[x * LAYER + 17 * 18 + z + 1] = to_lanes(light_at(near, ivec3(0, x, z)));
    near = entry_beside(seat, 2);
    cells[x * LAYER + (z + 1) * 18] = to_lanes(light_at(near, ivec3(z, x, 15)));
    near = entry_beside(seat, 3);
    cells[x * LAYER + (z + 1) * 18 + 17] = to_lanes(light_at(near, ivec3(z, x, 0)));
    uint below = to_lanes(light_at(entry_beside(seat, 4), ivec3(x, 15, z)));
    uint above = to_lanes(light_at(entry_beside(seat, 5), ivec3(x, 0, z)));
    barrier();

    bool rose = false;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        bool rising = false;
        uint next = below;
        for (int y = 0; y < 16; y++) {
            int at = y * LAYER + home;
            uint best = highest(highest(cells[at - 18], cells[at + 18]), highest(cells[at - 1], cells[at + 1]));
            uint now = highest(level[y], less(highest(best, next), step_down[y]));
            rising = rising || now != level[y];
            next = level[y] = now;
        }
        next = above;
        for (int y = 15; y >= 0; y--) {
            uint now = highest(level[y], less(next, step_down[y]));
            rising = rising || now != level[y];
            next = level[y] = now;
        }
        barrier();
        if (rising) {
            rose = true;
            risen[sweep & 1] = 1u;
            for (int y = 0; y < 16; y++) cells[y * LAYER + home] = level[y];
        }
        barrier();
        if (risen[sweep & 1] == 0u) break;
        if (thread == 0) {
            risen[sweep + 1 & 1] = 0u;
            reached = 1u << 6;
        }
    }

    if (rose) {
        for (int y = 0; y < 16; y++) {
            imageStore(light_bricks, texel_in(brick, ivec3(x, y, z)), uvec4(from_lanes(level[y])));
        }
    }
    uint any = 0u;
    uint all = 0xffffu;
    bool sideways[4] = bool[4](false, false, false, false);
    for (int y = 0; y < 16; y++) {
        int row = y * LAYER;
        uint value = from_lanes(level[y]);
        any |= value;
        all &= value;
        sideways[0] = sideways[0] || x == 0 && raises(level[y], cells[row + z + 1]);
        sideways[1] = sideways[1] || x == 15 && raises(level[y], cells[row + 17 * 18 + z + 1]);
        sideways[2] = sideways[2] || z == 0 && raises(level[y], cells[row + (x + 1) * 18]);
        sideways[3] = sideways[3] || z == 15 && raises(level[y], cells[row + (x + 1) * 18 + 17]);
    }
    uint faces = (raises(level[0], below) ? 16u : 0u) | (raises(level[15], above) ? 32u : 0u);
    for (int face = 0; face < 4; face++) faces |= sideways[face] ? 1u << face : 0u;
    atomicOr(ones, any);
    atomicAnd(zeros, all);
    if (faces != 0u) atomicOr(reached, faces);
    barrier();
    if (thread == 0) flags[seat] = ones == zeros ? ones : MIXED;
    // In pass 0 neighbours do not know this brick's initial light; later only cells that rose are new to them.
    bool news = pass_number == 0 || (reached >> 6) != 0u;
    if (thread < 6 && news && (reached >> thread & 1u) != 0u) {
        int other = seat_beside(seat, ivec3(NORMALS[thread]));
        uint turn = uint(pass_number) + 2u;
        if (other >= 0 && seats[other * 10] != NO_BRICK && atomicExchange(work[other * 2 + 1], turn) != turn) {
            uint at = atomicAdd(turns[(pass_number + 1) * 3], 1u);
            waiting[(pass_number + 1 & 1) * seat_count + int(at)] = uint(other);
        }
    }
}
