// Darkens what of the picture lies in a block along the borders of cells on its faces: cracks on any shape.
#include "chance.glsl"
#include "frame.glsl"

uniform sampler2D depth;  // of what is solid

flat in ivec3 block;
flat in ivec3 seed;
flat in int tenths;

out vec4 colour;

const float HAIR = 0.004;  // of what is still the block's surface
const int CELLS = 3;  // along each side

// The middle of one of the cells of a face; they repeat from block to block, so that cracks end at no border.
vec2 middle_of(ivec2 cell, int face) {
    ivec3 own = ivec3((cell + CELLS) % CELLS, face) + seed * CELLS;
    return vec2(cell) + 0.5 + 0.9 * (vec2(chance(own), chance(own + 977)) - 0.5);
}

// What is solid behind this pixel, relative to eye_block.
vec3 surface() {
    vec2 size = vec2(textureSize(depth, 0));
    vec2 place = gl_FragCoord.xy / size * 2.0 - 1.0;
    vec3 ray = ray_forward.xyz + place.x * ray_right.xyz + place.y * ray_up.xyz;
    float stored = texelFetch(depth, ivec2(gl_FragCoord.xy), 0).r;
    float near_plane = ray_right.w, far_plane = ray_forward.w;
    return eye_fraction.xyz + ray * (near_plane * far_plane / (far_plane - stored * (far_plane - near_plane)));
}

// The axis that a surface looks along: sides of models lie in planes of whole sixteenths.
int axis_of(vec3 inside) {
    vec3 off = abs(fract(inside * 16.0 + 0.5) - 0.5);
    return off.y <= off.x && off.y <= off.z ? 1 : off.x <= off.z ? 0 : 2;
}

void main() {
    vec3 inside = surface() - vec3(block);
    if (any(lessThan(inside, vec3(-HAIR))) || any(greaterThan(inside, vec3(1.0 + HAIR)))) discard;
    int axis = axis_of(inside);
    vec2 across = axis == 0 ? inside.zy : axis == 1 ? inside.xz : inside.xy;
    vec2 at = (floor(clamp(across, 0.0, 0.9999) * 16.0) + 0.5) * (float(CELLS) / 16.0);
    ivec2 here = ivec2(floor(at));
    float first = 9.0, second = 9.0;
    ivec2 whose = here, other = here;
    for (int number = 0; number < 9; number++) {
        ivec2 cell = here + ivec2(number % 3, number / 3) - 1;
        float away = distance(at, middle_of(cell, axis));
        if (away < first) {
            second = first;
            other = whose;
            first = away;
            whose = cell;
        } else if (away < second) {
            second = away;
            other = cell;
        }
    }
    float broken = float(tenths + 1) * 0.1;
    float strength = chance(ivec3(whose + other, axis) + seed * 7);
    if (second - first > 0.15 + 0.09 * broken || strength > 0.12 + broken) discard;
    colour = vec4(0.03, 0.025, 0.02, 0.40 + 0.35 * broken);
}
