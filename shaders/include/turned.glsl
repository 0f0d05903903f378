// Position of a fragment of a cube quad in its tile. Tiles that may turn (FLAG_ROTATES) are mirrored by their block's
// position in the world, on horizontal faces also rotated, so that patterns do not repeat from block to block; quads stay
// merged. The oracle does the same (tests/oracle/ray_kernels.py).

// 0..7: 1 mirrors across, 2 mirrors up and down, 4 swaps the axes. Repeats every 64 blocks, so that precision far out
// is that at the origin.
int turn_of(ivec3 at) {
    ivec3 block = at & 63;
    uint v = uint(block.x) * 0x9e3779b1u + uint(block.y) * 0x85ebca77u + uint(block.z) * 0xc2b2ae3du;
    v = (v ^ v >> 15) * 0x7feb352du;
    return int(v >> 29);
}

// 0..1 each, from the tile's upper left corner. Computed from the block, not from uv: the hair moves uv to the opposite
// side of the texture.
//   block: relative to eye_block
vec2 place_in_tile(vec3 near, ivec3 block, int face, int flags) {
    vec3 inside = clamp(near - vec3(block), 1.0 / 1024.0, 1.0 - 1.0 / 1024.0);
    vec2 at = face < 4 ? vec2(face < 2 ? inside.z : inside.x, 1.0 - inside.y) : inside.xz;
    if ((NEGATIVE_U_FACES >> face & 1) == 1) at.x = 1.0 - at.x;
    if ((flags & FLAG_ROTATES) == 0) return at;
    int turn = turn_of(eye_block.xyz + block);
    if (face >= 4 && (turn & 4) != 0) at = at.yx;
    return mix(at, 1.0 - at, bvec2(turn & 1, turn & 2));
}
