"""Block slots of a render cell and its neighbourhood -> packed quads.

cell_layout     What all parts of the mesh kernel share
cube_kernels    Faces of whole blocks: which are visible, merged greedily by block id into cube quads
liquid_kernels  Liquids: which cells are wet, with what, and which of their surfaces are level
mesh_kernels    The algorithm, as one kernel: block slots of 16 x 32 x 16 render cells -> packed quads
mesher          What jobs call: a batch of render cells -> packed quads; the arrays around the kernel
model_kernels   Blocks that are no cubes: their model quads, by the blocks beside them
model_shapes    Shapes -> quads: boxes, crossed plants, ramps, in numbers that ``vertex_format.MODEL`` packs
simd            Sixteen planes of faces at a time, as generic vector IR (no instruction of one CPU is named)
vertex_format   The packed forms of a quad, said once: here in Python, and in GLSL through ``defines()``
"""
