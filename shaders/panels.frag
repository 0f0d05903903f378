// Panels: a texture (the font's, or one of our pictures) times the vertex's colour.

uniform sampler2D panels;

in vec2 uv;
in vec4 colour;

out vec4 shown;

void main() {
    shown = colour * texture(panels, uv);
}
