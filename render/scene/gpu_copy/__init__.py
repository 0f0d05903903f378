"""The copy of the world on the GPU: bricks, light, tints, and what blocks look like.

block_looks   How block states look, as the scene needs it
gpu_lighting  Light made on the GPU: which block bricks changed since they were lit
mirror_check  Every brick read back and held against the store: what ``chunkscope doctor --mirror`` tells
tint_map      Biomes at the surface of every block column, blended into the colours that grass
volumes       The GPU's copy of block ids and light: which sub-chunks differ from it, uploaded within a budget
"""
