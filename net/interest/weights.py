"""What the needs of places are weighed with; one typed configuration for both ends of the wire."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How distance and direction trade against each other.

    Attributes:
        behind: how much farther a place straight behind seems than one straight ahead: 1.0 counts it twice as far.
            The default is small: turning round takes a player half a second, a round trip takes as long.
        ticking_radius_columns: places this near (a square) come before all others (seed 000: about four columns).
    """

    behind: float = 0.5
    ticking_radius_columns: int = 4
