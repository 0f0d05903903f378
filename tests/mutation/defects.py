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
    """One defect to plant."""

    defect: Defect  # of which class
    seen: bool  # in view, or else out of view; a wish, since the oracle says which only once it is planted
    seed: int  # of its place
    instead: bool = True  # whether a view without a place for this class may plant another class


class Trial(msgspec.Struct, frozen=True):
    """One defect that was planted, and whether it was told."""

    wish: Wish  # what was wished; its class is the one that was planted
    scene: str  # where, as reports call it: scene and view
    words: str  # what was planted where
    sight: Sight  # what the oracle says of it
    pixels_seen: int  # pixels in which the oracle's buffers change
    pixels_changed: int  # pixels of the take that changed in any channel
    caught: bool  # whether the layers of pixels failed
    # whether digests of what it spoils (blocks, light or meshes) differ, as the layer of data compares them
    named: bool
    layers: Mapping[str, str] = {}  # outcome of each layer by name

    @property
    def missed(self) -> bool:
        """Whether it is visible and was not told."""
        return self.sight is Sight.VISIBLE and not self.caught

    @property
    def loud(self) -> bool:
        """Whether it is hidden and changed a pixel all the same."""
        return self.sight is Sight.HIDDEN and (self.pixels_changed > 0 or self.caught)
