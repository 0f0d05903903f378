// Droplets, as bright as the drops.
#include "sky.glsl"

in vec3 near_;

out vec4 colour;

void main() {
    vec3 offset = near_ - eye_fraction.xyz;
    float away = length(offset);
    vec4 level = brightness(light_of(eye_block.xyz + ivec3(floor(near_))));
    vec3 light = level.a * daylight.rgb * 1.1 + soft_lamps(level.rgb, away) + vec3(0.02);
    float reach = 1.0 - smoothstep(0.6 * SPLASH_REACH_BLOCKS, SPLASH_REACH_BLOCKS, length(offset.xz));
    float cover = 0.32 * weather.x * reach * smoothstep(1.0, 3.0, away);
    colour = vec4(graded(min(vec3(0.72, 0.79, 0.92) * light, vec3(1.0))), cover);
}
