"""Where a process finds machine code of all kernels. By itself, since who asks may not load Numba or LLVM."""

from typing import Final

IMAGE_VARIABLE: Final = "CHUNKSCOPE_KERNELS"
"""Environment variable with the path of the file that holds it (``machine_code``), set by ``client.connect.warmup``."""
APART: Final = "render.capture.oracle"
"""The package whose kernels few commands need: they have a file of their own, and are compiled when one does."""
APART_VARIABLE: Final = "CHUNKSCOPE_KERNELS_APART"
"""The same as ``IMAGE_VARIABLE`` for those; without it a process compiles them itself when it imports them."""
