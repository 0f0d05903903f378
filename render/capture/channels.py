"""The channels of a shot: what each holds for a pixel, and its value for "nothing".

| channel | dtype, shape   | what a pixel holds                                                        | for nothing  |
|---------|----------------|---------------------------------------------------------------------------|--------------|
| colour  | uint8[h, w, 4] | the picture, RGBA                                                         | the sky      |
| depth   | float32[h, w]  | blocks from the eye along the look                                        | inf          |
| block   | uint32[h, w]   | row of the shot's ``ShotPalette``                                         | NO_BLOCK     |
| face    | uint8[h, w]    | direction 0..5 (-x +x -z +z -y +y); 6: any face of a model                | NO_FACE      |
| light   | uint16[h, w]   | R, G << 4, B << 8, D << 12, each 0..15, of the block before the face      | 0            |
| state   | uint8[h, w]    | ``SubChunkState`` of the sub-chunk that holds the block                   | OUTSIDE, 255 |
| cell    | int32[h, w, 3] | the block's x, y, z in the world                                          | NO_CELL each |
| mirror  | uint32[h, w]   | the same row as ``block``, but of what the GPU's brick holds at ``cell``  | NO_BLOCK     |
| entity  | uint32[h, w]   | number of the entity in the session, where entities are drawn             | NO_ENTITY    |

Row 0 is the top of the picture, column 0 its left.

Rules:
1. All channels except colour belong to the nearest surface: opaque, cut-out (texels with alpha below 0.5 are holes
   at full size), model, glass or liquid, even if it is nearly clear. Overlays, sky and air appear in colour only.
2. ``block`` is the block of the mesh. It differs from ``mirror`` where a liquid fills another block, and where meshes
   or bricks are out of date; a shot waits until none is.
3. The light of a model, and of a liquid's surface seen from inside, is the light of its own block.
4. An entity in front of all surfaces has its own depth. ``cell`` is the block that contains its centre, ``light``
   and ``state`` belong to that block, and block and face are "nothing".
5. ``state`` is looked up in the store by ``cell``; the other channels come from the GPU.

Rows of ``ShotPalette`` mean the same in every session of one protocol, unlike dense ids:
1. With runtime ids by index, a state's row is its index in the palette of the protocol. With hashed ids, rows ascend by
   hash.
2. After them come the placeholder, if the palette has none, then ids that the palette does not know, ordered by runtime
   id and then by name, whatever the order of arrival.
"""

import json
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.player import View
from client.world.block_table import BlockTable
from client.world.lifecycle import SubChunkState
from client.world.store import Store
from net.arrays import F32, F64, I32, U8, U16, U32, Bools
from net.space import ColumnPos
from render.gpu.targets import Pixels, Places4, Shown4
from render.passes.semantic import ENTITY, MODEL_FACE

__all__ = ["MODEL_FACE"]


COLOUR: Final = "colour"
CHANNELS: Final = (COLOUR, "depth", "block", "face", "light", "state", "cell", "mirror", "entity")
"""Every channel's name."""

NO_BLOCK: Final = 0xFFFFFFFF
NO_ENTITY: Final = 0xFFFFFFFF
NO_FACE: Final = 255
NO_CELL: Final = -(1 << 31)
NO_STATE: Final = int(SubChunkState.OUTSIDE)


def checked(channels: Sequence[str]) -> tuple[str, ...]:
    """The named channels, each once, in the order of ``CHANNELS``. Raises ValueError: unknown channel."""
    for name in channels:
        if name not in CHANNELS:
            raise ValueError(f"Unknown channel '{name}': choose from {', '.join(CHANNELS)}.")
    if not channels:
        raise ValueError(f"A shot needs a channel: choose from {', '.join(CHANNELS)}.")
    return tuple(name for name in CHANNELS if name in channels)


NO_RUNTIME_ID: Final = 0xFFFFFFFF
"""What ``runtime_ids`` says of a state that has none."""


class ShotPalette(msgspec.Struct, frozen=True):
    """The rows that a shot's ``block`` and ``mirror`` point to."""

    names: npt.NDArray[np.str_]  # unicode[n] with their ``minecraft:`` prefix
    states: npt.NDArray[np.str_]  # unicode[n] JSON of each state's names and values
    runtime_ids: U32  # uint32[n], as on the wire; NO_RUNTIME_ID if the row has none
    row_of_dense: U32  # uint32[dense ids in use] each dense id's row

    @classmethod
    def of(cls, table: BlockTable) -> "ShotPalette":
        """Rows of everything that a table knows now."""
        states = table.states
        ids = table.runtime_ids[: len(states)]
        known = len(states) - table.appended
        words = [json.dumps(dict(state.states), sort_keys=True) for state in states]
        order = sorted(
            range(len(states)),
            key=lambda dense: (dense >= known, ids[dense] < 0, ids[dense], states[dense].name, words[dense]),
        )
        row_of_dense = np.empty(len(order), np.uint32)
        row_of_dense[order] = np.arange(len(order), dtype=np.uint32)
        return cls(
            np.array([states[dense].name for dense in order]),
            np.array([words[dense] for dense in order]),
            (ids[order] & 0xFFFFFFFF).astype(np.uint32),
            row_of_dense,
        )


