// Faces of blocks and boxes, by direction: -x, +x, -z, +z, below, above; 6 is a slanted face. Corners of quads.

const vec3 NORMALS[7] = vec3[7](
    vec3(-1, 0, 0), vec3(1, 0, 0), vec3(0, 0, -1), vec3(0, 0, 1), vec3(0, -1, 0), vec3(0, 1, 0), vec3(0));

// The axes of a face's width, of its height, and of its normal.
const ivec3 AXES[6] = ivec3[6](ivec3(2, 1, 0), ivec3(2, 1, 0), ivec3(0, 1, 2), ivec3(0, 1, 2), ivec3(0, 2, 1), ivec3(0, 2, 1));

// A quad's corner of an index 0 to 3, in the order (0,0) (1,0) (1,1) (0,1).
ivec2 corner_of(int number) {
    return ivec2((number ^ (number >> 1)) & 1, number >> 1);
}

// The corner of a vertex, of six a quad: two triangles.
ivec2 corner_of_vertex(int vertex) {
    const int ORDER[6] = int[6](0, 1, 2, 0, 2, 3);
    return corner_of(ORDER[vertex % 6]);
}

// The same on a box's face, its triangles visible from outside.
ivec2 corner_on_face(int vertex, int face) {
    ivec2 st = corner_of_vertex(vertex);
    return face == 1 || face == 2 || face == 5 ? st.yx : st;
}
