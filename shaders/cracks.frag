// Darkens the pixels of a block along its cracks, on any shape that wrote depth.
#include "cracks.glsl"
#include "frame.glsl"

uniform sampler2D depth;  // of solid geometry

flat in ivec3 block;
flat in ivec3 seed;
flat in int tenths;

out vec4 colour;

const float HAIR = 0.004;  // tolerance: still the block's surface

// The solid point behind this pixel, relative to eye_block.
vec3 surface() {
    vec2 size = vec2(textureSize(depth, 0));
    vec2 place = gl_FragCoord.xy / size * 2.0 - 1.0;
    float away = depth_of(texelFetch(depth, ivec2(gl_FragCoord.xy), 0).r);
    return ray_begin(place) + ray_way(place) * (is_parallel() ? away - ray_right.w : away);
}

// The axis of a surface's normal: sides of models lie in planes of whole sixteenths.
int axis_of(vec3 inside) {
    vec3 off = abs(fract(inside * 16.0 + 0.5) - 0.5);
    return off.y <= off.x && off.y <= off.z ? 1 : off.x <= off.z ? 0 : 2;
}

void main() {
    vec3 inside = surface() - vec3(block);
    if (any(lessThan(inside, vec3(-HAIR))) || any(greaterThan(inside, vec3(1.0 + HAIR)))) discard;
    colour = crack_at(inside, axis_of(inside), seed, tenths);
    if (colour.a == 0.0) discard;
}
