"""Kernels: how they are compiled, stored, found and called. Imports no other package of ours.

    call      How Python calls machine code: signatures of kernels and their Python functions
    call_ir   The small functions between the interpreter and a kernel, in LLVM's language
    checked   Kernels that check every index, and memory with guards, for ``CHUNKSCOPE_CHECKED=1``
    compiled  A kernel that Numba compiled in this process or loaded from its cache
    image     Machine code of kernels in one file, loaded without Numba
    jit       How kernels are compiled, the number types they cast to, the bit and vector instructions they use
    pipeline  Numba's compiler reduced to what kernels need
    place     Where a process finds the machine code of all kernels

``client.kernel_cache`` chooses the file that a process uses, and makes it.
"""
