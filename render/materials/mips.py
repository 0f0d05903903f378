"""Smaller copies of textures, each half as wide.

Rules:
1. Light is averaged, not codes: sRGB is made linear first.
2. Where alpha is coverage, a colour counts as much as it covers: no dark rims around leaves. Where it is the mask of a
   tint, all texels count alike.
3. Coverage itself is averaged, then lifted so that as large a share of texels passes the test at a half as at full
   size: far leaves do not thin out.
"""

import numpy as np
import numpy.typing as npt

Textures = npt.NDArray[np.uint8]
"""[layers, side, side, 4] red, green, blue, alpha; row 0 at the top."""

Values = npt.NDArray[np.float64]

_GAMMA = 2.2


def mip_levels(textures: Textures, coverage: npt.NDArray[np.bool_]) -> tuple[Textures, ...]:
    """The textures themselves, then 8 x 8, 4 x 4, 2 x 2, 1 x 1.

    Args:
        textures: all layers.
        coverage: bool[layers]: alpha is coverage, not the mask of a tint.
    """
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
