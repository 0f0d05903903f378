// Numbers that look like chance and are the same for the same place, on every driver: integers alone.

uint scramble(uint v) {
    v ^= v >> 16; v *= 0x7feb352du; v ^= v >> 15; v *= 0x846ca68bu; v ^= v >> 16;
    return v;
}

// 0..1, below 1.
float chance(ivec3 cell) {
    uint v = scramble(uint(cell.x) + scramble(uint(cell.y) + scramble(uint(cell.z))));
    return float(v >> 8) * (1.0 / 16777216.0);
}
