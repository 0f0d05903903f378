"""Blocks of sections as they are kept: one byte a block while local ids allow it, none for air."""

import numpy as np

from net.server.openings import SmallBlocks
from net.space.layout import BlockIds


def small_sections(layer: BlockIds) -> list[SmallBlocks | None]:
    """The sections of a layer: those with blocks share one copy of them, the others are None."""
    filled = np.flatnonzero(layer.any(axis=1))
    small = _narrowed(layer[filled])
    parts: list[SmallBlocks | None] = [None] * len(layer)
    for at, index in enumerate(filled.tolist()):
        parts[index] = small[at]
    return parts


def small_section(section: BlockIds) -> SmallBlocks | None:
    """A copy of one section; None for one of air."""
    return _narrowed(section) if section.any() else None


def _narrowed(blocks: BlockIds) -> SmallBlocks:
    """A copy in one byte a block if all ids fit."""
    return blocks.astype(np.uint8) if not blocks.size or blocks.max() < 256 else blocks.copy()
