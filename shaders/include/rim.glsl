// Clamps texture coordinates to their quad. Pixels at a quad's rim may lie outside it, by the hair that is added to cubes
// and by the 256th of a pixel that drivers snap corners to: there the sampler would read the texture's opposite side.
flat in vec4 rim;

const float INSET = 1.0 / 1024.0;  // a 64th of a texel

vec2 inside_rim(vec2 at) {
    vec2 inset = min(vec2(INSET), 0.5 * (rim.zw - rim.xy));
    return clamp(at, rim.xy + inset, rim.zw - inset);
}
