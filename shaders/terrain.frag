// Terrain: texture, tint, light from the light maps, air.
//   CUTOUT: texels with alpha under a half are holes. MODEL: light is per quad, but faces at a side of their block are
//   lit like a cube's: a path has no step of light to the grass beside it. TRANSLUCENT: alpha is coverage; both formats.
//   Otherwise opaque: alpha is only a tint mask. SHADOWS: the light of the sun or the moon may be shadowed.
#include "faces.glsl"
#include "light.glsl"
#include "quad_inputs.glsl"
#include "rim.glsl"
#include "sky.glsl"
#include "tint.glsl"
#if !defined(MODEL) && !defined(TRANSLUCENT)
#include "turned.glsl"
#define TURNED
#endif
#ifdef TRANSLUCENT
#include "water.glsl"
#endif
#ifdef SHADOWS
#include "shadow.glsl"
#endif

uniform sampler2DArray tiles;

out vec4 colour;

const float AT_SIDE = 0.4;  // from the middle of the block; a path's top is at 7/16

void main() {
    vec3 normal = face < 6 ? NORMALS[face] : vec3(0, 1, 0);  // slanted faces are lit from above
#ifdef MODEL
    vec3 inside = own_block + 0.5;
    ivec3 block = ivec3(floor(inside));
#else
    vec3 inside = near_ - normal * 0.5;
    ivec3 block = clamp(ivec3(floor(inside)), first, last);  // the hair of a quad counts as part of its own blocks
#endif
#ifdef TURNED
    vec4 texel = textureGrad(tiles, vec3(place_in_tile(near_, block, face, flags), float(layer)), dFdx(uv), dFdy(uv));
#else
    vec4 texel = texture(tiles, vec3(inside_rim(uv), float(layer)));
#endif
#if defined(CUTOUT) || defined(MODEL)
    if ((flags & FLAG_TINT_MASK) == 0 && texel.a < 0.5) discard;
#endif
    float tinted = (flags & FLAG_TINT_MASK) != 0 ? texel.a : 1.0;
    vec3 albedo = texel.rgb * mix(vec3(1.0), tint_of(tint, eye_block.xyz + block), tinted);
#ifdef TRANSLUCENT
    if (dot(sight_to(near_), normal) > 0.0) normal = -normal;  // a liquid's surface from inside
#endif
#if defined(TRANSLUCENT)
    // A sloping surface is lit as a level one, so that light is continuous from one to the other.
    bool lifted = sloping != 0 && face == 5;
    vec4 bright = (flags & FLAG_TRANSLUCENT) != 0
        ? brightness(own_level)
        : light_on_face(lifted ? vec3(near_.x, float(first.y) + 1.0, near_.z) : near_, normal);
#elif defined(MODEL)
    bool sheet = (flags & FLAG_DOUBLE_SIDED) != 0;  // lit from within its block; behind it may be a wall
    bool at_side = face < 6 && !sheet && dot(near_ - inside, normal) > AT_SIDE;
    vec4 bright = at_side ? light_on_face(near_, normal) : brightness(own_level);
#else
    vec4 bright = light_on_face(near_, normal);
#endif
    float open = bright.a;
#ifdef SHADOWS
    if (light_strength > 0.0) bright.a *= sunlit(near_, normal, face == 6);
#endif
    vec3 shown = (flags & FLAG_GLOWS) != 0 ? albedo * 1.08 : lit(albedo, bright, SIDE_SHADE[face], dot(normal, direct.xyz));
#ifdef TRANSLUCENT
    if (tint == TINT_WATER) {
        vec4 liquid = water(shown, near_, normal, face == 5, open);
        colour = vec4(graded(liquid.rgb), liquid.a);
        return;
    }
    colour = vec4(graded(through_air(shown, near_)), texel.a);
#else
    colour = vec4(graded(through_air(shown, near_)), 1.0);
#endif
}
