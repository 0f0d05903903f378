"""What is drawn in which order: opaque, cut-out, models, sky, translucent and liquids, overlays.

atmosphere           Time of day and weather to light and sky colours; the sky; the vignette of an eye in a block
cracks               Cracks on blocks that somebody breaks
cut                  The faces that a cut of heights makes
draw_list            Meshes in the order they are drawn in: plain arrays, no GL
draw_list_kernels    What draw lists are made of, mesh by mesh
entity_kernels       Where entities are, as the GPU gets it, and which a camera may see
entities             Entities: boxes of their size with a head, small blocks, paintings; and their names
frame_uniforms       The frame's constants: one uniform block for all programs, written once a frame
imgui                Draws what dear imgui lists: panels over the picture, in our own context
overlay/             Passes of overlays: boxes, lines, labels, surfaces
particles            Bits of blocks in the air: of one that breaks, is struck, or is dug at
precipitation        Rain and snow around the eye: one upright sheet a block column, down to what stops it
shadows              Shadows of sun and moon: what the light sees, drawn once
semantic             Semantic buffers: the terrain once more, in integers that say what each pixel shows
terrain              Terrain out of the quad arena
translucent_kernels  The order of a mesh's translucent quads for one eye, by the blocks they belong to
translucent_sort     Translucent quads of each mesh in the order in which an eye sees them, from far to near
"""
