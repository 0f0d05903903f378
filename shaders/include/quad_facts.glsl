// What every quad tells its fragments.
out vec3 near_;
out vec2 uv;
flat out int layer;
flat out int face;
flat out int flags;
flat out int tint;
flat out int dense;  // the block id, which semantic buffers show
flat out vec4 rim;  // least and largest uv of the quad
