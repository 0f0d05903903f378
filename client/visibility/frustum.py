"""The frustum: which boxes a view may show.

A box is dropped when it lies wholly outside one of the six planes; near a corner of the frustum some boxes outside
all of it stay, none inside is lost.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

MARGIN_BLOCKS: Final = 1.0
"""Models may stick out of their block."""


class Frustum(msgspec.Struct, frozen=True):
    """Six planes."""

    # float64[6, 4] a, b, c, d each; a point of the world is inside where ``a x + b y + c z + d >= 0``, in blocks
    planes: npt.NDArray[np.float64]

    @classmethod
    def of(cls, clip: npt.NDArray[np.floating]) -> "Frustum":
        """The planes of a 4 x 4 matrix that takes column vectors of the world to clip space (-w..w on each axis)."""
        m = np.asarray(clip, np.float64)
        return cls(np.stack([m[3] + sign * m[axis] for axis in range(3) for sign in (1, -1)]))

    def shows(
        self, corners: npt.NDArray[np.integer], size_blocks: tuple[int, int, int], margin_blocks: float = MARGIN_BLOCKS
    ) -> npt.NDArray[np.bool_]:
        """Which boxes may be seen.

        Args:
            corners: [n, 3] lowest corners in blocks.
            size_blocks: of every box, for example (16, 32, 16) for render cells.
            margin_blocks: boxes count as this much larger on each side.
        """
        half = np.array(size_blocks, np.float64) / 2
        centres = corners + half
        reach = np.abs(self.planes[:, :3]) @ (half + margin_blocks)
        distance = centres @ self.planes[:, :3].T + self.planes[:, 3]
        return np.asarray((distance + reach >= 0).all(axis=1))
