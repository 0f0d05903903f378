// Over a picture whose eye is in an opaque block and looks through it: dark, darker towards the rim.
#include "frame.glsl"

in vec3 direction;
out vec4 colour;

const float MIDDLE = 0.45;
const float RIM = 0.96;

void main() {
    vec2 place = vec2(
        dot(direction, ray_right.xyz) / dot(ray_right.xyz, ray_right.xyz),
        dot(direction, ray_up.xyz) / dot(ray_up.xyz, ray_up.xyz));
    colour = vec4(0.0, 0.0, 0.0, mix(MIDDLE, RIM, smoothstep(0.15, 1.1, length(place))));
}
