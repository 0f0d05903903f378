"""What a block does to a ray, by number: ``stops`` of its dense id (``cast.cast``), as kernels read it."""

from typing import Final

PASS: Final = 0
CUBE: Final = 1
GLASS: Final = 2
CUTOUT: Final = 3
LIQUID: Final = 4
MODEL: Final = 5
HOLE: Final = 6
SOAKED: Final = 7
"""No code of a block: air with water in its second layer."""
