// Sheets of rain or snow: one a block column, turned to the eye, from the column's surface up. Pulled from a buffer of
// x, z, height map, 1 rain or 2 snow.
#include "faces.glsl"
#include "falls.glsl"

out vec3 near_;
out vec2 place;  // x: across the sheet in blocks, y: height in blocks of the world
flat out ivec3 sheet;  // x, z of the column in 64 x 64, kind


void main() {
    ivec4 column = texelFetch(falling, gl_VertexID / 6);
    ivec2 corner = corner_of_vertex(gl_VertexID);
    vec2 middle = vec2(column.xy - eye_block.xz) + 0.5;
    vec2 away = middle - eye_fraction.xz;
    vec2 across = vec2(away.y, -away.x) / max(length(away), 0.001);
    float low = max(lowest_of(column), -REACH_BLOCKS);
    float high = max(low, REACH_BLOCKS);
    near_.xz = middle + across * (float(corner.x) - 0.5);
    near_.y = corner.y == 1 ? high : low;
    place = vec2(corner.x, near_.y + float(eye_block.y));
    sheet = ivec3(column.xy & 63, column.w);
    gl_Position = project(near_);
}
