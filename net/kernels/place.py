"""Where a process finds machine code of all kernels. By itself, since who asks may not load Numba or LLVM."""

from typing import Final

IMAGE_VARIABLE: Final = "CHUNKSCOPE_KERNELS"
"""Environment variable with the path of the file that holds it (``machine_code``), set by ``client.connect.warmup``."""
APART: Final = "KERNELS_APART"
"""A package says ``KERNELS_APART = True`` before its imports when few commands need the kernels in it: those of all
such packages have a file of their own, and are compiled when a command names the package."""
APART_VARIABLE: Final = "CHUNKSCOPE_KERNELS_APART"
"""The same as ``IMAGE_VARIABLE`` for those; without it a process compiles them itself when it imports them."""
LATER_VARIABLE: Final = "CHUNKSCOPE_KERNELS_LATER"
"""Where it is set, importing a module compiles none of its kernels: each waits for somebody who asks (``compiled``)."""
