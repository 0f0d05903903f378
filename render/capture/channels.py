"""What a shot can hold of each pixel, and how it says "nothing".

| channel | dtype, shape   | what a pixel holds                                                        | for nothing  |
|---------|----------------|---------------------------------------------------------------------------|--------------|
| colour  | uint8[h, w, 4] | the picture, RGBA                                                         | the sky      |
| depth   | float32[h, w]  | blocks from the eye along the look                                        | inf          |
| block   | uint32[h, w]   | row of the shot's ``Palette``                                             | NO_BLOCK     |
| face    | uint8[h, w]    | direction 0..5 (-x +x -z +z -y +y); 6: any face of a model                | NO_FACE      |
| light   | uint16[h, w]   | R, G << 4, B << 8, D << 12, each 0..15, of the block before the face      | 0            |
| state   | uint8[h, w]    | ``Knowledge`` of the sub-chunk that holds the block                       | OUTSIDE, 255 |
| cell    | int32[h, w, 3] | the block's x, y, z in the world                                          | NO_CELL each |
| mirror  | uint32[h, w]   | the same row as ``block``, but of what the GPU's brick holds at ``cell``  | NO_BLOCK     |

Row 0 is the top of the picture, column 0 its left.

Rules:
1. All but colour are of the nearest surface: opaque, cut-out (texels with alpha under a half at full size are holes),
   model, glass or liquid, whichever comes first, however clear it is. Overlays, sky and air show in colour alone.
2. ``block`` is what the mesh says it shows. It differs from ``mirror`` where liquid fills a block of another kind, and
   where meshes or bricks are behind; a shot waits until nothing is.
3. A model's light is that of its own block, as its picture's is; so is that of a liquid's surface seen from inside.
4. ``state`` is looked up in the store by ``cell``; the others come from the GPU.
"""

from collections.abc import Sequence
from typing import Final

from client.world.lifecycle import Knowledge
from render.passes.semantic import MODEL_FACE

COLOUR: Final = "colour"
CHANNELS: Final = (COLOUR, "depth", "block", "face", "light", "state", "cell", "mirror")
"""Every channel's name."""

NO_BLOCK: Final = 0xFFFFFFFF
NO_FACE: Final = 255
NO_CELL: Final = -(1 << 31)
NO_STATE: Final = int(Knowledge.OUTSIDE)

__all__ = ["CHANNELS", "COLOUR", "MODEL_FACE", "NO_BLOCK", "NO_CELL", "NO_FACE", "NO_STATE", "checked"]


def checked(channels: Sequence[str]) -> tuple[str, ...]:
    """The channels named, each once, in the order of ``CHANNELS``.

    Raises:
        ValueError: naming the first that is none, or that none is named.
    """
    for name in channels:
        if name not in CHANNELS:
            raise ValueError(f"There is no channel '{name}'; there are {', '.join(CHANNELS)}.")
    if not channels:
        raise ValueError(f"A shot needs a channel; there are {', '.join(CHANNELS)}.")
    return tuple(name for name in CHANNELS if name in channels)
