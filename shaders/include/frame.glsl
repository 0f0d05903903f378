// Constants of a frame; laid out once more in render/passes/frame.py, and a test compares both.
// Positions called "near" are in blocks relative to eye_block, so that floats stay small anywhere in the world.
layout(std140) uniform Frame {
    mat4 view_projection;  // of positions relative to the eye itself
    ivec4 eye_block;       // xyz: the block that holds the eye
    vec4 eye_fraction;     // xyz: the eye inside that block
    vec4 ray_forward;      // a pixel's direction is forward + x * right + y * up, x and y in -1..1; w: farthest depth
    vec4 ray_right;        // w: nearest depth
    vec4 ray_up;           // w: what a pixel covers of something one block away, in blocks
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
};
