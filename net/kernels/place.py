"""Where a process finds machine code of all kernels. By itself, since who asks may not load Numba or LLVM."""

import os
from typing import Final

CHECKED_VARIABLE: Final = "CHUNKSCOPE_CHECKED"
"""Environment variable with which kernels look at every index, and NumPy's memory has guards (``checked``)."""
CHECKED_FOLDER: Final = "checked"
"""Where their machine code lies, in the folder of the product's: Numba's cache does not tell them apart."""

IMAGE_VARIABLE: Final = "CHUNKSCOPE_KERNELS"
"""Environment variable with the path of the file that holds it (``image``), set by ``client.kernel_cache``."""
LATER_VARIABLE: Final = "CHUNKSCOPE_KERNELS_LATER"
"""Where it is set, importing a module compiles none of its kernels: each waits for somebody who asks (``compiled``)."""


def is_checked() -> bool:
    """Whether this process and its children are to look at every index."""
    return os.environ.get(CHECKED_VARIABLE, "0") not in {"", "0"}


def folder_of_code(folder: str) -> str:
    """Where machine code of this process lies, given where the product's does; may be asked of its own answer."""
    if not is_checked() or os.path.basename(folder) == CHECKED_FOLDER:
        return folder
    return os.path.join(folder, CHECKED_FOLDER)
