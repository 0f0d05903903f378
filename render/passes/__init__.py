"""Render passes: opaque terrain, cut-outs, models, sky, translucent quads and liquids, overlays.

atmosphere                Light and sky colours from time of day and weather; the sky; the vignette of an eye in a block
block_march               Marches through the block-ID map: what ends one, and where block classes begin
cracks                    Cracks on blocks that a player breaks
cut                       The faces that a cut of heights makes
draw_list                 Meshes in drawing order: plain arrays, no GL
draw_list_kernels         Kernels of draw lists: order of cells, visible cells, runs of quads
entities                  Entities: boxes of their size with a head, small blocks, paintings; and their names
entity_kernels            Kernels of entities: rows for the GPU, and which rows a camera may see
frame_settings            What a frame shows, and how
frame_uniforms            The frame's constants: one uniform block for all programs, written once a frame
imgui                     Draws the draw lists of dear imgui: panels over the picture, in our own context
overlay/                  Passes of overlays: boxes, lines, labels, surfaces
particles                 Particles of blocks that break, are hit, or are being broken
precipitation             Rain and snow around the eye: one upright sheet a block column, down to what stops it
semantic                  Semantic buffers: the terrain drawn again, in integers that identify what each pixel shows
shadows                   Shadows of sun and moon, from a depth picture of the light's view
terrain                   Draws the terrain from the quad arena
translucent_sort          The order of translucent quads for an eye, from far to near, and which meshes are sorted again
translucent_sort_kernels  Sorts a mesh's translucent quads for one eye, by the blocks they belong to
"""
