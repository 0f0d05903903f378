// Outline, hatch and fill of a box. Patterns differ in shape as well as in colour, for colour-blind users.
uniform float seen_share;  // factor of all opacities: less for what obstacles hide

in vec2 place;
flat in vec2 span;
flat in int hatch;
flat in int line;
flat in int ring;
flat in float fill;
flat in float share;
flat in vec4 tone;

out vec4 colour;

// Patterns are measured in blocks and would grow without limit near the eye: beyond these sizes on the screen, finer
// patterns fade in, and dots stop growing.
const float WIDEST_PX = 72.0;
const float LARGEST_DOT_PX = 6.0;
const float NARROWEST_PX = 9.0;  // finer patterns would merge on a side seen at a slant

// How often a pattern is halved, and the weight of the next halving.
vec2 halvings(float period_px, float narrowest_px) {
    float steps = clamp(log2(period_px / WIDEST_PX), 0.0, max(log2(narrowest_px / NARROWEST_PX), 0.0));
    return vec2(floor(steps), fract(steps));
}

// Coverage of lines at whole multiples of a period, with a width in pixels; lines are never thinner than that.
float lines_at(float value, float period, float pixels, float pixel) {
    float distance = abs(fract(value / period + 0.5) - 0.5) * period;
    return 1.0 - smoothstep(pixel * (pixels - 0.5), pixel * (pixels + 0.5), distance * 2.0);
}

float lines(float value, float period, float pixels) {
    float pixel = fwidth(value);
    if (pixel > period * 0.5) return 0.35;  // too far away to resolve: an even tone
    vec2 halved = halvings(period / pixel, period / pixel);
    period *= exp2(-halved.x);
    return max(lines_at(value, period, pixels, pixel), lines_at(value, period * 0.5, pixels, pixel) * halved.y);
}

float dots_at(vec2 where, float period, float radius, float pixel) {
    vec2 cell = (fract(where / period + 0.5) - 0.5) * period;
    return 1.0 - smoothstep(radius - pixel, radius + pixel, length(cell));
}

float dots(vec2 where, float period, float radius) {
    float pixel = max(fwidth(where.x), fwidth(where.y));
    if (pixel > period * 0.5) return 0.15;
    vec2 right = dFdx(where), up = dFdy(where);
    float least = abs(right.x * up.y - right.y * up.x) / max(length(vec2(length(right), length(up))), 1e-6);
    vec2 halved = halvings(period / max(least, 1e-6), period / pixel);
    radius = min(radius, LARGEST_DOT_PX * max(least, pixel * 0.25));
    period *= exp2(-halved.x);
    return max(dots_at(where, period, radius, pixel), dots_at(where, period * 0.5, radius, pixel) * halved.y);
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
        return max(lines_at(down, 64.0, 3.0, fwidth(down)), lines_at(up, 64.0, 3.0, fwidth(up)));
    }
    return 0.0;
}

// Mark of sub-chunks that the server does not update: a ring on each side, over all other patterns.
float ringed() {
    float out_from_middle = length(place - 0.5 * span);
    float pixel = fwidth(out_from_middle);
    return ring == 0 ? 0.0 : 1.0 - smoothstep(pixel, pixel * 2.0, abs(out_from_middle - 4.5));
}

void main() {
    vec2 edge = min(place, span - place);
    vec2 pixel = vec2(length(vec2(dFdx(place.x), dFdy(place.x))), length(vec2(dFdx(place.y), dFdy(place.y))));
    vec2 away_px = edge / max(pixel, vec2(1e-6));  // for each axis: a side seen at a slant has no wide edge
    float wide = line == LINE_HEAVY ? 2.0 : 1.0;
    float outline = 1.0 - smoothstep(wide, wide + 1.0, min(away_px.x, away_px.y));
    if (line == LINE_CORNERS) outline *= step(max(edge.x, edge.y), 2.0) * 0.55;
    if (line == LINE_THIN) outline *= 0.8;
    if (line == LINE_DOTTED) outline *= step(0.5, fract((place.x + place.y) / 2.0));
    if (line == LINE_NONE) outline = 0.0;
    float cover = max(max(max(outline, hatching() * tone.a), ringed()) * 0.9, fill) * share * seen_share;
    if (cover < 0.018) discard;
    colour = vec4(tone.rgb, cover);
}
