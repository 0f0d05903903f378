"""Kernels: how they are compiled, kept, found and called. Imports of ours only ``net.frozen``.

    jit           what a kernel module writes: ``kernel``, ``inner``, bit instructions
    casts         the number types that kernels name
    place         the environment variables that tell a process of machine code; imports nothing
    machine_code  all kernels in one file, linked without Numba: what a warm process does
    calling, calling_code  the functions by which Python calls them, with Numba or without
    compiler      Numba's compiler without what kernels never need
    checked       what ``CHUNKSCOPE_CHECKED=1`` adds: indices are checked, memory has guards
    compiled      what it made, and the file that is made of that

Which file a process takes, and who makes it, is ``client.connect.warmup``'s business.
"""
