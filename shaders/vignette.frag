// Drawn over the picture when the eye is in an opaque block: darkens the corners, without an edge. The middle two
// thirds stay as they are, since the world is seen there.
#include "frame.glsl"

in vec3 direction;
out vec4 colour;

const float BEGIN = 0.85;  // 1 is the middle of a border, 1.41 a corner
const float END = 1.42;
const float CORNER = 0.8;

void main() {
    vec2 place = vec2(
        dot(direction, ray_right.xyz) / dot(ray_right.xyz, ray_right.xyz),
        dot(direction, ray_up.xyz) / dot(ray_up.xyz, ray_up.xyz));
    colour = vec4(0.0, 0.0, 0.0, CORNER * smoothstep(BEGIN, END, length(place)));
}
