"""Why blocks that are known are not in the picture, or not as they should be: in a sentence for people.

Its first word says which half of the work is behind: *Unmeshed*, the quads of its render cell; *Unlit*, the light of
its column, or room for it on the GPU; or it lies too far off. What is drawn as it should be has no sentence.
"""

import numpy as np

from net.space.positions import BlockPos, ColumnPos
from render.scene.failures import Failure
from render.scene.picture import Picture
from render.scene.residency import FAR
from render.scene.standing import Standing

MESH, LIGHT = "mesh of render cell", "light of column"
ROOMLESS = "Unlit: the GPU has no room for the light that falls on it, so it is not drawn"


def undrawn(at: Standing, block: BlockPos, picture: Picture) -> str:
    """The sentence without its full stop; empty where nothing is behind.

    Args:
        at: what stands where.
        block: of an announced column.
        picture: state of its render cell.
    """
    cell, column = block.subchunk.cell, block.column
    row = at.world.row_of[column]
    if picture is Picture.ABSENT and at.residency.far(np.array([column], np.int32))[0]:
        return FAR
    if picture in (Picture.ABSENT, Picture.EMPTY):
        return ""
    if picture is Picture.FAILED:
        return f"Unmeshed: {_failed(at, MESH, cell, 'the mesh of its render cell could not be made')}"
    if picture is Picture.DIRTY:
        return "Unmeshed: the mesh of its render cell is still to be made"
    if unlit := _unlit(at, row, column):
        return unlit
    waits = "Unmeshed: its mesh is made and waits for its turn to be drawn"
    return waits if picture is Picture.READY else _without_room(at, row, cell.y)


def _unlit(at: Standing, row: int, column: ColumnPos) -> str:
    """Why a column has no light, or too old one."""
    if row in at.lighting.given_up:
        return f"Unlit: {_failed(at, LIGHT, column, 'the light of its column could not be made')}"
    return "" if at.row_lit[row] else "Unlit: the light of its column is still to be made"


def _without_room(at: Standing, row: int, height: int) -> str:
    """Whether the GPU has room for all the light that a cell's faces may take."""
    cells = np.array([row * at.grid.tall + height - at.grid.low])
    return "" if at.mirror.lit_wholly(at.world, at.grid, cells)[0] else ROOMLESS


def _failed(at: Standing, what: str, place: tuple[int, ...], plain: str) -> str:
    """What is remembered of the last failure of a piece of work; the plain words where it is forgotten."""
    found = (one for one in reversed(at.failures.last) if (one.what, tuple(one.at)) == (what, tuple(place)))
    failure: Failure | None = next(found, None)
    return plain if failure is None else failure.words
