"""Shots made small: the palette cut down to what is shown, and channels packed for a file in a repository.

Packing loses nothing but depth's last bits: depths are kept as float16, one part in 2,048, far finer than they are
compared. Cells are kept relative to the eye's block, and cells and depths as differences from the pixel to their left,
which deflates to a quarter (measured on the project's own scenes).
"""

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.player import Eye, View
from render.capture.channels import NO_BLOCK, NO_CELL, NO_ENTITY, NO_RUNTIME_ID, Shot, ShotPalette, view_numbers

Arrays = dict[str, npt.NDArray[Any]]

NO_ROW: Final = 0xFFFF
"""In a packed shot: nothing is shown."""
FAR: Final = np.int16(np.iinfo(np.int16).min)
"""In a packed shot: no cell."""


def compacted(shot: Shot) -> Shot:
    """The same with a palette of the states that are shown, in their order; small enough to be sent and kept."""
    if shot.palette is None or (shot.block is None and shot.mirror is None):
        return replace(shot, palette=None)
    shown = [array for array in (shot.block, shot.mirror) if array is not None]
    rows = np.unique(np.concatenate([np.unique(array) for array in shown]))
    rows = rows[rows != NO_BLOCK]
    old = shot.palette
    palette = ShotPalette(old.names[rows], old.states[rows], old.runtime_ids[rows], np.empty(0, np.uint32))
    return replace(shot, palette=palette, block=_renumbered(shot.block, rows), mirror=_renumbered(shot.mirror, rows))


def _renumbered(array: npt.NDArray[np.uint32] | None, rows: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32] | None:
    if array is None:
        return None
    return np.where(array == NO_BLOCK, np.uint32(NO_BLOCK), np.searchsorted(rows, array).astype(np.uint32))


def packed(shot: Shot) -> Arrays:
    """Everything but colour, as arrays of an .npz."""
    shot = compacted(shot)
    view = shot.view
    arrays: Arrays = {
        "view": view_numbers(view),
        "size": np.array(shot.size_px, np.int32),
    }
    if shot.palette is not None:
        arrays["names"], arrays["states"] = shot.palette.names, shot.palette.states
    for name in ("face", "light", "state"):
        if (array := getattr(shot, name)) is not None:
            arrays[name] = array
    for name in ("block", "mirror"):
        if (array := getattr(shot, name)) is not None:
            arrays[name] = np.where(array == NO_BLOCK, NO_ROW, array).astype(np.uint16)
    if shot.mirror is not None and shot.block is not None and np.array_equal(shot.mirror, shot.block):
        arrays["mirror"] = np.empty(0, np.uint16)  # as block
    if shot.depth is not None:
        arrays["depth"] = _steps(shot.depth.astype(np.float16).view(np.uint16))
    if shot.entity is not None and (shot.entity != NO_ENTITY).any():
        arrays["entity"] = shot.entity
    if shot.cell is not None:
        arrays["cell"] = _packed_cells(shot.cell, view.eye)
    return arrays


def unpacked(arrays: Arrays) -> Shot:
    """What ``packed`` made, without colour. Raises ValueError: it is something else."""
    try:
        return _unpacked(arrays)
    except (KeyError, IndexError, TypeError, OverflowError) as error:
        raise ValueError(f"it is not a shot: {error!r}") from None


def _unpacked(arrays: Arrays) -> Shot:
    x, y, z, *lens = arrays["view"].tolist()
    width, height = arrays["size"].tolist()
    eye = Eye(x, y, z)
    channels: Arrays = {name: arrays[name] for name in ("face", "light", "state", "entity") if name in arrays}
    if "block" in arrays:
        channels["block"] = _rows(arrays["block"])
    if "mirror" in arrays:
        channels["mirror"] = _rows(arrays["mirror"]) if arrays["mirror"].size else channels["block"].copy()
    if "depth" in arrays:
        channels["depth"] = _sums(arrays["depth"]).view(np.float16).astype(np.float32)
    if "cell" in arrays:
        channels["cell"] = _unpacked_cells(arrays["cell"], eye)
    for name, array in channels.items():
        if array.shape[:2] != (height, width):
            raise ValueError(f"{name} has the shape {array.shape}, not {height} x {width}")
    palette = None
    if "names" in arrays:
        count = len(arrays["names"])
        palette = ShotPalette(arrays["names"], arrays["states"], np.full(count, NO_RUNTIME_ID, np.uint32), _no_dense())
    return Shot(View(eye, *lens), (width, height), palette, **channels)


def _no_dense() -> npt.NDArray[np.uint32]:
    return np.empty(0, np.uint32)


def _rows(packed_rows: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint32]:
    return np.where(packed_rows == NO_ROW, np.uint32(NO_BLOCK), packed_rows.astype(np.uint32))


def _packed_cells(cell: npt.NDArray[np.int32], eye: Eye) -> npt.NDArray[np.uint16]:
    """uint16[3, h, w]: relative to the eye's block, as steps."""
    origin = np.array([math.floor(part) for part in eye], np.int32)
    near = np.where(cell == NO_CELL, np.int32(FAR), cell - origin).astype(np.int16)
    return _steps(np.ascontiguousarray(near.transpose(2, 0, 1)).view(np.uint16))


def _unpacked_cells(cell: npt.NDArray[np.uint16], eye: Eye) -> npt.NDArray[np.int32]:
    origin = np.array([math.floor(part) for part in eye], np.int32)
    near = _sums(cell).view(np.int16).transpose(1, 2, 0)
    return np.ascontiguousarray(np.where(near == FAR, np.int32(NO_CELL), near.astype(np.int32) + origin))


def _steps(array: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """Each pixel as the difference from the one to its left, wrapping."""
    steps = array.copy()
    steps[..., 1:] -= array[..., :-1]
    return steps


def _sums(steps: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    return np.add.accumulate(steps, axis=-1, dtype=np.uint16)
