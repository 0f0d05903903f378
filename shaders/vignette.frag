// Over a picture whose eye is in an opaque block and looks through it: black but for a round hole in the middle, through
// which the world shows, darkened.
#include "frame.glsl"

in vec3 direction;
out vec4 colour;

const float MIDDLE = 0.35;
const float RIM = 0.99;

void main() {
    vec2 place = vec2(
        dot(direction, ray_right.xyz) / dot(ray_right.xyz, ray_right.xyz) * length(ray_right.xyz),
        dot(direction, ray_up.xyz) / dot(ray_up.xyz, ray_up.xyz) * length(ray_up.xyz));
    colour = vec4(0.0, 0.0, 0.0, mix(MIDDLE, RIM, smoothstep(0.55, 0.95, length(place) / length(ray_up.xyz))));
}
