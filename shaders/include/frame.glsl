// Constants of a frame; laid out once more in render/passes/frame_uniforms.py, and a test compares both.
// Positions called "near" are in blocks relative to eye_block, so that floats stay small anywhere in the world.
layout(std140) uniform Frame {
    mat4 view_projection;  // of positions relative to the eye itself
    ivec4 eye_block;       // xyz: the block that holds the eye; w: 1 where lines of sight are parallel
    vec4 eye_fraction;     // xyz: the eye inside that block; w: how noisy a sky without a sun is
    vec4 ray_forward;      // a pixel's direction is forward + x * right + y * up, x and y in -1..1, or, parallel, forward
                           // from x * right + y * up; w: farthest depth
    vec4 ray_right;        // w: nearest depth
    vec4 ray_up;           // w: what a pixel covers of something one block away, in blocks; parallel: of anything
    vec4 sun;              // xyz: towards the sun; w: day factor, 0 night .. 1 day
    vec4 zenith;           // rgb of the sky straight up; w: how bright the stars are
    vec4 horizon;          // rgb of the sky at the horizon; w: 1 where the dimension has a sky
    vec4 glow;             // rgb of dawn and dusk around the sun; w: how strong
    vec4 daylight;         // rgb of full daylight on a face; w: how much it drowns lamps
    vec4 fog;              // x: begins, y: complete, in blocks across; z: haze per block; w: width of the faded rim
    vec4 loaded;           // low x, low z, high x, high z of what is loaded, relative to eye_block
    ivec4 bounds;          // floor and roof in blocks; light value above the roof and below the floor
    ivec4 light_mask;      // xyz: entries of the light page table minus one; w: side of the tint map in blocks minus one
    ivec4 block_mask;      // the same of the block-id page table
    vec4 weather;          // x: rain, y: thunder, 0..1 each; z: seconds, for what moves; w: exponent of the gamma setting
    vec4 moon;             // x, y: cosine and sine of its phase; z: what weather leaves of sun and moon; w: see medium
    vec4 medium;           // what the eye is in: rgb under full light; w: density per block, 0 in air, and moon.w: height
                           // of its surface over eye_block
    vec4 direct;           // xyz: share of full daylight that a face takes more by looking that way, less by looking away
    vec4 least_light;      // rgb of light where no lamp and no daylight comes; w: how much of it hangs on a face's direction
    ivec4 cut;             // x, y: the lowest height that is shown, and one above the highest, over eye_block
};

bool is_parallel() {
    return eye_block.w != 0;
}

// The way by which a point is seen: from the eye to it; one block of it where lines of sight are parallel.
vec3 sight_to(vec3 near) {
    return is_parallel() ? ray_forward.xyz : near - eye_fraction.xyz;
}

const float PARALLEL_PART = 8.0;  // what "parts of the distance" are parts of where there is none

// A point moved along its line of sight towards the viewer, by a part of its distance.
vec3 nearer(vec3 near, float part) {
    return is_parallel() ? near - part * PARALLEL_PART * ray_forward.xyz : mix(near, eye_fraction.xyz, part);
}

// Where a pixel's ray begins and which way it goes, at x, y in -1..1 of the picture.
vec3 ray_begin(vec2 place) {
    vec3 aside = place.x * ray_right.xyz + place.y * ray_up.xyz;
    return eye_fraction.xyz + (is_parallel() ? aside + ray_right.w * ray_forward.xyz : vec3(0.0));
}

vec3 ray_way(vec2 place) {
    return is_parallel() ? ray_forward.xyz : ray_forward.xyz + place.x * ray_right.xyz + place.y * ray_up.xyz;
}

// Depth along the look, in blocks, of what a depth buffer stores.
float depth_of(float stored) {
    float near_plane = ray_right.w, far_plane = ray_forward.w;
    if (is_parallel()) return mix(near_plane, far_plane, stored);
    return near_plane * far_plane / (far_plane - stored * (far_plane - near_plane));
}
