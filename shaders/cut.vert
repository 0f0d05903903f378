// One of the two planes of a cut, over all that is loaded: two triangles.
#include "quads.glsl"

uniform int above;  // 1: the upper plane, seen from above; 0: the lower one, seen from below

out vec3 near_;

void main() {
    vec2 at = mix(loaded.xy, loaded.zw, vec2(corner_of_vertex(gl_VertexID)));
    near_ = vec3(at.x, float(above == 1 ? cut.y : cut.x), at.y);
    gl_Position = project(near_);
}
