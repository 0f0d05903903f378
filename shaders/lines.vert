// Lines in space: two triangles each, widened on the screen. Two texels a line, written by render/passes/overlay/lines.py.
#include "faces.glsl"
#include "frame.glsl"

uniform isamplerBuffer lines;
uniform vec2 picture;  // in pixels

out float along;   // in dashes, from the line's beginning, in space
noperspective out float across;  // in pixels from the middle of the line, on the screen
flat out float half_width;
flat out float dashed;
flat out vec4 tone;

const float NEARER = 0.0008;  // moves lines this part of the distance towards the eye, to show them on faces
const float SMOOTH_PX = 0.5;

void main() {
    ivec4 a = texelFetch(lines, gl_VertexID / 6 * 2);
    ivec4 b = texelFetch(lines, gl_VertexID / 6 * 2 + 1);
    ivec2 corner = corner_of_vertex(gl_VertexID);
    vec3 begin = nearer(intBitsToFloat(a.xyz), NEARER) - eye_fraction.xyz;
    vec3 end = nearer(intBitsToFloat(b.xyz), NEARER) - eye_fraction.xyz;
    uint bits = uint(a.w);
    tone = vec4(bits & 255u, bits >> 8 & 255u, bits >> 16 & 255u, bits >> 24) * (1.0 / 255.0);
    half_width = float(b.w & 0xffff) * (0.5 / float(FRACTION));
    float dash = float(b.w >> 16 & 0xffff) * (1.0 / float(FRACTION));
    dashed = dash > 0.0 ? 1.0 : 0.0;

    // Points before the near plane have no position on the screen.
    float near_plane = ray_right.w + 0.01 * abs(ray_right.w);
    float first = dot(begin, ray_forward.xyz);
    float last = dot(end, ray_forward.xyz);
    if (max(first, last) < near_plane) {
        gl_Position = NOT_DRAWN;
        return;
    }
    float from = first < near_plane ? (near_plane - first) / (last - first) : 0.0;
    float to = last < near_plane ? (near_plane - first) / (last - first) : 1.0;
    vec4 one = view_projection * vec4(mix(begin, end, from), 1.0);
    vec4 other = view_projection * vec4(mix(begin, end, to), 1.0);
    vec2 way = (other.xy / other.w - one.xy / one.w) * picture;
    float length_px = length(way);
    vec2 side = length_px > 1e-4 ? vec2(-way.y, way.x) / length_px : vec2(0.0, 1.0);

    vec4 at = corner.x == 0 ? one : other;
    float reach = (half_width + SMOOTH_PX) * (corner.y == 0 ? -1.0 : 1.0);
    at.xy += side * reach * 2.0 / picture * at.w;
    along = mix(from, to, float(corner.x)) * length(end - begin) / max(dash, 1e-4);
    across = reach;
    gl_Position = at;
}
