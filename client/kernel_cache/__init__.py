"""Compiles the kernels once per machine and version, in a child process, so that no window waits for it.

    cache    Where compiled kernels lie, and whether they are all there
    child    The process that compiles, seen from the one that waits
    compile  ``python -m client.kernel_cache.compile [--backwards] [--with-stdin] PACKAGE...``

    use_cache()    says where compiled kernels lie; before Numba is imported
    is_warm()      whether they all are there; imports no Numba
    use_compiled() the same, and where they are, no Numba is needed from then on
    compile_missing()  both, and the wait
    WarmUp         the child process that compiles them, and its progress

Theory: a kernel has one explicit signature and compiles when its module is imported (``net.kernels.jit``), ten to
twelve seconds of a processor for all, under one lock; so it is done by another process, which leaves one file of
machine code that every other process links (``net.kernels.image``). Where it is missing, they load each kernel
from Numba's own cache. Numba's own index checks the source files and the processor; the folder's name keeps versions
apart besides.
"""

from client.kernel_cache.cache import cache_directory, is_warm, kernel_modules, use_cache, use_compiled
from client.kernel_cache.child import WarmProgress, WarmUp, compile_missing

__all__ = [
    "WarmProgress",
    "WarmUp",
    "cache_directory",
    "compile_missing",
    "is_warm",
    "kernel_modules",
    "use_cache",
    "use_compiled",
]
