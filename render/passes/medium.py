"""What the eye is in: air, water or lava. Colours are those under full light."""

from typing import Final

from net.frozen import frozen

Colour = tuple[float, float, float]


@frozen
class Medium:
    """What lies between the eye and what it sees.

    Attributes:
        colour: what far things fade into, 0..1.
        density_per_block: how fast they do; 0: not at all.
        surface_y_blocks: where it ends above the eye.
    """

    colour: Colour
    density_per_block: float
    surface_y_blocks: float = 0.0


AIR: Final = Medium((0.0, 0.0, 0.0), 0.0)
WATER: Final = Medium((0.045, 0.19, 0.36), 0.060)
LAVA: Final = Medium((0.90, 0.26, 0.03), 1.4)
