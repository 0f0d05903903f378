"""The number types that kernels name, for casts: Numba's, or where no Numba is needed (``jit``) NumPy's."""

from net.kernels.jit import IMAGE

if IMAGE is None:
    from numba import int32, int64, uint16, uint32, uint64
else:  # nobody calls what uses them
    from numpy import int32, int64, uint16, uint32, uint64

__all__ = ["int32", "int64", "uint16", "uint32", "uint64"]
