"""The frustum of a frozen culling camera, as wire: where it stands, which way it looks, how far."""

from typing import Final

import numpy as np

from render.camera import Camera
from render.passes.lines import Ends, Lines

REACH_BLOCKS: Final = 64.0
"""The true one ends far behind what is loaded."""
FRUSTUM_HIDDEN: Final = 0.45
TONE: Final = (255, 255, 255, 255)
WIDTH_PX: Final = 2.0
EYE_BLOCKS: Final = 0.75
CORNERS: Final = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)


def frustum_lines(camera: Camera, reach_blocks: float = REACH_BLOCKS) -> Lines:
    """Four edges, frames at a quarter, half and all of the reach, and a cross at the eye."""
    forward, right, up = (np.array(way) for way in camera.rays)
    eye = np.array(camera.eye)

    def frame(away: float) -> Ends:
        aside: Ends = CORNERS @ np.stack([right, up]) * (1.0 if camera.is_parallel else away)
        return eye + forward * away + aside

    frames = [frame(share * reach_blocks) for share in (0.25, 0.5, 1.0)]
    begins = [frame(0.0), *frames, eye - np.eye(3) * EYE_BLOCKS]
    ends = [frames[-1], *(np.roll(each, -1, axis=0) for each in frames), eye + np.eye(3) * EYE_BLOCKS]
    return Lines.of(np.concatenate(begins), np.concatenate(ends), TONE, WIDTH_PX)
