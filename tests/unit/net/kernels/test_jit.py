"""The bit instructions, and the undocumented compiler option that the kernels' speed rests on."""

import numpy as np
import pytest
from numba import njit

from net.kernels.jit import OPTIONS, clz, ctz, kernel, popcount


@kernel("void(int64[::1], int64[:,::1])")
def _bits(values, out):
    for i in range(values.shape[0]):
        out[i, 0] = ctz(values[i])
        out[i, 1] = clz(values[i])
        out[i, 2] = popcount(values[i])


@pytest.mark.parametrize("value", [1, 2, 3, 40, 2**62, -1, -(2**63)])
def test_bit_instructions_agree_with_plain_python(value: int) -> None:
    out = np.zeros((1, 3), np.int64)
    _bits(np.array([value]), out)
    bits = value & (2**64 - 1)
    assert out[0].tolist() == [(bits & -bits).bit_length() - 1, 64 - bits.bit_length(), bits.bit_count()]


def test_numba_still_takes_the_option_that_drops_reference_counts() -> None:
    assert OPTIONS["_nrt"] is False
    assert njit(_nrt=False)(lambda: 1)() == 1
