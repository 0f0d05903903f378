// Cracks on a block: the borders of cells on its faces, more and wider with the progress of breaking. The pattern
// continues over neighbouring blocks, so that cracks do not end at borders.
#include "chance.glsl"

const int CELLS = 3;  // along each side

// The centre of one of the cells of a face.
vec2 middle_of(ivec2 cell, int axis, ivec3 seed) {
    ivec3 own = ivec3((cell + CELLS) % CELLS, axis) + seed * CELLS;
    return vec2(cell) + 0.5 + 0.9 * (vec2(chance(own), chance(own + 977)) - 0.5);
}

// Colour and alpha of the cracks at a point of a surface; alpha 0 between cracks.
//   inside: the point, 0..1 in its block; axis: of the surface's normal; seed: the block, each in 0..63
vec4 crack_at(vec3 inside, int axis, ivec3 seed, int tenths) {
    vec2 across = axis == 0 ? inside.zy : axis == 1 ? inside.xz : inside.xy;
    vec2 at = (floor(clamp(across, 0.0, 0.9999) * 16.0) + 0.5) * (float(CELLS) / 16.0);
    ivec2 here = ivec2(floor(at));
    float first = 9.0, second = 9.0;
    ivec2 whose = here, other = here;
    for (int number = 0; number < 9; number++) {
        ivec2 cell = here + ivec2(number % 3, number / 3) - 1;
        float away = distance(at, middle_of(cell, axis, seed));
        if (away < first) {
            second = first;
            other = whose;
            first = away;
            whose = cell;
        } else if (away < second) {
            second = away;
            other = cell;
        }
    }
    float broken = float(tenths + 1) * 0.1;
    float strength = chance(ivec3(whose + other, axis) + seed * 7);
    bool cracked = second - first <= 0.15 + 0.09 * broken && strength <= 0.12 + broken;
    return vec4(0.03, 0.025, 0.02, cracked ? 0.40 + 0.35 * broken : 0.0);
}
