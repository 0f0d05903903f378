"""Where the world ends for the eye: the fade into the sky is complete before the edge of what is loaded."""

from typing import Final

import numpy as np
import numpy.typing as npt

LEAST_BLOCKS: Final = 40.0
MARGIN_BLOCKS: Final = 4.0
START_SHARE: Final = 0.70


def fog_range(
    columns: npt.NDArray[np.int32], eye: tuple[float, float, float], radius_columns: int
) -> tuple[float, float]:
    """Start and end of the fade, in blocks across.

    Args:
        columns: [n, 2] positions of the columns there are; their bounding square is what counts.
        eye: the camera.
        radius_columns: where the world is meant to end around the player.
    """
    end = radius_columns * 16.0
    if len(columns):
        low, high = columns.min(axis=0) * 16.0, (columns.max(axis=0) + 1) * 16.0
        across = np.array([eye[0], eye[2]])
        inside = min(float((across - low).min()), float((high - across).min()))
        if inside > 0.0:
            end = min(end, inside)
        else:  # an eye outside looks at the whole of it
            end = float(np.linalg.norm(np.maximum(np.abs(across - low), np.abs(high - across)))) + MARGIN_BLOCKS
    end = max(end - MARGIN_BLOCKS, LEAST_BLOCKS)
    return end * START_SHARE, end
