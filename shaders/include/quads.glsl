// Quads of the arena: units of 8 bytes and the render cell of each page. render/mesh/vertex_format.py defines the fields.
#include "faces.glsl"
#include "frame.glsl"

uniform usamplerBuffer quads;
uniform isamplerBuffer pages;

// Lowest corner of the render cell that owns a unit, relative to eye_block.
vec3 cell_corner(int unit) {
    ivec3 cell = texelFetch(pages, unit >> 6).xyz;
    return vec3(cell * ivec3(CELL_WIDE, CELL_TALL, CELL_WIDE) - eye_block.xyz);
}

out float gl_ClipDistance[2];

const float IN_PLANE = 0.01;

// Clips what a cut hides, if clipping is on: a face in the plane belongs to the block on its back side.
void clip_cut(vec3 near, int face) {
    float up = face == 5 ? IN_PLANE : face == 4 ? -IN_PLANE : 0.0;
    gl_ClipDistance[0] = float(cut.y) - near.y + up;
    gl_ClipDistance[1] = near.y - float(cut.x) - up;
}

// Surfaces in one plane are drawn at slightly different depths, in parts of the distance, so that the result does not
// depend on rounding; the oracle does the same (tests/oracle/ray_kernels.py). From the front: surfaces of liquids,
// blocks in them, sides of liquids and of glass, back faces of boxes.
const float LIQUIDS_APART = 0.0002;
const float BACKS_BEHIND = 0.0004;

// A point of a liquid or of glass, moved along the line of sight: upward faces to the front, sides to the back.
vec3 in_its_turn(vec3 near, int face) {
    return nearer(near, face == 5 ? LIQUIDS_APART : -LIQUIDS_APART);
}
