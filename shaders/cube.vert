// Cube quads only.
#include "cube_quad.glsl"

void main() {
    cube_corner(gl_VertexID >> 2, gl_VertexID & 3);
}
