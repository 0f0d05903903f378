"""Where the world ends for the eye: it fades into the sky with distance, and at the rim of what is loaded."""

from typing import Final

import numpy as np
import numpy.typing as npt

from net.frozen import frozen

START_SHARE: Final = 0.78
END_SHARE: Final = 1.15  # the loaded square's corners are farther away than its sides, which the rim hides
RIM_SHARE: Final = 0.30
RIM_MOST_BLOCKS: Final = 48.0


@frozen
class Fog:
    """The fade of one frame, in blocks.

    Attributes:
        start: where it begins, across.
        end: where it is complete.
        rim: width of the faded rim of what is loaded.
        loaded: low x, low z, high x, high z of what is loaded.
    """

    start: float
    end: float
    rim: float
    loaded: tuple[float, float, float, float]


def fog_of(columns: npt.NDArray[np.int32], radius_columns: int) -> Fog:
    """The fade.

    Args:
        columns: [n, 2] positions of the columns there are; their bounding square is what is loaded.
        radius_columns: where the world is meant to end around the eye.
    """
    reach = radius_columns * 16.0
    low, high = np.zeros(2), np.zeros(2)
    if len(columns):
        across, along = columns[:, 0], columns[:, 1]  # one by one: NumPy takes five times as long for pairs
        low, high = np.array([across.min(), along.min()]), np.array([across.max() + 1, along.max() + 1])
    loaded = float(low[0]) * 16, float(low[1]) * 16, float(high[0]) * 16, float(high[1]) * 16
    narrow = min(loaded[2] - loaded[0], loaded[3] - loaded[1])
    rim = min(reach * RIM_SHARE, narrow * RIM_SHARE / 2, RIM_MOST_BLOCKS)
    return Fog(reach * START_SHARE, reach * END_SHARE, max(rim, 1.0), loaded)
