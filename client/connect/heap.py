"""The C heap, into which Python and NumPy free: it keeps free pages below the last ones in use until it is told."""

import ctypes
import sys


def give_back_free_pages() -> None:
    """Asks glibc for them (``malloc_trim``); nothing elsewhere. Up to some milliseconds: for quiet moments only."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
