"""The result of a comparison: one layer each for world data, channels and colours."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

import msgspec

from net.space import SubChunkPos

DATA: Final = "data"
SEMANTIC: Final = "semantic"
COLOUR: Final = "colour"
LAYERS: Final = (DATA, SEMANTIC, COLOUR)
"""Names of the layers, in the order in which they are compared and reported."""
TITLES: Final = {DATA: "world", SEMANTIC: "blocks in the picture", COLOUR: "colours"}
"""How people read them."""


class LayerOutcome(Enum):
    """The outcome of one layer."""

    PASSED = "passed"  # compared, and the same as far as it must be
    FAILED = "failed"  # compared, and different, or not of a kind that can be compared
    SKIPPED = "skipped"  # not compared; the layer's words say why


class Layer(msgspec.Struct, frozen=True):
    """One layer's outcome."""

    name: str  # one of ``LAYERS``
    outcome: LayerOutcome
    words: str  # one sentence for people
    numbers: Mapping[str, float]  # what was measured, by name; empty where nothing was


class Verdict(msgspec.Struct, frozen=True):
    """What a comparison found."""

    layers: tuple[Layer, ...]  # in the order of ``LAYERS``
    # of the pixels whose semantic buffers differ, the one with most pixels first
    changed_subchunks: tuple[SubChunkPos, ...] = ()
    cause: str = ""  # what most likely made it fail, without a full stop; empty where it passed, or without data

    @property
    def passed(self) -> bool:
        """Whether no layer failed and at least one was compared."""
        outcomes = {layer.outcome for layer in self.layers}
        return LayerOutcome.FAILED not in outcomes and LayerOutcome.PASSED in outcomes

    def layer(self, name: str) -> Layer:
        """The layer with that name; KeyError if there is none."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise KeyError(name)

    @property
    def words(self) -> str:
        """What failed, else what was skipped, else that all is the same: a line for each layer, then the cause."""
        for outcome in (LayerOutcome.FAILED, LayerOutcome.SKIPPED):
            said = [f"{TITLES[layer.name]}: {layer.words}" for layer in self.layers if layer.outcome is outcome]
            if said:  # what is seen first, what was received last
                cause = [f"likely cause: {self.cause}."] if self.cause else []
                return "\n".join([*reversed(said), *cause])
        return "All layers match."


TILE_FLIP: Final = 0.025
"""Mean of the FLIP map over a tile of 32 x 32 pixels: between harmless and not (docs/develop/render.md)."""
EDGE_SHARE: Final = 0.005
"""Share of a picture's pixels that may show something else at edges, where drivers round each in its own way. llvmpipe
held to SSE2 differs from llvmpipe with AVX2 in at most 7 pixels of 129,600 (measured, five views)."""


class Tolerance(msgspec.Struct, frozen=True):
    """Limits of the layers that have any; data has none."""

    tile_flip: float = TILE_FLIP  # colour, between unlike renderers: mean of the FLIP map over the worst tile, 0..1
    edge_share: float = EDGE_SHARE  # semantic: share of all pixels that may differ at edges of blocks and faces, 0..1
