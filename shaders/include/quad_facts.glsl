// Values that all quads pass to their fragments.
out vec3 near_;
out vec2 uv;
flat out int layer;
flat out int face;
flat out int flags;
flat out int tint;
flat out int dense;  // the block id, for semantic buffers
flat out vec4 rim;  // least and largest uv of the quad
