// How much of the sun's or the moon's light reaches a point; render/passes/shadows.py draws the depth seen by the light.
uniform sampler2DShadow shadow_map;
uniform vec4 shadow_rows[3];   // from a position relative to eye_block to its position in the map, 0..1 each
uniform vec3 light_way;        // towards the light
uniform float light_strength;  // share of full daylight that a shadow removes
uniform float shadow_texel;    // of the map, in blocks

// 1 in the light, 1 - light_strength in the shadow; averaged over half a texel around, four times two by two.
float sunlit(vec3 near, vec3 normal, bool two_sided) {
    float facing = dot(normal, light_way);
    vec3 lifted = near + light_way * (0.5 * shadow_texel) + (two_sided ? vec3(0.0) : normal * (1.6 * shadow_texel));
    vec4 at = vec4(lifted, 1.0);
    vec3 place = vec3(dot(shadow_rows[0], at), dot(shadow_rows[1], at), dot(shadow_rows[2], at));
    float step_ = 0.5 / float(textureSize(shadow_map, 0).x);
    float seen = 0.0;
    for (int k = 0; k < 4; ++k) {
        vec2 beside = vec2((k & 1) * 2 - 1, (k >> 1) * 2 - 1) * step_;
        seen += 0.25 * texture(shadow_map, vec3(place.xy + beside, place.z));
    }
    if (!two_sided) seen *= clamp(facing * 8.0, 0.0, 1.0);  // faces that look away are in their own shadow
    vec2 from_middle = abs(place.xy - 0.5);
    float rim = smoothstep(0.42, 0.48, max(from_middle.x, from_middle.y));
    return 1.0 - light_strength * (1.0 - mix(seen, 1.0, rim));
}
