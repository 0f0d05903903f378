"""What can be planted, and what came of it. Frozen and small: processes send these to each other."""

from collections.abc import Mapping
from enum import Enum

import msgspec


class Defect(Enum):
    """Classes of defects that a comparison of pictures must find."""

    DROP = "drop a sub-chunk"  # it is as if no answer had come
    SWAP = "swap a block"  # one block is another
    DARKEN = "lower a light level"  # one channel of one block's light is one level lower
    SHIFT = "shift a mesh"  # a render cell's quads are drawn one block aside
    HIDE = "hide a translucent layer"  # a render cell's glass or liquid is not drawn


class Sight(Enum):
    """What the oracle says of a defect."""

    VISIBLE = "visible"  # its buffers change in four pixels or more: it must be caught
    SLIGHT = (
        "slight"  # in fewer, or behind something clear, or only light that blends into a pixel: nothing is demanded
    )
    HIDDEN = "hidden"  # nothing that any ray meets changes: no pixel may


class Wish(msgspec.Struct, frozen=True):
    """One defect to plant.

    Attributes:
        defect: of which class.
        seen: in view, or else out of view; a wish, since the oracle says which only once it is planted.
        seed: of its place.
        instead: whether a view without a place for this class may plant another class.
    """

    defect: Defect
    seen: bool
    seed: int
    instead: bool = True


class Trial(msgspec.Struct, frozen=True):
    """One defect that was planted, and whether it was told.

    Attributes:
        wish: what was wished; its class is the one that was planted.
        scene: where, as reports call it: scene and view.
        words: what was planted where.
        sight: what the oracle says of it.
        pixels_seen: pixels in which the oracle's buffers change.
        pixels_changed: pixels of the take that changed in any channel.
        caught: whether the layers of pixels failed.
        named: whether digests of what it spoils (blocks, light or meshes) differ, as the layer of data compares them.
        layers: outcome of each layer by name.
    """

    wish: Wish
    scene: str
    words: str
    sight: Sight
    pixels_seen: int
    pixels_changed: int
    caught: bool
    named: bool
    layers: Mapping[str, str] = {}

    @property
    def missed(self) -> bool:
        """Whether it is visible and was not told."""
        return self.sight is Sight.VISIBLE and not self.caught

    @property
    def loud(self) -> bool:
        """Whether it is hidden and changed a pixel all the same."""
        return self.sight is Sight.HIDDEN and (self.pixels_changed > 0 or self.caught)
