// Quads of the arena: units of 8 bytes and the render cell of each page. Fields are defines made by render/mesh/quads.py.
#include "frame.glsl"

uniform usamplerBuffer quads;
uniform isamplerBuffer pages;

const vec3 NORMALS[7] = vec3[7](
    vec3(-1, 0, 0), vec3(1, 0, 0), vec3(0, 0, -1), vec3(0, 0, 1), vec3(0, -1, 0), vec3(0, 1, 0), vec3(0, 1, 0));

// Lowest corner of the render cell that owns a unit, relative to eye_block.
vec3 cell_corner(int unit) {
    ivec3 cell = texelFetch(pages, unit >> 6).xyz;
    return vec3(cell * ivec3(16, 32, 16) - eye_block.xyz);
}

vec4 project(vec3 near) {
    return view_projection * vec4(near - eye_fraction.xyz, 1.0);
}

// The corner's place in the order (0,0) (1,0) (1,1) (0,1).
ivec2 corner_of(int number) {
    return ivec2((number ^ (number >> 1)) & 1, number >> 1);
}
