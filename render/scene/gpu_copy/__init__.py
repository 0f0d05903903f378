"""The copy of the world on the GPU: bricks, light, tints, and the appearance of blocks.

block_appearance  Textures of block states for the GPU, tables for the mesh kernel, and their cache on disk
gpu_lighting  Light made on the GPU: which block bricks changed since they were lit
tint_map      Biomes at the surface of every block column, blended into the colours of grass, leaves and water
verify        Verifies that copy: for ``chunkscope doctor --mirror``, the key M and the overlay ``mirror``
volumes       The GPU's copy of block ids and light: which sub-chunks differ from it, uploaded within a budget
"""
