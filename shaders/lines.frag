// A line's fragment: opaque up to its rim, where it fades over one pixel; with gaps between dashes.
uniform float share;  // factor of the opacity

in float along;
noperspective in float across;
flat in float half_width;
flat in float dashed;
flat in vec4 tone;

out vec4 colour;

void main() {
    if (dashed > 0.0 && fract(along * 0.5) >= 0.5) discard;
    float cover = clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
    colour = vec4(tone.rgb, tone.a * share * cover);
    if (colour.a < 0.004) discard;
}
