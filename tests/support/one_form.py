"""The wire form of one release, without a host."""

from collections.abc import Sequence

from net.palette import BlockState, Palette
from net.server.block_ids import BlockIdForm, LocalStates, ReleaseWords


def form_of(palette: Palette, states: Sequence[BlockState] | LocalStates, biome_sections: int = 24) -> BlockIdForm:
    """How a palette's clients read blocks."""
    known = states if isinstance(states, LocalStates) else LocalStates(states)
    words = ReleaseWords(palette)
    return BlockIdForm(known, lambda: words, biome_sections)
