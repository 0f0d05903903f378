"""How soon a place is needed; the same answer for the client that asks and for the server that sends (seed 003).

connectivity_kernels  Which face of a sub-chunk sees which: a flood per open region, over words of four columns at a
                      time
priority              One float32 a place: 0 is needed most; what a player is likely to see next (seed 003)
walk_kernels          The walk from one eye over the sub-chunks that a straight line of sight can reach
"""

from net.visibility.priority import (
    NO_GROUND,
    NOWHERE,
    PlaceVisibility,
    PlayerView,
    PriorityWeights,
    Skyline,
    ViewPrediction,
    looked_at,
    need,
)

__all__ = [
    "NOWHERE",
    "NO_GROUND",
    "PlaceVisibility",
    "PlayerView",
    "PriorityWeights",
    "Skyline",
    "ViewPrediction",
    "looked_at",
    "need",
]
