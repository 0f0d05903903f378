// Boxes of any size, pulled from two texels each; render/passes/overlay/boxes.py packs them and documents the bits.
#include "faces.glsl"
#include "frame.glsl"

uniform isamplerBuffer boxes;

out vec2 place;         // in blocks, from the side's corner
flat out vec2 span;     // of the side, in blocks
flat out int hatch;
flat out int line;
flat out int ring;
flat out float fill;    // opacity of the side's ground colour
flat out float share;   // factor of all opacities
flat out vec4 tone;     // colour and opacity of the hatch

const float INSET = 0.35;  // of 16 blocks: outlines of neighbouring boxes lie side by side
const float OUTSET = 0.02;  // in blocks, for a box around blocks: lines inside opaque blocks would be hidden

void main() {
    ivec4 box = texelFetch(boxes, gl_VertexID / 36 * 2);
    ivec4 paint = texelFetch(boxes, gl_VertexID / 36 * 2 + 1);
    vec3 size = vec3(paint.y & 0xffff, paint.z & 0xffff, paint.y >> 16 & 0xffff);
    int face = gl_VertexID / 6 % 6;
    ivec2 st = corner_on_face(gl_VertexID, face);
    ivec3 axes = AXES[face];
    float inset = INSET * min(1.0, min(size.x, min(size.y, size.z)) / 16.0);
    if (max(size.x, size.z) < 2.0) inset = -OUTSET;
    vec3 corner = vec3(inset);
    corner[axes.x] += (size[axes.x] - 2.0 * inset) * float(st.x);
    corner[axes.y] += (size[axes.y] - 2.0 * inset) * float(st.y);
    corner[axes.z] += (size[axes.z] - 2.0 * inset) * float(face & 1);
    span = vec2(size[axes.x], size[axes.y]);
    place = vec2(st) * span;
    line = box.w & 255;
    hatch = box.w >> 8 & 255;
    fill = float(box.w >> 16 & 255) / 255.0;
    ring = box.w >> 24 & 1;
    uint bits = uint(paint.x);
    tone = vec4(bits & 255u, bits >> 8 & 255u, bits >> 16 & 255u, bits >> 24) * (1.0 / 255.0);
    share = float(paint.z >> 16 & 255) / 255.0;
    if ((box.w >> (25 + face) & 1) != 0) {  // this side is not painted
        line = LINE_NONE;
        hatch = HATCH_NONE;
        fill = 0.0;
    }
    gl_Position = project(vec3(box.xyz - eye_block.xyz) + corner);
}
