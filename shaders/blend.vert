// Translucent quads of both formats, in any order: glass and level liquids, panes and sloping liquids. The vertex number
// encodes unit, format and corner.
#include "cube_quad.glsl"
#include "model_quad.glsl"

flat out int sloping;  // whether it is a model quad

void main() {
    int at = gl_VertexID >> 3;
    sloping = gl_VertexID >> 2 & 1;
    if (sloping == 0) {
        cube_corner(at, gl_VertexID & 3);
        own_block = lowest = highest = vec3(0);
        own_level = vec4(0);
    } else {
        model_corner(at, gl_VertexID & 3);
        first = last = ivec3(floor(own_block + 0.5));
    }
}
