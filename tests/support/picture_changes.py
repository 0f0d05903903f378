"""Changes of a real picture: two that are harmless, and the defects that a comparison must not let pass.

The classes of the founding study, on frames of ours instead of made ones; sizes in pixels are the study's.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from render.capture.channels import NO_BLOCK, Shot
from render.scene_tests.compare import Rgb

WOBBLE_SHARE: Final = 0.004
PURPLE: Final = (200, 0, 200)
TRIES: Final = 200

Change = Callable[[Shot, np.random.Generator], npt.NDArray[np.floating]]
"""The colours of a shot, changed: [height, width, 3], not rounded or clipped yet."""


def changed(shot: Shot, change: Change, seed: int) -> Rgb:
    """A picture with one change, the same for the same seed."""
    return np.clip(np.rint(change(shot, np.random.default_rng(seed))), 0, 255).astype(np.uint8)


def colours(shot: Shot) -> npt.NDArray[np.floating]:
    assert shot.colour is not None
    return shot.colour[..., :3].astype(np.float64)


def rounding(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """Every channel of every pixel one step up or down."""
    picture = colours(shot)
    return picture + rng.choice([-1, 1], picture.shape)


def wobble(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """0.4 % of all pixels, at borders of texels, show the texel beside."""
    picture = colours(shot)
    rows, columns = np.nonzero((picture[:, 1:] != picture[:, :-1]).any(axis=2))
    many = round(WOBBLE_SHARE * picture[..., 0].size)
    chosen = rng.choice(len(rows), min(many, len(rows)), replace=False)
    rows, columns = rows[chosen], columns[chosen]
    wobbled = picture.copy()
    wobbled[rows, columns + 1] = picture[rows, columns]
    return wobbled


def hole(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """40 x 40 pixels of terrain show the sky."""
    picture = colours(shot)
    picture[_square(shot, 40, rng)] = picture[0].mean(axis=0)
    return picture


def unknown_block(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """8 x 8 pixels are purple."""
    picture = colours(shot)
    picture[_square(shot, 8, rng)] = PURPLE
    return picture


def wrong_block(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """16 x 16 pixels of terrain show what another 16 x 16 show."""
    picture = colours(shot)
    here, there = (_square(shot, 16, rng) for _ in range(2))
    other = picture[there].copy()
    picture[here] = other
    return picture


def light_low(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """160 x 160 pixels as light at level 14 shows them instead of 15."""
    picture = colours(shot)
    picture[_square(shot, 160, rng)] *= _brightness(14) / _brightness(15)
    return picture


def black_light(shot: Shot, rng: np.random.Generator) -> npt.NDArray[np.floating]:
    """160 x 160 pixels nearly without light."""
    picture = colours(shot)
    picture[_square(shot, 160, rng)] *= 0.1
    return picture


def drift(shot: Shot, _: np.random.Generator) -> npt.NDArray[np.floating]:
    """The whole frame 2 % brighter."""
    return colours(shot) * 1.02


BENIGN: Final[dict[str, Change]] = {"rounding everywhere": rounding, "0.4 % texel wobble": wobble}
DEFECTS: Final[dict[str, Change]] = {
    "hole, 40 x 40": hole,
    "unknown block, 8 x 8": unknown_block,
    "wrong block, 16 x 16": wrong_block,
    "light a level low, 160 x 160": light_low,
    "black light, 160 x 160": black_light,
    "frame 2 % brighter": drift,
}


def _brightness(level: int) -> float:
    """As the picture's shaders make it of a level (docs/develop/render.md)."""
    share = level / 15
    return share * (0.46 + 0.54 * share * share)


def _square(shot: Shot, side_px: int, rng: np.random.Generator) -> tuple[slice, slice]:
    """Of some squares the one with the most terrain."""
    assert shot.block is not None
    terrain = shot.block != NO_BLOCK
    height, width = terrain.shape
    best, best_share = (slice(0, side_px), slice(0, side_px)), -1.0
    for _ in range(TRIES):
        y, x = (int(rng.integers(0, side - side_px)) for side in (height, width))
        square = slice(y, y + side_px), slice(x, x + side_px)
        if (share := float(terrain[square].mean())) > best_share:
            best, best_share = square, share
    return best
