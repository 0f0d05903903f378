"""Meshing: block slots of a render cell and its neighbourhood -> packed quads.

cell_layout     Definitions and functions that all parts of the mesh kernel share
cube_kernels    Faces of full cubes: finds the visible ones, and merges them greedily by block id into cube quads
liquid_kernels  Liquids: wet cells, their liquid, and level and sloping surfaces
mesh_kernels    The mesh kernel: block slots of 16 x 32 x 16 render cells -> packed quads
mesher          Meshes a batch of render cells: the arrays around the kernel, and the tables that it reads
model_kernels   Model quads of blocks that are no cubes, by the blocks beside them
model_shapes    Shapes -> quads: boxes, crossed plants, ramps, in numbers that ``vertex_format.MODEL`` packs
simd            Vector steps on sixteen planes of faces, as generic vector IR (no instruction of one CPU is named)
vertex_format   The packed forms of a quad, for Python here and for GLSL through ``defines()``
"""
