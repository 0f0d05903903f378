// The first block of each pixel's ray, by a march through the block-ID map; nothing is drawn. Layout of a SemanticTarget.
#include "blocks.glsl"

uniform float reach;  // in blocks
uniform int wanted;   // classes that end the ray

in vec3 direction;
in vec3 begin;

layout(location = 0) out ivec4 place;  // block x, y, z; face
layout(location = 1) out uvec4 shown;  // bits of the distance in blocks; dense id; 0; 1: the ray met a block

void main() {
    Ray ray;
    vec3 forward = normalize(direction);
    bool met = ray_from(begin, forward, ray) && march(ray, wanted | UNKNOWN, reach);
    place = met ? ivec4(eye_block.xyz + ray.block, ray.face) : ivec4(0, 0, 0, 6);
    shown = met ? uvec4(floatBitsToUint(ray.distance), ray.id & 0xffffu, 0u, 1u) : uvec4(0u);
}
