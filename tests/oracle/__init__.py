"""What a picture must show, found without a GPU: rays from block to block through the store.

    cast         Casts rays through a store and says where each ended
    ray_kernels  One ray after another through the blocks of a store

It shares nothing with meshes, culling or light, so that where it and a picture differ, one of them is wrong. Measuring
how a world streams in needs rays that end in opaque cubes alone: ``render.bench.rays``.
"""
