// Drawn over the picture when the eye is in an opaque block: dark towards the corners, without an edge, so that
// the world is visible in the middle.
#include "frame.glsl"

in vec3 direction;
out vec4 colour;

const float MIDDLE = 0.10;
const float CORNER = 0.94;

void main() {
    vec2 place = vec2(
        dot(direction, ray_right.xyz) / dot(ray_right.xyz, ray_right.xyz),
        dot(direction, ray_up.xyz) / dot(ray_up.xyz, ray_up.xyz));
    colour = vec4(0.0, 0.0, 0.0, mix(MIDDLE, CORNER, smoothstep(0.25, 1.3, length(place))));
}
