// One triangle that covers the whole picture.
#include "frame.glsl"

out vec3 direction;
out vec3 begin;

void main() {
    vec2 place = vec2(float((gl_VertexID & 1) * 4 - 1), float((gl_VertexID & 2) * 2 - 1));
    direction = ray_way(place);
    begin = ray_begin(place);
    gl_Position = vec4(place, 1.0, 1.0);
}
