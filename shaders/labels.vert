// Texts in space: a quad a character, of constant size on the screen; two texels each, render/passes/overlay/labels.py.
#include "frame.glsl"

uniform isamplerBuffer labels;
uniform vec2 picture;  // in pixels
uniform bool behind;  // for texts whose points are hidden

noperspective out vec2 texel;  // of the character's cell, from its lower left corner
flat out ivec2 glyph;
flat out vec3 tone;
flat out float share;  // factor of the opacity

const ivec2 CORNER[6] = ivec2[6](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1), ivec2(0, 0), ivec2(1, 1), ivec2(0, 1));

void main() {
    ivec4 at = texelFetch(labels, gl_VertexID / 6 * 2);
    ivec4 paint = texelFetch(labels, gl_VertexID / 6 * 2 + 1);
    vec2 corner = vec2(CORNER[gl_VertexID % 6]);
    vec3 near = intBitsToFloat(at.xyz) - eye_fraction.xyz;
    vec3 lifted = is_parallel() ? near - NEARER * PARALLEL_PART * ray_forward.xyz : near * (1.0 - NEARER);
    vec4 middle = view_projection * vec4(lifted, 1.0);
    float away = dot(near, ray_forward.xyz);
    uint bits = uint(paint.z);
    share = behind ? float(bits >> 24) / WHOLE_SHARE : 1.0;
    if (away < ray_right.w * 1.01 || share == 0.0) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    float column = float(at.w & 255);
    float columns = float(at.w >> 8 & 255);
    float row = float(at.w >> 16 & 255);
    float rows = float(at.w >> 24 & 255);
    float size = float(paint.w);
    // Whole pixels, so that each texel is a square of pixels at any position of the text.
    vec2 screen = floor((middle.xy / middle.w * 0.5 + 0.5) * picture + 0.5);
    vec2 first = floor(vec2(columns * -0.5 * CELL_WIDE, (rows * 0.5 - 1.0 - row) * CELL_TALL) * size);
    vec2 left = screen + first + vec2(column * CELL_WIDE, 0.0) * size;
    vec2 cell = vec2(CELL_WIDE, CELL_TALL);
    gl_Position = vec4(((left + corner * cell * size) / picture * 2.0 - 1.0) * middle.w, middle.z, middle.w);
    texel = corner * cell;
    glyph = paint.xy;
    tone = vec3(bits & 255u, bits >> 8 & 255u, bits >> 16 & 255u) * (1.0 / 255.0);
}
