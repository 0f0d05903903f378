"""Where a process finds machine code of all kernels. By itself, since who asks may not load Numba or LLVM."""

from typing import Final

IMAGE_VARIABLE: Final = "CHUNKSCOPE_KERNELS"
"""Environment variable with the path of the file that holds it (``machine_code``), set by ``client.connect.warmup``."""
