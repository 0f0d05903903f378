"""Where a process finds the machine code of all kernels; separate, so that it loads neither Numba nor LLVM."""

import os
from typing import Final

CHECKED_VARIABLE: Final = "CHUNKSCOPE_CHECKED"
"""Environment variable for kernels that check every index, and guards around NumPy's memory (``checked``)."""
CHECKED_FOLDER: Final = "checked"
"""Folder of their machine code inside the unchecked one's: Numba's cache does not distinguish them."""

IMAGE_VARIABLE: Final = "CHUNKSCOPE_KERNELS"
"""Environment variable with the path of the image file (``image``), set by ``client.kernel_cache``."""
LATER_VARIABLE: Final = "CHUNKSCOPE_KERNELS_LATER"
"""If it is set, importing a module compiles none of its kernels: each is compiled on request (``compiled``)."""


def is_checked() -> bool:
    """Whether this process and its children check every index."""
    return os.environ.get(CHECKED_VARIABLE, "0") not in {"", "0"}


def folder_of_code(folder: str) -> str:
    """The folder of this process's machine code, given the unchecked one's; its own result is returned unchanged."""
    if not is_checked() or os.path.basename(folder) == CHECKED_FOLDER:
        return folder
    return os.path.join(folder, CHECKED_FOLDER)
