"""Smaller copies of textures, each half as wide.

Rules:
1. Light is averaged, not codes: sRGB is made linear first.
2. Where alpha is coverage, a colour counts as much as it covers: no dark rims around leaves. Where it is the mask of a
   tint, all texels count alike.
3. Coverage itself is averaged, then lifted so that as large a share of texels passes the test at a half as at full
   size: far leaves do not thin out.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

Textures = npt.NDArray[np.uint8]
"""[layers, side, side, 4] red, green, blue, alpha; row 0 at the top."""

Values = npt.NDArray[np.float64]

_GAMMA = 2.2


AT_ONCE_TEXELS: Final = 1 << 19
"""Of which levels are made together: 2,048 layers of 16 x 16, 32 of 128 x 128; as floats they take 32 times as much."""


def mip_levels(textures: Textures, coverage: npt.NDArray[np.bool_]) -> tuple[Textures, ...]:
    """The textures themselves, then half as wide and so on down to 1 x 1.

    Args:
        textures: all layers.
        coverage: bool[layers]: alpha is coverage, not the mask of a tint.
    """
    layers, side = textures.shape[:2]
    at_once = max(1, AT_ONCE_TEXELS // side**2)
    if layers <= at_once:
        return _levels(textures, coverage)
    parts = [_levels(textures[k : k + at_once], coverage[k : k + at_once])[1:] for k in range(0, layers, at_once)]
    return textures, *(np.concatenate(level) for level in zip(*parts, strict=True))


def _levels(textures: Textures, coverage: npt.NDArray[np.bool_]) -> tuple[Textures, ...]:
    linear = (textures[..., :3].astype(np.float64) / 255) ** _GAMMA
    alpha = textures[..., 3].astype(np.float64) / 255
    share = (alpha > 0.5).mean((1, 2))
    levels = [textures]
    while linear.shape[1] > 1:
        weight = np.where(coverage[:, None, None], alpha, 1.0)[..., None] + 1e-4
        linear = _quarters(linear * weight) / _quarters(weight)
        alpha = _quarters(alpha[..., None])[..., 0]
        levels.append(_encode(linear, _lifted(alpha, share, coverage)))
    return tuple(levels)


def _quarters(values: Values) -> Values:
    layers, side, _, channels = values.shape
    averages: Values = values.reshape(layers, side // 2, 2, side // 2, 2, channels).mean((2, 4))
    return averages


def _lifted(alpha: Values, share: Values, coverage: npt.NDArray[np.bool_]) -> Values:
    """Scales each layer's alpha so that the wanted share of its texels lies over a half."""
    flat = np.sort(alpha.reshape(len(alpha), -1), axis=1)[:, ::-1]
    wanted = np.ceil(share * flat.shape[1] - 1e-6).astype(int)
    limit = flat[np.arange(len(flat)), np.clip(wanted - 1, 0, flat.shape[1] - 1)]
    holes = coverage & (share > 0) & (share < 1) & (limit > 0.05)
    factor = np.where(holes, np.maximum(1, 0.51 / np.maximum(limit, 0.05)), 1)
    lifted: Values = np.minimum(alpha * factor[:, None, None], 1)
    return lifted


def _encode(linear: Values, alpha: Values) -> Textures:
    encoded = np.empty((*alpha.shape, 4), np.uint8)
    encoded[..., :3] = np.rint(255 * np.clip(linear, 0, 1) ** (1 / _GAMMA))
    encoded[..., 3] = np.rint(255 * alpha)
    return encoded
