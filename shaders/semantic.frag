// The surface of a pixel as integers: block, face, cell, depth, light. Nothing is blended, filtered or faded.
//   CUTOUT, MODEL: texels with alpha under a half are holes, read at full size: smaller mip levels differ by driver.
//   TRANSLUCENT: the first surface is written, at any alpha.
#include "faces.glsl"
#include "light.glsl"
#include "quad_inputs.glsl"
#include "rim.glsl"
#ifndef MODEL
#include "turned.glsl"
#endif

uniform sampler2DArray tiles;
uniform usampler3D block_atlas;
uniform usampler3D block_table;
#if defined(CUTOUT) || (defined(TRANSLUCENT) && !defined(MODEL))
uniform uint first_cube;  // dense ids of models are lower
#endif

layout(location = 0) out ivec4 place;  // block x, y, z; face
layout(location = 1) out uvec4 shown;  // depth's bits; dense id | id in the brick << 16; packed light; 1: drawn

const float ROUNDING = 0.00002;
const float MOST_BEYOND_PX = 0.1;
const float MOST_HAIR_PX = 1.0 / 64.0;  // for two edges that drivers snap to a 256th each, doubled

uint light_at(ivec3 block) {
    if (block.y >= bounds.y) return uint(bounds.z);
    if (block.y < bounds.x) return uint(bounds.w);
    return value_at(light_table, light_atlas, light_mask.xyz, block);
}

// A texel's position in its texture, 0..15 each.
ivec2 texel_at() {
#ifdef MODEL
    return ivec2(floor(inside_rim(uv) * 16.0)) & 15;
#else
    ivec3 block = clamp(ivec3(floor(near_ - NORMALS[face] * 0.5)), first, last);
    return ivec2(place_in_tile(near_, block, face, flags) * 16.0);
#endif
}

#ifndef MODEL
// How far a quad may reach beyond its edges: the hair that is added to close seams.
float hair_px(vec3 by_x, vec3 by_y) {
    vec3 over = max(vec3(first) - near_, near_ - vec3(last + 1)) * vec3(equal(NORMALS[face], vec3(0)));
    int axis = over.x > max(over.y, over.z) ? 0 : over.y > over.z ? 1 : 2;
    return max(over[axis], 0.0) / max(length(vec2(by_x[axis], by_y[axis])), 1e-9);
}
#endif

// The point of a box nearest to the pixel's centre on the screen: drivers snap corners, so the centre may lie outside
// the quad, and far outside at acute angles. ``by_x``, ``by_y``: change from pixel to pixel; ``across``: 1 on the axis of
// the quad's normal, on which nothing moves; slanted quads have no such axis and are only kept in their box.
vec3 held(vec3 low, vec3 high, vec3 across, vec3 by_x, vec3 by_y) {
    vec3 over = (clamp(near_, low, high) - near_) * (1.0 - across);
    vec3 size = abs(over);
    int axis = size.x > max(size.y, size.z) ? 0 : size.y > size.z ? 1 : 2;
    vec2 slant = vec2(by_x[axis], by_y[axis]);
    float steep = dot(slant, slant);
    if (across == vec3(0) || size[axis] < ROUNDING || steep < ROUNDING * ROUNDING) return clamp(near_, low, high);
    vec2 pixels = slant * (over[axis] / steep);
    if (length(pixels) > MOST_BEYOND_PX) return clamp(near_, low, high);
    return clamp(near_ + (pixels.x * by_x + pixels.y * by_y) * (1.0 - across), low, high);
}

void main() {
    vec3 by_x = dFdx(near_);
    vec3 by_y = dFdy(near_);
#if defined(CUTOUT) || (defined(MODEL) && !defined(TRANSLUCENT))
    if ((flags & FLAG_TINT_MASK) == 0 && texelFetch(tiles, ivec3(texel_at(), layer), 0).a < 0.5) discard;
#endif
#ifdef MODEL
    ivec3 block = eye_block.xyz + ivec3(floor(own_block + 0.5));
    ivec3 before = block;
    int side = FACE_OF_MODELS;
#ifdef TRANSLUCENT
    bool pane = (flags & FLAG_TRANSLUCENT) != 0;
    if (!pane) side = face;
    bool from_inside = face == 5
        && sight_to(vec3(near_.x, own_block.y + 1.0 - float(LIQUID_DROP) / 16.0, near_.z)).y > 0.0;
    if (!from_inside && !pane) before += ivec3(NORMALS[face]);
#endif
    vec3 met = held(lowest, highest, vec3(equal(lowest, highest)), by_x, by_y);
#else
    vec3 normal = NORMALS[face];
    ivec3 block = eye_block.xyz + clamp(ivec3(floor(near_ - normal * 0.5)), first, last);
    ivec3 before = block + ivec3(normal);
    int side = face;
    vec3 met = held(vec3(first), vec3(last + 1), abs(normal), by_x, by_y);
    // An edge that passes close to the eye between distant corners has their hair, which is much too wide there.
    float hair = hair_px(by_x, by_y);
    if (hair > MOST_HAIR_PX) discard;
#if defined(CUTOUT) || defined(TRANSLUCENT)
    // A side between two blocks would stick out of the perpendicular sides, where no ray meets it. Except for models that
    // leaves it open: there the hair closes the seam to the neighbouring cube or liquid, which may have no hair (slopes).
    if (hair > 0.0) {
        uint cover = value_at(block_table, block_atlas, block_mask.xyz, before);
        ivec3 under = eye_block.xyz + ivec3(floor(near_ - normal * 0.5));
        bool seam = cover < first_cube && value_at(block_table, block_atlas, block_mask.xyz, under) >= first_cube;
        if (cover != 0u && !seam) discard;
    }
#endif
#ifdef TRANSLUCENT
    if (dot(sight_to(near_), normal) > 0.0) before = block;  // a liquid's surface from inside
#endif
#endif
    float depth = dot(met - eye_fraction.xyz, ray_forward.xyz);
    uint brick = value_at(block_table, block_atlas, block_mask.xyz, block);
    place = ivec4(block, side);
    shown = uvec4(floatBitsToUint(depth), uint(dense) | brick << 16, light_at(before), 1u);
}
