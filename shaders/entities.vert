// Entities: one or two boxes each, of which the sides towards the eye are drawn, one along each axis; four texels a
// row, then the faces of blocks that they carry; render/passes/entities.py packs them. ``sighted``: the visible rows.
#include "faces.glsl"
#include "light.glsl"
#ifndef SEMANTIC
#include "blocks.glsl"
#endif

uniform isamplerBuffer entities;
uniform isamplerBuffer sighted;
// Per draw call: the first index in ``sighted``; boxes a row (a body, and a head or a block on it); the time in
// microseconds since the zero of the rows' times.
uniform ivec3 call;

out vec3 near_;
out vec2 place;           // 0..1 each way on the side
flat out vec2 span;       // of the side, in blocks
flat out vec3 normal;
flat out vec3 tone;
flat out vec4 level;      // light of the cell that holds the entity's middle
flat out ivec3 own_block; // that cell, relative to eye_block
flat out ivec2 texture_of; // words of a block's face; 0, 0 for a plain colour
flat out int pattern;     // EYES, FRAME or 0
flat out int face;
flat out uint row;        // the entity's number
out float gl_ClipDistance[2];  // cut as terrain is

const float FAR = 1e6;
const float TURN = 6.283185307179586 / 65536.0;  // an angle's unit

// The lower or upper half of a word, signed.
int half_of(int word, int shift) {
    return word << (16 - shift) >> 16;
}

// Interpolates two angles the shorter way round.
float angle_between(int before, int after, float part) {
    int turn = (after - before) << 16 >> 16;
    return (float(before) + float(turn) * part) * TURN;
}

// Light of a block of the world. An entity may arrive before its terrain and would be black: where the column is unknown
// or not lit yet, it has the daylight of the surface.
vec4 light_or_daylight(ivec3 block) {
    vec4 found = light_of(block);
#ifndef SEMANTIC
    bool unlit = light_of(ivec3(block.x, bounds.y - 1, block.z)).a == 0.0;
    if (found == vec4(0.0) && (unlit || class_of(block_at(block)) == PLACEHOLDERS)) return unpack_light(uint(bounds.z));
#endif
    return found;
}

void main() {
    int vertex = gl_VertexID % (BOX_VERTICES * call.y);
    int first = texelFetch(sighted, call.x + gl_VertexID / (BOX_VERTICES * call.y)).r * ROW_TEXELS;
    ivec4 at = texelFetch(entities, first);
    ivec4 inside = texelFetch(entities, first + 1);
    ivec4 back = texelFetch(entities, first + 2);
    ivec4 form = texelFetch(entities, first + 3);
    float part = clamp(float(call.z - at.w) * (1.0 / float(MOVE_US)), 0.0, 1.0);
    vec3 feet = vec3(at.xyz - eye_block.xyz) + intBitsToFloat(inside.xyz) + intBitsToFloat(back.xyz) * (1.0 - part);
    vec2 size = intBitsToFloat(form.xy);
    int shape = form.z >> 24 & (EDGES_BIT - 1);
    bool edges = (form.z >> 24 & EDGES_BIT) != 0;
    row = uint(inside.w);
    tone = vec3(form.z & 255, form.z >> 8 & 255, form.z >> 16 & 255) * (1.0 / 255.0);

    vec3 low = vec3(-0.5 * size.x, 0.0, -0.5 * size.x);
    vec3 high = vec3(0.5 * size.x, size.y, 0.5 * size.x);
    vec3 origin = feet;
    vec3 right = vec3(1, 0, 0), up = vec3(0, 1, 0), ahead = vec3(0, 0, 1);
    bool second = vertex >= BOX_VERTICES;
    bool carried = shape == SHAPE_BLOCK || (shape == SHAPE_CARRIER && second);
    pattern = 0;
    if (shape == SHAPE_PAINTING || (shape == SHAPE_HEADED && second)) {
        float pitch = shape == SHAPE_HEADED ? angle_between(half_of(back.w, 0), half_of(form.w, 0), part) : 0.0;
        float yaw = angle_between(half_of(back.w, 16), half_of(form.w, 16), part);
        right = vec3(cos(yaw), 0.0, sin(yaw));
        ahead = vec3(-sin(yaw) * cos(pitch), -sin(pitch), cos(yaw) * cos(pitch));
        up = cross(ahead, right);
    }
    if (shape == SHAPE_PAINTING) {
        low = vec3(-0.5 * size, -0.5 * THICK);
        high = vec3(0.5 * size, 0.5 * THICK);
        pattern = FRAME;
    } else if (shape == SHAPE_HEADED && second) {
        float tall = min(HEAD_TALL * size.y, HEAD_TALLEST * size.x);
        low = vec3(-0.5 * HEAD_WIDE * size.x, -0.5 * tall, 0.0);
        high = vec3(0.5 * HEAD_WIDE * size.x, 0.5 * tall, HEAD_LONG * size.x);
        origin.y += EYE_HEIGHT * size.y;
        tone = mix(tone, vec3(1.0), 0.25);
        pattern = EYES;
    } else if (shape == SHAPE_CARRIER && second) {
        float side = LOAD * size.x;
        low = vec3(-0.5 * side, 0.0, -0.5 * side);
        high = vec3(0.5 * side, side, 0.5 * side);
        origin.y += size.y;
    }

    int axis = vertex / 6 % 3;
    vec3 way = axis == 0 ? right : axis == 1 ? ahead : up;
    float eye = is_parallel() ? -FAR * dot(ray_forward.xyz, way) : dot(eye_fraction.xyz - origin, way);
    int along = AXES[axis * 2].z;
    face = axis * 2 + int(eye > high[along]);
    gl_ClipDistance[0] = gl_ClipDistance[1] = 0.0;
    if (eye >= low[along] && eye <= high[along]) {  // neither side faces the eye
        gl_Position = NOT_DRAWN;
        return;
    }
    ivec2 st = corner_on_face(vertex, face);
    ivec3 axes = AXES[face];
    vec3 corner, normal_;
    corner[axes.x] = st.x == 0 ? low[axes.x] : high[axes.x];
    corner[axes.y] = st.y == 0 ? low[axes.y] : high[axes.y];
    corner[axes.z] = (face & 1) == 0 ? low[axes.z] : high[axes.z];
    normal_ = vec3(0.0);
    normal_[axes.z] = (face & 1) == 0 ? -1.0 : 1.0;
    near_ = origin + corner.x * right + corner.y * up + corner.z * ahead;
    gl_ClipDistance[0] = float(cut.y) - near_.y;
    gl_ClipDistance[1] = near_.y - float(cut.x);
    normal = normal_.x * right + normal_.y * up + normal_.z * ahead;
    place = vec2(st);
    span = vec2(high[axes.x] - low[axes.x], high[axes.y] - low[axes.y]);
    if (pattern == EYES && face != 3) pattern = 0;
    if (edges) pattern = EDGES;
    texture_of = ivec2(0);
    if (carried && !edges) {
        ivec4 pair = texelFetch(entities, form.w + face / 2);
        texture_of = (face & 1) == 0 ? pair.xy : pair.zw;
    }
    float middle = shape == SHAPE_PAINTING ? 0.0 : 0.5 * size.y;
    own_block = ivec3(floor(feet + vec3(0.0, middle, 0.0)));
    level = light_or_daylight(eye_block.xyz + own_block);
    gl_Position = project(near_);
}
