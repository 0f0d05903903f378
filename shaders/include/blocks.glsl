// The block-ID map in shaders: the class of a block, and the march of a ray from block to block.
//
// Ids are sorted by class, so a class test is a comparison; the session sets the limits (passes/block_march.py).
// Reads are restricted to the loaded area around the eye: beyond it the page table repeats itself.
#include "frame.glsl"
#include "bricks.glsl"

uniform usampler3D block_atlas;
uniform usampler3D block_table;
uniform uvec4 first_of_class;  // models, cut-outs, translucent blocks, liquids
uniform uvec2 first_of_others;  // placeholder, opaque blocks

// Bits of the classes that a march stops at, in the order of dense ids.
const int AIR = 1, MODELS = 2, CUTOUTS = 4, TRANSLUCENTS = 8, LIQUIDS = 16, PLACEHOLDERS = 32, OPAQUE = 64, UNKNOWN = 128;
const int FACES_OF_AXIS[3] = int[3](0, 4, 2);  // x, y, z: the face that a ray with a growing coordinate meets first

int class_of(uint id) {
    if (id == 0u) return AIR;
    if (id < first_of_class.y) return MODELS;
    if (id < first_of_class.z) return CUTOUTS;
    if (id < first_of_class.w) return TRANSLUCENTS;
    if (id < first_of_others.x) return LIQUIDS;
    if (id < first_of_others.y) return PLACEHOLDERS;
    return id == LEFT_OUT ? UNKNOWN : OPAQUE;
}

// Dense id of a block of the world, or LEFT_OUT.
uint block_at(ivec3 block) {
    if (block.y < bounds.x || block.y >= bounds.y) return 0u;
    return value_at(block_table, block_atlas, block_mask.xyz, block);
}

// A ray during a march. Blocks are relative to eye_block, so that floats stay small; distances in direction lengths.
struct Ray {
    vec3 begin;
    vec3 direction;
    ivec3 block;     // the current block
    int face;        // the face through which the ray entered it; 6: the ray began there
    float distance;  // at that face
    uint id;         // of the block, set by a march
};

// The box of what is loaded and not cut off, in blocks from eye_block; its high corner is exclusive.
void loaded_box(out ivec3 low, out ivec3 high) {
    low = ivec3(int(floor(loaded.x)), max(bounds.x - eye_block.y, cut.x), int(floor(loaded.y)));
    high = ivec3(int(ceil(loaded.z)), min(bounds.y - eye_block.y, cut.y), int(ceil(loaded.w)));
}

float along(vec3 of, int axis) {
    return axis == 0 ? of.x : axis == 1 ? of.y : of.z;
}

// The axis of the smallest of three values, x before y before z.
int least_axis(vec3 of) {
    return of.x <= of.y && of.x <= of.z ? 0 : of.y <= of.z ? 1 : 2;
}

int face_met(int axis, bool growing) {
    return FACES_OF_AXIS[axis] + (growing ? 0 : 1);
}

// A pixel's ray at its first block inside the box; false if it misses the box.
bool ray_from(vec3 begin, vec3 direction, out Ray ray) {
    ivec3 low, high;
    loaded_box(low, high);
    ray = Ray(begin, direction, is_parallel() ? ivec3(floor(begin)) : ivec3(0), 6, 0.0, 0u);
    if (all(greaterThanEqual(ray.block, low)) && all(lessThan(ray.block, high))) return true;
    bvec3 growing = greaterThanEqual(direction, vec3(0.0));  // as ``safe`` grows
    vec3 safe = mix(direction, vec3(1e-20), equal(direction, vec3(0.0)));
    vec3 enters = (mix(vec3(high), vec3(low), growing) - begin) / safe;
    vec3 leaves = (mix(vec3(low), vec3(high), growing) - begin) / safe;
    int axis = least_axis(-enters);
    ray.distance = along(enters, axis);
    if (ray.distance < 0.0 || ray.distance > min(leaves.x, min(leaves.y, leaves.z))) return false;
    ray.face = face_met(axis, along(direction, axis) > 0.0);
    ray.block = clamp(ivec3(floor(begin + direction * ray.distance)), low, high - 1);
    return true;
}

#ifndef LEAVES_OUT
#define LEAVES_OUT(entry, section) false
#endif

// Marches until the block is of a wanted class; false if the ray leaves what is loaded or exceeds the reach.
// Sub-chunks for which LEAVES_OUT is true are skipped.
bool march(inout Ray ray, int wanted, float reach) {
    ivec3 low, high;
    loaded_box(low, high);
    bvec3 growing = greaterThan(ray.direction, vec3(0.0));
    ivec3 ahead = ivec3(growing);
    vec3 safe = mix(ray.direction, vec3(1e-20), equal(ray.direction, vec3(0.0)));
    for (int number = 0; number < MOST_STEPS; ++number) {
        if (any(lessThan(ray.block, low)) || any(greaterThanEqual(ray.block, high)) || ray.distance > reach) return false;
        ivec3 block = eye_block.xyz + ray.block;
        uint entry = table_entry(block_table, block_mask.xyz, block >> 4);
        bool brick = is_brick(entry);
        ray.id = brick ? texelFetch(block_atlas, texel_in(entry, block & 15), 0).r : entry;
        if ((class_of(ray.id) & wanted) != 0 && !LEAVES_OUT(entry, block >> 4)) return true;
        int size = brick ? 1 : 16;  // a uniform sub-chunk is one step
        ivec3 corner = brick ? ray.block : ray.block - (block & 15);
        vec3 leaves = (vec3(corner + ahead * size) - ray.begin) / safe;
        leaves = mix(leaves, vec3(1e30), equal(ray.direction, vec3(0.0)));
        int axis = least_axis(leaves);
        ray.distance = along(leaves, axis);
        bool grows = growing[axis];
        ivec3 next = clamp(ivec3(floor(ray.begin + ray.direction * ray.distance)), corner, corner + size - 1);
        next[axis] = grows ? corner[axis] + size : corner[axis] - 1;
        ray.block = next;
        ray.face = face_met(axis, grows);
    }
    return false;
}
