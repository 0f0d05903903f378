// Cube quads: one unit each, any number of equal faces merged.
#include "quads.glsl"
#include "quad_facts.glsl"

// The first and last block of the quad, relative to eye_block; fragments clamp to them.
flat out ivec3 first;
flat out ivec3 last;

#define CUBE_FIELD(NAME) (int(unit[NAME##_WORD] >> NAME##_SHIFT & uint(NAME##_MASK)) + NAME##_BIAS)

// Corners are moved outwards by a hair, which closes pinholes between merged faces of unlike size. Drivers snap them to
// a 256th of a pixel: the hair is that wide at the corner's distance, and a little wider close to the eye.
const float NEAR_OVERLAP = 0.0001;
const float PIXEL_OVERLAP = 1.0 / 256.0;
const float LEAST_SLANT = 1.0 / 64.0;  // a face seen at a more acute angle gets no wider hair

// How far an edge along an axis is moved in its plane, so that it moves by PIXEL_OVERLAP perpendicular to itself on the
// screen: the further, the more acute the angle of view. Along an edge this is linear in the distance.
float hair_of(vec3 edge, vec3 sight, float facing, float away) {
    float along = dot(sight, edge);
    return NEAR_OVERLAP + PIXEL_OVERLAP * ray_up.w * away * sqrt(max(1.0 - along * along, 0.0)) / facing;
}

// A corner, 0 to 3, of the quad at a unit.
void cube_corner(int at, int number) {
    uvec2 unit = texelFetch(quads, at).xy;
    face = CUBE_FIELD(CUBE_FACE);
    flags = CUBE_FIELD(CUBE_FLAGS);
    layer = CUBE_FIELD(CUBE_LAYER);
    dense = CUBE_FIELD(CUBE_BLOCK);
    vec2 size = vec2(CUBE_FIELD(CUBE_WIDTH), CUBE_FIELD(CUBE_HEIGHT));
    vec3 position = vec3(CUBE_FIELD(CUBE_X), CUBE_FIELD(CUBE_Y), CUBE_FIELD(CUBE_Z)) + cell_corner(at);

    ivec2 st = corner_of(number);
    if ((FLIPPED_FACES >> face & 1) == 1) st = st.yx;
    bool side = face < 4;
    vec3 width_axis = face < 2 ? vec3(0, 0, 1) : vec3(1, 0, 0);
    vec3 height_axis = side ? vec3(0, 1, 0) : vec3(0, 0, 1);
    vec2 along = vec2(st) * size;
    vec3 corner = position + max(NORMALS[face], vec3(0)) + along.x * width_axis + along.y * height_axis;
    vec3 offset = sight_to(corner);
    float away = max(length(offset), 0.001);
    vec3 sight = offset / away;
    float facing = max(abs(dot(sight, NORMALS[face])), LEAST_SLANT);
    vec2 hair = vec2(hair_of(height_axis, sight, facing, away), hair_of(width_axis, sight, facing, away));
    along += (vec2(st) * 2.0 - 1.0) * hair;

    first = ivec3(floor(position + 0.5));
    last = first + ivec3((size.x - 1.0) * width_axis + (size.y - 1.0) * height_axis + 0.5);
    near_ = position + max(NORMALS[face], vec3(0)) + along.x * width_axis + along.y * height_axis;
    if ((flags & FLAG_LOWERED) != 0 && (face == 5 || (side && st.y == 1))) near_.y -= float(LIQUID_DROP) / 16.0;

    float sign_u = (NEGATIVE_U_FACES >> face & 1) == 1 ? -1.0 : 1.0;
    uv = side ? vec2(sign_u * along.x, -along.y) : along;
    vec2 far = side ? vec2(sign_u, -1.0) * size : size;
    rim = vec4(min(far, vec2(0)), max(far, vec2(0)));
    tint = CUBE_FIELD(CUBE_TINT);
    clip_cut(near_, face);
    gl_Position = project(near_);
#ifdef TRANSLUCENT
    gl_Position = project(in_its_turn(near_, face));
    // From behind only the surface of liquids is drawn: glass would be blended twice.
    bool surface = face == 5 && (flags & FLAG_LOWERED) != 0;
    if (dot(sight_to(near_), NORMALS[face]) > 0.0 && !surface) gl_Position = NOT_DRAWN;
#endif
}
