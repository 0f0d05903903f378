// Panels: triangles in pixels of the framebuffer, y down, as dear imgui lists them.

uniform vec2 size_px;

in vec2 in_at_px;
in vec2 in_uv;
in vec4 in_colour;

out vec2 uv;
out vec4 colour;

void main() {
    uv = in_uv;
    colour = in_colour;
    vec2 share = in_at_px / size_px;
    gl_Position = vec4(2.0 * share.x - 1.0, 1.0 - 2.0 * share.y, 0.0, 1.0);
}
