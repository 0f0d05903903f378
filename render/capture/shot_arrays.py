"""A shot: arrays of one view at one moment, and what is needed to read them; made from what the GPU drew."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from client.player import View
from client.world.interface import World
from net.frozen import frozen
from net.space.positions import ColumnPos
from render.capture.channels import CHANNELS, NO_BLOCK, NO_CELL, NO_FACE, NO_STATE
from render.capture.palette import Palette
from render.gpu.semantic_target import Places4, Shown4
from render.gpu.target import Pixels


class StatedWorld(World, Protocol):
    """A store, with the states of its places."""

    @property
    def state(self) -> npt.NDArray[np.uint8]:
        """[places] Knowledge."""
        ...


def view_numbers(view: View) -> npt.NDArray[np.float64]:
    """Eye, yaw, pitch, field of view; then the picture's height in blocks where it is orthographic."""
    lens = [] if view.ortho_blocks is None else [view.ortho_blocks]
    return np.array([*view.eye, view.yaw_deg, view.pitch_deg, view.fov_deg, *lens])


@frozen
class Shot:
    """What one view showed. A channel that was not asked for is None; ``channels`` says what each holds.

    Attributes:
        view: where from, and which way.
        size_px: width, height.
        palette: rows of ``block`` and ``mirror``; None where neither was asked for.
        colour: uint8[h, w, 4].
        depth: float32[h, w].
        block: uint32[h, w].
        face: uint8[h, w].
        light: uint16[h, w].
        state: uint8[h, w].
        cell: int32[h, w, 3].
        mirror: uint32[h, w].
    """

    view: View
    size_px: tuple[int, int]
    palette: Palette | None = None
    colour: Pixels | None = None
    depth: npt.NDArray[np.float32] | None = None
    block: npt.NDArray[np.uint32] | None = None
    face: npt.NDArray[np.uint8] | None = None
    light: npt.NDArray[np.uint16] | None = None
    state: npt.NDArray[np.uint8] | None = None
    cell: npt.NDArray[np.int32] | None = None
    mirror: npt.NDArray[np.uint32] | None = None

    @property
    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """The channels that were asked for, by name."""
        found = {name: getattr(self, name) for name in CHANNELS}
        return {name: array for name, array in found.items() if array is not None}


@frozen
class Surfaces:
    """What the semantic pass drew, with dense ids.

    Attributes:
        drawn: bool[h, w] whether anything is there; where not, the others mean nothing.
        cell: int32[h, w, 3] the block.
        face: uint8[h, w] 0..6.
        depth: float32[h, w] blocks along the look.
        dense: uint16[h, w] the mesh's block id.
        brick: uint16[h, w] the id that the block's brick holds.
        light: uint16[h, w] packed.
    """

    drawn: npt.NDArray[np.bool_]
    cell: npt.NDArray[np.int32]
    face: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.float32]
    dense: npt.NDArray[np.uint16]
    brick: npt.NDArray[np.uint16]
    light: npt.NDArray[np.uint16]

    @classmethod
    def of(cls, place: Places4, shown: Shown4) -> "Surfaces":
        """Reads both attachments of a ``SemanticTarget``."""
        return cls(
            drawn=shown[..., 3] == 1,
            cell=place[..., :3],
            face=place[..., 3].astype(np.uint8),
            depth=np.ascontiguousarray(shown[..., 0]).view(np.float32),
            dense=(shown[..., 1] & 0xFFFF).astype(np.uint16),
            brick=(shown[..., 1] >> 16).astype(np.uint16),
            light=shown[..., 2].astype(np.uint16),
        )

    def channel(self, name: str, palette: Palette, world: StatedWorld) -> npt.NDArray[np.generic]:
        """One channel but colour, as ``channels`` describes it."""
        if name == "depth":
            return np.where(self.drawn, self.depth, np.float32(np.inf))
        if name in ("block", "mirror"):
            rows = palette.row_of_dense[self.dense if name == "block" else self.brick]
            return np.where(self.drawn, rows, np.uint32(NO_BLOCK))
        if name == "face":
            return np.where(self.drawn, self.face, np.uint8(NO_FACE))
        if name == "light":
            return np.where(self.drawn, self.light, np.uint16(0))
        if name == "cell":
            return np.where(self.drawn[..., None], self.cell, np.int32(NO_CELL))
        return states_at(world, self.cell, self.drawn)


def states_at(world: StatedWorld, cells: npt.NDArray[np.int32], drawn: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Knowledge of the sub-chunk of each block: uint8[h, w]; NO_STATE where nothing is drawn or known."""
    result = np.full(drawn.shape, NO_STATE, np.uint8)
    shown = np.flatnonzero(drawn)
    if not len(shown):
        return result
    x, y, z = (cells[..., axis].reshape(-1)[shown] >> 4 for axis in range(3))  # a third of the time of whole rows
    low, high = (np.array([ends(axis) for axis in (x, y, z)]) for ends in (np.min, np.max))
    shape = high - low + 1
    box = np.full(shape, NO_STATE, np.uint8)
    floor, sections = world.dimension.floor_section, world.dimension.sections
    bottom, top = max(int(low[1]), floor), min(int(high[1]) + 1, floor + sections)
    for column_x in range(low[0], high[0] + 1):
        for column_z in range(low[2], high[2] + 1):
            if row := world.row_of.get(ColumnPos(column_x, column_z), 0):
                first = row * sections - floor
                box[column_x - low[0], bottom - low[1] : top - low[1], column_z - low[2]] = world.state[
                    first + bottom : first + top
                ]
    index = ((x - low[0]) * shape[1] + (y - low[1])) * shape[2] + (z - low[2])
    result.reshape(-1)[shown] = box.reshape(-1)[index]
    return result
