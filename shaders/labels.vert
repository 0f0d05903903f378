// Texts in space: a quad a character, of constant size on the screen; two texels each, render/passes/overlay/labels.py.
#include "faces.glsl"
#include "frame.glsl"

uniform isamplerBuffer labels;
uniform vec2 picture;  // in pixels
uniform bool behind;  // for texts whose points are hidden

noperspective out vec2 texel;  // of the character, from its lower left corner
flat out ivec2 glyph;
flat out vec3 tone;
flat out float share;  // factor of the opacity


void main() {
    ivec4 at = texelFetch(labels, gl_VertexID / 6 * 2);
    ivec4 paint = texelFetch(labels, gl_VertexID / 6 * 2 + 1);
    vec2 corner = vec2(corner_of_vertex(gl_VertexID));
    vec3 near = intBitsToFloat(at.xyz) - eye_fraction.xyz;
    vec3 lifted = is_parallel() ? near - NEARER * PARALLEL_PART * ray_forward.xyz : near * (1.0 - NEARER);
    vec4 middle = view_projection * vec4(lifted, 1.0);
    float away = dot(near, ray_forward.xyz);
    uint bits = uint(paint.z);
    share = behind ? float(bits >> 24) / WHOLE_SHARE : 1.0;
    if (away < ray_right.w * 1.01 || share == 0.0) {
        gl_Position = NOT_DRAWN;
        return;
    }
    float column = float(at.w & 255);
    float columns = float(at.w >> 8 & 255);
    float row = float(at.w >> 16 & 255);
    float rows = float(at.w >> 24 & 255);
    float size = float(paint.w);
    // Whole pixels, so that each texel is a square of pixels at any position of the text.
    vec2 screen = floor((middle.xy / middle.w * 0.5 + 0.5) * picture + 0.5);
    vec2 first = floor(vec2(columns * -0.5 * CHARACTER_WIDE, (rows * 0.5 - 1.0 - row) * CHARACTER_TALL) * size);
    vec2 left = screen + first + vec2(column * CHARACTER_WIDE, 0.0) * size;
    vec2 whole = vec2(CHARACTER_WIDE, CHARACTER_TALL);
    gl_Position = vec4(((left + corner * whole * size) / picture * 2.0 - 1.0) * middle.w, middle.z, middle.w);
    texel = corner * whole;
    glyph = paint.xy;
    tone = vec3(bits & 255u, bits >> 8 & 255u, bits >> 16 & 255u) * (1.0 / 255.0);
}
