// A texel of a character, or of its dark background, which keeps it legible.
noperspective in vec2 texel;
flat in ivec2 glyph;
flat in vec3 tone;
flat in float share;  // factor of the opacity

out vec4 colour;

void main() {
    ivec2 at = ivec2(floor(texel)) - 1;  // one texel of background on each side
    int row = 6 - at.y;
    bool inside = at.x >= 0 && at.x < 5 && row >= 0 && row < 7;
    bool on = inside && ((row < 4 ? glyph.x >> (row * 5 + at.x) : glyph.y >> ((row - 4) * 5 + at.x)) & 1) != 0;
    colour = on ? vec4(tone, share) : vec4(0.02, 0.02, 0.04, 0.62 * share);
}
