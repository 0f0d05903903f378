// Model quads: three units each, any rectangle in sixteenths of a block; plants, slabs, torches.
//   TRANSLUCENT: panes, visible only from outside, and sloping liquids. A twisted quad is two
//   triangles; from behind, only surfaces of liquids are drawn.
#include "quads.glsl"
#include "quad_facts.glsl"
#include "light.glsl"

flat out vec3 own_block;
flat out vec4 own_level;
// The quad's lowest and highest corner; fragments clamp to them.
flat out vec3 lowest;
flat out vec3 highest;

#define MODEL_FIELD(NAME) (int(word[NAME##_WORD] >> NAME##_SHIFT & uint(NAME##_MASK)) + NAME##_BIAS)

// A corner, 0 to 3, of the quad whose first unit is given.
void model_corner(int at, int number) {
    uvec2 a = texelFetch(quads, at).xy;
    uvec2 b = texelFetch(quads, at + 1).xy;
    uvec2 c = texelFetch(quads, at + 2).xy;
    uint word[6] = uint[6](a.x, a.y, b.x, b.y, c.x, c.y);
    face = MODEL_FIELD(MODEL_FACE);
    flags = MODEL_FIELD(MODEL_FLAGS);
    layer = MODEL_FIELD(MODEL_LAYER);
    dense = MODEL_FIELD(MODEL_BLOCK);
    vec3 origin = vec3(MODEL_FIELD(MODEL_X), MODEL_FIELD(MODEL_Y), MODEL_FIELD(MODEL_Z));
    vec3 u = vec3(MODEL_FIELD(MODEL_UX), MODEL_FIELD(MODEL_UY), MODEL_FIELD(MODEL_UZ));
    vec3 v = vec3(MODEL_FIELD(MODEL_VX), MODEL_FIELD(MODEL_VY), MODEL_FIELD(MODEL_VZ));
    vec2 st = vec2(corner_of(number));

    vec3 corner = cell_corner(at);
    vec3 block = corner + vec3(MODEL_FIELD(MODEL_BLOCK_X), MODEL_FIELD(MODEL_BLOCK_Y), MODEL_FIELD(MODEL_BLOCK_Z));
    float twist = MODEL_FIELD(MODEL_TWIST);
    near_ = corner + (origin + st.x * u + st.y * v + vec3(0, st.x * st.y * twist, 0)) * (1.0 / 16.0);
    lowest = corner + (origin + min(u, vec3(0)) + min(v, vec3(0))) * (1.0 / 16.0);
    highest = corner + (origin + max(u, vec3(0)) + max(v, vec3(0))) * (1.0 / 16.0);
#ifdef TRANSLUCENT
    vec4 heights = (origin.y + vec4(0, u.y, v.y, u.y + v.y + twist)) * (1.0 / 16.0) + corner.y;
    lowest.y = min(min(heights.x, heights.y), min(heights.z, heights.w));
    highest.y = max(max(heights.x, heights.y), max(heights.z, heights.w));
#endif
    vec2 begin = vec2(MODEL_FIELD(MODEL_U0), MODEL_FIELD(MODEL_V0)) * (1.0 / 16.0);
    vec2 end = vec2(MODEL_FIELD(MODEL_U1), MODEL_FIELD(MODEL_V1)) * (1.0 / 16.0);
    uv = mix(begin, end, st);
    rim = vec4(min(begin, end), max(begin, end));
    own_level = light_of(eye_block.xyz + ivec3(floor(block + 0.5)));
    tint = MODEL_FIELD(MODEL_TINT);
    own_block = block;
    clip_cut(near_, face);
#ifdef TRANSLUCENT
    gl_Position = project((flags & FLAG_TRANSLUCENT) != 0 ? near_ : in_its_turn(near_, face));
    bool one_sided = face < 4 || (flags & FLAG_TRANSLUCENT) != 0;
    if (one_sided && dot(sight_to(near_), NORMALS[face]) > 0.0) gl_Position = NOT_DRAWN;
#else
    // Of two sides in one plane, the one that faces away is drawn behind. Tested by one corner for all four.
    vec3 sight = sight_to(corner + origin * (1.0 / 16.0));
    bool away = (flags & FLAG_DOUBLE_SIDED) == 0 && dot(sight, cross(u, v)) > 0.0;
    gl_Position = project(away ? nearer(near_, -BACKS_BEHIND) : near_);
#endif
}
