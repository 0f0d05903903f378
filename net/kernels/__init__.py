"""Kernels: how they are compiled, kept, found and called. Imports nothing of ours.

    call      How Python calls machine code: what kernels take
    call_ir   The small functions between an interpreter and a kernel
    checked   Kernels that look at every index, and memory with guards: what ``CHUNKSCOPE_CHECKED=1`` adds
    compiled  A kernel that Numba compiled in this process or loaded from its cache
    image     Machine code of kernels in one file, loaded without Numba
    jit       How kernels are compiled, the number types they cast to, the bit and vector instructions they use
    pipeline  How Numba compiles kernels: its own compiler, without what kernels never need
    place     Where a process finds machine code of all kernels

Which file a process takes, and who makes it, is ``client.kernel_cache``'s business.
"""
