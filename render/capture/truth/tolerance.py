"""How far two takes may differ and still count as the same."""

from dataclasses import dataclass
from typing import Final

WORST_TILE: Final = 0.025
"""Mean of the FLIP map over a tile of 32 x 32 pixels: between what is harmless and what is not (README, Pictures)."""
EDGE_SHARE: Final = 0.02
"""Share of a picture's pixels that may show something else at edges, where drivers round each in its own way."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Limits of the layers that have any; data has none.

    Attributes:
        worst_tile: colour, between unlike renderers: mean of the FLIP map over the worst tile, 0..1.
        edge_share: semantic: share of all pixels that may differ at edges of blocks and faces, 0..1.
    """

    worst_tile: float = WORST_TILE
    edge_share: float = EDGE_SHARE
