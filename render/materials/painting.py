"""One face's recipe -> its picture."""

import numpy as np

from render.materials.canvas import Picture, colour
from render.materials.grain import Grain
from render.materials.marks import MARKS
from render.materials.mips import Textures
from render.materials.painters import PAINTERS
from render.materials.words import FaceRecipe


def paint(look: FaceRecipe, frame: int = 0) -> Textures:
    """One picture, uint8[16, 16, 4]; of one that moves, that number in its loop.

    Raises:
        KeyError: no such painter.
        TypeError: the painter wants another number of colours.
    """
    recipe = look.recipe
    painter = PAINTERS[recipe.painter]
    moved = {"frame": frame} if frame else {}
    grain = Grain(" ".join((recipe.painter, *recipe.colours)))
    picture: Picture = painter(grain, *map(colour, recipe.colours), **moved)
    if look.mark:
        picture = MARKS[look.mark](picture)
    if look.turned:
        picture = np.rot90(picture)
    return np.rint(np.minimum(np.maximum(picture, 0), 255)).astype(np.uint8)
