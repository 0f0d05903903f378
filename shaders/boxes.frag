// Outline, hatch and fill of a box. Shapes differ as much as colours do, so that no eye depends on colour alone.
in vec2 place;
flat in vec2 span;
flat in int hatch;
flat in int line;
flat in int ring;
flat in float fill;
flat in float share;
flat in vec4 tone;

out vec4 colour;

// Coverage of lines at whole multiples of a period, a given width in pixels wide and never thinner than that.
float lines(float value, float period, float pixels) {
    float distance = abs(fract(value / period + 0.5) - 0.5) * period;
    float pixel = fwidth(value);
    if (pixel > period * 0.5) return 0.35;  // too far away to draw apart: an even tone
    return 1.0 - smoothstep(pixel * (pixels - 0.5), pixel * (pixels + 0.5), distance * 2.0);
}

float dots(vec2 where, float period, float radius) {
    vec2 cell = (fract(where / period + 0.5) - 0.5) * period;
    float pixel = max(fwidth(where.x), fwidth(where.y));
    if (pixel > period * 0.5) return 0.15;
    return 1.0 - smoothstep(radius - pixel, radius + pixel, length(cell));
}

float hatching() {
    float rising = place.x + place.y;
    float falling = place.x - place.y;
    if (hatch == HATCH_DIAGONAL) return lines(rising, 4.0, 1.0);
    if (hatch == HATCH_FALLING) return lines(falling, 4.0, 1.0);
    if (hatch == HATCH_CROSS) return max(lines(rising, 4.0, 1.0), lines(falling, 4.0, 1.0));
    if (hatch == HATCH_DOTS) return dots(place, 4.0, 0.5);
    if (hatch == HATCH_LEVEL) return lines(place.y, 2.0, 1.0);
    if (hatch == HATCH_GRID) return max(lines(place.x, 4.0, 1.0), lines(place.y, 4.0, 1.0));
    if (hatch == HATCH_UPRIGHT) return lines(place.x, 4.0, 1.0);
    if (hatch == HATCH_X) {
        vec2 whole = place * 16.0 / span;
        float down = whole.x - whole.y;
        float up = whole.x + whole.y - 16.0;
        return max(lines(clamp(down, -4.0, 4.0), 64.0, 3.0), lines(clamp(up, -4.0, 4.0), 64.0, 3.0));
    }
    return 0.0;
}

// What the server does not keep up to date: a ring on each side, whatever else is painted there.
float ringed() {
    float pixel = fwidth(place.x) + fwidth(place.y);
    float away = abs(length(place - 0.5 * span) - 4.5);
    return ring == 0 ? 0.0 : 1.0 - smoothstep(pixel * 0.5, pixel, away);
}

void main() {
    vec2 edge = min(place, span - place);
    float border = min(edge.x, edge.y);
    float pixel = fwidth(place.x) + fwidth(place.y);
    float wide = line == LINE_HEAVY ? 2.0 : 1.0;
    float outline = 1.0 - smoothstep(pixel * 0.5 * wide, pixel * (0.5 * wide + 0.5), border);
    if (line == LINE_CORNERS) outline *= step(max(edge.x, edge.y), 2.0) * 0.55;
    if (line == LINE_THIN) outline *= 0.8;
    if (line == LINE_DOTTED) outline *= step(0.5, fract((place.x + place.y) / 2.0));
    if (line == LINE_NONE) outline = 0.0;
    float cover = max(max(max(outline, hatching() * tone.a), ringed()) * 0.9, fill) * share;
    if (cover < 0.018) discard;
    colour = vec4(tone.rgb, cover);
}
