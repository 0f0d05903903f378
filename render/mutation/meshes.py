"""Defects of one render cell's mesh, in its packed quads."""

import numpy as np
import numpy.typing as npt

from net.space.layout import BlockIds
from render.mesh.vertex_format import (
    CUBE,
    CUBE_GROUPS,
    CUBE_WORDS,
    FACE_HEIGHT_AXIS,
    FACE_WIDTH_AXIS,
    GROUPS,
    MODEL,
    MODEL_WORDS,
    Group,
    Words,
)

Counts = npt.NDArray[np.int32]
CELL_BLOCKS = (16, 32, 16)
"""Size of a render cell along x, y, z."""
AXES = ("x", "y", "z")
SIXTEENTHS = 16
UNITS = np.where(np.arange(GROUPS) < CUBE_GROUPS, 1, MODEL_WORDS // CUBE_WORDS)
"""Of the arena, that a quad of each group takes."""


def without(units: Words, counts: Counts, group: Group) -> tuple[Words, Counts]:
    """A mesh without the quads of one group of cubes; sloping liquids go with the others."""
    gone = (Group.LIQUID, Group.SLOPE) if group is Group.LIQUID else (group,)
    of = np.repeat(np.arange(GROUPS), counts * UNITS)
    kept = ~np.isin(of, gone)
    fewer = counts.copy()
    fewer[list(gone)] = 0
    return units[kept], fewer


def shifted(units: Words, counts: Counts, axis: int, by: int) -> tuple[Words, Counts]:
    """A mesh one block aside; what of its quads would leave their cell is left out.

    Args:
        units: uint32[n, 2] as the arena holds them.
        counts: int32[11] quads by group.
        axis: 0 x, 1 y, 2 z.
        by: 1 or -1.
    """
    cubes = units[: counts[:CUBE_GROUPS].sum()].copy()
    models = units[len(cubes) :].reshape(-1, MODEL_WORDS).copy()
    groups = np.repeat(np.arange(CUBE_GROUPS), counts[:CUBE_GROUPS])
    low, extent = _raw(cubes, "CUBE", AXES[axis]), _extents(cubes, axis)
    out = (low + by < 0) | (low + by + extent > CELL_BLOCKS[axis])
    stay = ~out | (extent > 1)
    _cut(cubes, axis, out & stay)
    _add(cubes, "CUBE", AXES[axis], np.where(low + by < 0, 0, by))
    block = _raw(models, "MODEL", f"block_{AXES[axis]}") + by
    inside = (block >= 0) & (block < CELL_BLOCKS[axis])
    models = models[inside]
    _add(models, "MODEL", AXES[axis], by * SIXTEENTHS)
    _add(models, "MODEL", f"block_{AXES[axis]}", by)
    kinds = np.repeat(np.arange(CUBE_GROUPS, GROUPS), counts[CUBE_GROUPS:])
    fewer = np.bincount(np.concatenate([groups[stay], kinds[inside]]), minlength=GROUPS).astype(np.int32)
    return np.concatenate([cubes[stay], models.reshape(-1, 2)]), fewer


def _cut(cubes: Words, axis: int, which: npt.NDArray[np.bool_]) -> None:
    """Makes merged quads one block shorter along an axis."""
    face = _raw(cubes, "CUBE", "face")
    for name, axes in (("width", FACE_WIDTH_AXIS), ("height", FACE_HEIGHT_AXIS)):
        _add(cubes, "CUBE", name, np.where(which & (np.array(axes)[face] == axis), -1, 0))


def _extents(cubes: Words, axis: int) -> npt.NDArray[np.int64]:
    """How far each quad reaches along an axis, in blocks: its own block's one at least."""
    face = _raw(cubes, "CUBE", "face")
    width = np.where(np.array(FACE_WIDTH_AXIS)[face] == axis, _raw(cubes, "CUBE", "width"), 0)
    return width + np.where(np.array(FACE_HEIGHT_AXIS)[face] == axis, _raw(cubes, "CUBE", "height"), 0) + 1


def _raw(words: Words, layout: str, name: str) -> npt.NDArray[np.int64]:
    """A field as it is packed, without its bias."""
    field = (CUBE if layout == "CUBE" else MODEL)[name]
    return (words[:, field.word] >> np.uint32(field.shift) & np.uint32(field.mask)).astype(np.int64)


def _add(words: Words, layout: str, name: str, by: int | npt.NDArray[np.int64]) -> None:
    field = (CUBE if layout == "CUBE" else MODEL)[name]
    value = (_raw(words, layout, name) + by) & field.mask
    rest = words[:, field.word] & ~np.uint32(field.mask << field.shift)
    words[:, field.word] = rest | (value << field.shift).astype(np.uint32)


def shifted_blocks(values: BlockIds, axis: int, by: int) -> BlockIds:
    """The blocks of a render cell one aside, nothing where they left: [2, 4096] by section, as slots have them."""
    cube = values.reshape(2, 16, 16, 16).transpose(1, 2, 0, 3).reshape(16, 16, 32)  # x, z, y
    at = (0, 2, 1)[axis]
    moved = np.roll(cube, by, axis=at)
    edge = [slice(None)] * 3
    edge[at] = slice(0, 1) if by > 0 else slice(-1, None)
    moved[tuple(edge)] = 0
    result: BlockIds = moved.reshape(16, 16, 2, 16).transpose(2, 0, 1, 3).reshape(2, 4096)
    return np.ascontiguousarray(result)


def blocks_without(blocks: BlockIds, low: int, high: int) -> BlockIds:
    """Blocks with air for the ids ``low`` to ``high`` - 1."""
    gone = (blocks >= low) & (blocks < high)
    return np.where(gone, np.uint16(0), blocks).astype(np.uint16)
