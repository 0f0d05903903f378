// Inputs of the fragments of quads, as quad_facts.glsl, cube_quad.glsl and model_quad.glsl write them.
in vec3 near_;
in vec2 uv;
flat in int layer;
flat in int face;
flat in int flags;
flat in int tint;
flat in int dense;
#if defined(MODEL) || defined(TRANSLUCENT)
flat in vec4 own_level;
flat in vec3 own_block;
flat in vec3 lowest;
flat in vec3 highest;
#endif
#ifndef MODEL
flat in ivec3 first;
flat in ivec3 last;
#endif
#ifdef TRANSLUCENT
flat in int sloping;
#endif