# ---------------------------------------------------------------- shot arrays


def view_numbers(view: View) -> F64:
    """Eye, yaw, pitch, field of view; then the picture's height in blocks where it is orthographic."""
    lens = [] if view.ortho_blocks is None else [view.ortho_blocks]
    return np.array([*view.eye, view.yaw_deg, view.pitch_deg, view.fov_deg, *lens])


class Shot(msgspec.Struct, frozen=True):
    """What one view showed. A channel that was not asked for is None; ``channels`` says what each holds."""

    view: View  # where from, and which way
    size_px: tuple[int, int]  # width, height
    palette: ShotPalette | None = None  # rows of ``block`` and ``mirror``; None where neither was asked for
    colour: Pixels | None = None  # uint8[h, w, 4]
    depth: npt.NDArray[np.float32] | None = None  # float32[h, w]
    block: npt.NDArray[np.uint32] | None = None  # uint32[h, w]
    face: npt.NDArray[np.uint8] | None = None  # uint8[h, w]
    light: npt.NDArray[np.uint16] | None = None  # uint16[h, w]
    state: npt.NDArray[np.uint8] | None = None  # uint8[h, w]
    cell: npt.NDArray[np.int32] | None = None  # int32[h, w, 3]
    mirror: npt.NDArray[np.uint32] | None = None  # uint32[h, w]
    entity: npt.NDArray[np.uint32] | None = None  # uint32[h, w]

    @property
    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        found = {name: getattr(self, name) for name in CHANNELS}
        return {name: array for name, array in found.items() if array is not None}


class SemanticSurfaces(msgspec.Struct, frozen=True):
    """What the semantic pass drew, with dense ids."""

    drawn: Bools  # bool[h, w] whether a block is there; where neither that nor an entity is, the others mean nothing
    cell: I32  # int32[h, w, 3] the block
    face: U8  # uint8[h, w] 0..6
    depth: F32  # float32[h, w] blocks along the look
    dense: U16  # uint16[h, w] the mesh's block id
    brick: U16  # uint16[h, w] the id that the block's brick holds
    light: U16  # uint16[h, w] packed
    entity: U32  # uint32[h, w] an entity's number, or NO_ENTITY

    @classmethod
    def of(cls, place: Places4, shown: Shown4) -> "SemanticSurfaces":
        """Reads both attachments of a ``SemanticTarget``."""
        return cls(
            drawn=shown[..., 3] == 1,
            cell=place[..., :3],
            face=place[..., 3].astype(np.uint8),
            depth=np.ascontiguousarray(shown[..., 0]).view(np.float32),
            dense=(shown[..., 1] & 0xFFFF).astype(np.uint16),
            brick=(shown[..., 1] >> 16).astype(np.uint16),
            light=shown[..., 2].astype(np.uint16),
            entity=np.where(shown[..., 3] == ENTITY, shown[..., 1], np.uint32(NO_ENTITY)),
        )

    def channel(self, name: str, palette: ShotPalette, world: Store) -> npt.NDArray[np.generic]:
        """One channel but colour, as ``channels`` describes it."""
        if name == "entity":
            return self.entity
        there = self.drawn | (self.entity != NO_ENTITY)
        if name == "depth":
            return np.where(there, self.depth, np.float32(np.inf))
        if name in ("block", "mirror"):
            rows = palette.row_of_dense[self.dense if name == "block" else self.brick]
            return np.where(self.drawn, rows, np.uint32(NO_BLOCK))
        if name == "face":
            return np.where(self.drawn, self.face, np.uint8(NO_FACE))
        if name == "light":
            return np.where(there, self.light, np.uint16(0))
        if name == "cell":
            return np.where(there[..., None], self.cell, np.int32(NO_CELL))
        return states_at(world, self.cell, there)


def states_at(world: Store, cells: I32, drawn: Bools) -> U8:
    """SubChunkState of the sub-chunk of each block: uint8[h, w]; NO_STATE where nothing is drawn or known."""
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
