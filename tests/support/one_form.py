"""The wire form of one release, without a host."""

from collections.abc import Sequence

from net.palette import BlockState, Palette
from net.server.block_ids import LocalStates, ReleaseWords, WireForm


def form_of(palette: Palette, states: Sequence[BlockState] | LocalStates, biome_sections: int = 24) -> WireForm:
    """How a palette's clients read blocks."""
    known = states if isinstance(states, LocalStates) else LocalStates(states)
    words = ReleaseWords(palette)
    return WireForm(known, lambda: words, biome_sections)
