// Model quads only.
#include "model_quad.glsl"

void main() {
    model_corner(gl_VertexID >> 2, gl_VertexID & 3);
}
