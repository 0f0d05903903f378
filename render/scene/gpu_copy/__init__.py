"""The copy of the world on the GPU: bricks, light, tints, and what blocks look like.

block_appearance  How block states look, as the scene needs it
gpu_lighting  Light made on the GPU: which block bricks changed since they were lit
tint_map      Biomes at the surface of every block column, blended into the colours of grass, leaves and water
verify        Whether that copy is right: for ``chunkscope doctor --mirror``, the key M and the overlay ``mirror``
volumes       The GPU's copy of block ids and light: which sub-chunks differ from it, uploaded within a budget
"""
