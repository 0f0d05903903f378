"""What a sub-chunk has at all: one byte a slot, so that kernels skip what is not there."""

from typing import Final

HAS_OPAQUE: Final = 1
"""Some block is opaque; placeholders count."""
ALL_OPAQUE: Final = 2
"""Every block is."""
HAS_LIQUID: Final = 4
HAS_OTHER: Final = 8
"""Some block is a model, a cut-out or translucent."""
IS_PLACEHOLDER: Final = 16
"""Every block is the placeholder."""
