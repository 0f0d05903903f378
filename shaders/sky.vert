// One triangle over the whole picture.
#include "frame.glsl"

out vec3 direction;

void main() {
    vec2 place = vec2(float((gl_VertexID & 1) * 4 - 1), float((gl_VertexID & 2) * 2 - 1));
    direction = ray_forward.xyz + place.x * ray_right.xyz + place.y * ray_up.xyz;
    gl_Position = vec4(place, 1.0, 1.0);
}
