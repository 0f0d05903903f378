// Where a fragment of a cube quad lies in its tile. Tiles that may be turned (FLAG_ROTATES) are mirrored by their block's
// place in the world, on level faces rotated as well, so that no pattern repeats from block to block; merged quads stay
// merged. The oracle counts the same (tests/oracle/ray_kernels.py).

// 0..7: 1 mirrors across, 2 mirrors up and down, 4 changes both axes. The same again every 64 blocks, so that a place far
// away looks like one close by.
int turn_of(ivec3 at) {
    ivec3 block = at & 63;
    uint v = uint(block.x) * 0x9e3779b1u + uint(block.y) * 0x85ebca77u + uint(block.z) * 0xc2b2ae3du;
    v = (v ^ v >> 15) * 0x7feb352du;
    return int(v >> 29);
}

// 0..1 each, from the tile's upper left corner. From the block and not from uv, which the hair that quads stick out by
// carries to the far side of the picture.
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
