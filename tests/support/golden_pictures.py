"""How far two pictures are apart, in pixels."""

import msgspec
import numpy as np
import numpy.typing as npt

Rgb = npt.NDArray[np.uint8]
"""[height, width, 3 or 4], row 0 at the top."""


class Difference(msgspec.Struct, frozen=True):
    """How two pictures of one size differ."""

    pixels: int  # of them differ at all
    largest: int  # difference of a channel, 0..255
    total: int  # pixels of the picture

    def __str__(self) -> str:
        return f"{self.pixels} of {self.total} pixels differ, at most by {self.largest}"


def difference(one: Rgb, other: Rgb) -> Difference:
    """Compares two pictures; those of different sizes differ everywhere."""
    total = one[..., 0].size
    if one.shape != other.shape:
        return Difference(total, 255, total)
    worst = np.abs(one.astype(np.int16) - other.astype(np.int16)).max(axis=2)
    return Difference(int((worst > 0).sum()), int(worst.max()), total)
