// Constants of a frame. render/passes/frame_uniforms.py has the same layout; a test compares both.
// Positions called "near" are in blocks relative to eye_block, so that floats stay small anywhere in the world.
layout(std140) uniform Frame {
    mat4 view_projection;  // of positions relative to the eye
    ivec4 eye_block;       // xyz: the block that holds the eye; w: 1 in an orthographic picture
    vec4 eye_fraction;     // xyz: the eye inside that block; w: strength of the noise in a sky without a sun
    vec4 ray_forward;      // a pixel's direction is forward + x * right + y * up, x and y in -1..1; orthographic: forward,
                           // starting at x * right + y * up; w: farthest depth
    vec4 ray_right;        // w: nearest depth
    vec4 ray_up;           // w: blocks that a pixel covers at a distance of one block; orthographic: at any distance
    vec4 sun;              // xyz: towards the sun; w: day factor, 0 night .. 1 day
    vec4 zenith;           // rgb of the sky straight up; w: brightness of the stars
    vec4 horizon;          // rgb of the sky at the horizon; w: 1 where the dimension has a sky
    vec4 glow;             // rgb of dawn and dusk around the sun; w: strength
    vec4 daylight;         // rgb of full daylight on a face; w: how far it outshines lamps
    vec4 fog;              // x: begin, y: end, in horizontal blocks; z: haze per block; w: width of the faded rim
    vec4 loaded;           // low x, low z, high x, high z of the loaded area, relative to eye_block
    ivec4 bounds;          // floor and roof in blocks; light value above the roof and below the floor
    ivec4 light_mask;      // xyz: entries of the light page table minus one; w: side of the tint map in blocks minus one
    ivec4 block_mask;      // the same of the block-id page table
    vec4 weather;          // x: rain, y: thunder, 0..1 each; z: seconds, for animations; w: exponent of the gamma setting
    vec4 moon;             // x, y: cosine and sine of its phase; z: share of sun and moon in this weather; w: see medium
    vec4 medium;           // what the eye is in: rgb under full light; w: density per block, 0 in air; moon.w: height
                           // of its surface relative to eye_block
    vec4 direct;           // xyz: share of full daylight added to a face that looks this way, subtracted if it looks away;
                           // w: distance up to which the medium is clear
    vec4 least_light;      // rgb of light without lamps and daylight; w: how far it depends on a face's direction
    ivec4 cut;             // x, y: the lowest height shown, and one above the highest, relative to eye_block
};

bool is_parallel() {
    return eye_block.w != 0;
}

const vec4 NOT_DRAWN = vec4(2.0, 2.0, 2.0, 1.0);  // position of vertices of what is not drawn

// Clip position of a near point.
vec4 project(vec3 near) {
    return view_projection * vec4(near - eye_fraction.xyz, 1.0);
}

// Perceived brightness of a colour.
float luma(vec3 colour) {
    return dot(colour, vec3(0.299, 0.587, 0.114));
}

// The vector along which a point is seen: from the eye to it; orthographic: one block along the view direction.
vec3 sight_to(vec3 near) {
    return is_parallel() ? ray_forward.xyz : near - eye_fraction.xyz;
}

const float PARALLEL_PART = 8.0;  // blocks that stand for "the distance" in an orthographic picture

// A point moved along its line of sight towards the viewer, by a part of its distance.
vec3 nearer(vec3 near, float part) {
    return is_parallel() ? near - part * PARALLEL_PART * ray_forward.xyz : mix(near, eye_fraction.xyz, part);
}

// Start and direction of a pixel's ray, at x, y in -1..1 of the picture.
vec3 ray_begin(vec2 place) {
    vec3 aside = place.x * ray_right.xyz + place.y * ray_up.xyz;
    return eye_fraction.xyz + (is_parallel() ? aside + ray_right.w * ray_forward.xyz : vec3(0.0));
}

vec3 ray_way(vec2 place) {
    return is_parallel() ? ray_forward.xyz : ray_forward.xyz + place.x * ray_right.xyz + place.y * ray_up.xyz;
}

// Depth along the view direction, in blocks, from the value in a depth buffer.
float depth_of(float stored) {
    float near_plane = ray_right.w, far_plane = ray_forward.w;
    if (is_parallel()) return mix(near_plane, far_plane, stored);
    return near_plane * far_plane / (far_plane - stored * (far_plane - near_plane));
}
