"""How far two takes may differ and still count as the same."""

from typing import Final

from net.frozen import frozen

TILE_FLIP: Final = 0.025
"""Mean of the FLIP map over a tile of 32 x 32 pixels: between what is harmless and what is not (render/README.md)."""
EDGE_SHARE: Final = 0.005
"""Share of a picture's pixels that may show something else at edges, where drivers round each in its own way. llvmpipe
held to SSE2 differs from llvmpipe with AVX2 in at most 7 pixels of 129,600 (measured, five views)."""


@frozen
class Tolerance:
    """Limits of the layers that have any; data has none.

    Attributes:
        tile_flip: colour, between unlike renderers: mean of the FLIP map over the worst tile, 0..1.
        edge_share: semantic: share of all pixels that may differ at edges of blocks and faces, 0..1.
    """

    tile_flip: float = TILE_FLIP
    edge_share: float = EDGE_SHARE
