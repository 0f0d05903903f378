"""Compiles the kernels once per machine and version, in a child process, so that no window waits for it.

    cache    Finds the folder of compiled kernels, and whether all are compiled
    child    Starts the child process that compiles, and reads its progress
    compile  ``python -m client.kernel_cache.compile [--backwards] [--with-stdin] PACKAGE...``

A kernel has one explicit signature and compiles when its module is imported (``net.kernels.jit``), ten to twelve
seconds of a processor for all, under one lock. So another process does it, and writes one file of machine code that
every other process links (``net.kernels.image``). If that is missing, processes load each kernel from Numba's own
cache.
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
