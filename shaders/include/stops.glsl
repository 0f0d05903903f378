// Which blocks stop falling bodies and drops of rain, by dense id; the table comes from render/passes/particles.py.
#include "blocks.glsl"

uniform usamplerBuffer stops;

// Height up to which a block stops a body, 0..1 from its floor; 0: not at all.
float stop_of(uint id) {
    if (int(id) >= textureSize(stops)) return 0.0;  // LEFT_OUT, or a block added in this frame
    return float(texelFetch(stops, int(id)).r & STOP_MASK) * (1.0 / 16.0);
}

// The same for a drop, in sixteenths: liquids stop it too.
int drop_stop_of(uint id) {
    if (int(id) >= textureSize(stops)) return 0;
    uint value = texelFetch(stops, int(id)).r;
    return (value & STOPS_DROPS) != 0u ? 16 - LIQUID_DROP : int(value & STOP_MASK);
}
