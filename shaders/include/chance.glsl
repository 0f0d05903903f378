// Pseudo-random numbers that are equal for equal positions on every driver: integer arithmetic only.

uint scramble(uint v) {
    v ^= v >> 16; v *= 0x7feb352du; v ^= v >> 15; v *= 0x846ca68bu; v ^= v >> 16;
    return v;
}

// 0 <= number < 1.
float chance(ivec3 cell) {
    uint v = scramble(uint(cell.x) + scramble(uint(cell.y) + scramble(uint(cell.z))));
    return float(v >> 8) * (1.0 / 16777216.0);
}
