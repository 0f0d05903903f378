"""Frozen snapshots of entities for drawing, row by row in no order.

An entity is drawn between ``before`` and ``position``, by how much of ``GLIDE_US`` has passed since ``moved_at``; at
``position`` if it was teleported. ``before`` is where it was drawn when the last move came, so that faster moves join
without a jump.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


class EntityPicture(msgspec.Struct, frozen=True, eq=False):
    """A snapshot; its arrays are read-only, and all have one row an entity."""

    version: int  # changes when any other field does
    kinds: tuple[str, ...]  # types, for example ``minecraft:pig``
    rows: npt.NDArray[np.uint32]  # an entity's number, unique in this session; never 4294967295
    kind: npt.NDArray[np.uint16]  # index in ``kinds``
    position: Positions  # [n, 3] feet, after the last move
    before: Positions  # [n, 3] feet, where it was drawn when the last move came
    moved_at: npt.NDArray[np.int64]  # time of the last move, in microseconds of the session's clock
    teleported: Bools  # whether it is at ``position`` at once
    angles: Floats  # [n, 3] pitch, yaw, head's yaw in degrees, after the last move
    angles_before: Floats  # [n, 3] as drawn when the last move came
    size: Floats  # [n, 2] width and height in blocks, scaled
    name: tuple[str, ...]  # name tags; may be empty
    name_always: Bools  # whether the name is shown from everywhere
    invisible: Bools  # whether it exists and is not drawn
    block: npt.NDArray[np.int32]  # dense id of the block that it is or carries (falling, in a minecart, as item), or -1
    item: Bools  # whether it is an item on the ground
    painting: tuple[str, ...]  # motif of a painting; empty for others
    direction: npt.NDArray[np.int8]  # of a painting, 0..3 from +Z to -X; 0 for others


TRACK_S: Final = 5.0  # length of the tracks


class EntityTracks(msgspec.Struct, frozen=True, eq=False):
    """Present positions of entities, and the positions of their last moves: by entity, then by time."""

    now_us: int  # time of the snapshot, in the session's clock
    entities: EntityPicture
    heard_at: npt.NDArray[np.int64]  # by row of ``entities``: time of the last packet about it
    numbers: npt.NDArray[np.uint32]  # [m] number of the entity, as ``EntityPicture.rows``; some may be gone
    positions: Positions  # [m, 3] feet after the move
    teleported: Bools  # [m] whether it was teleported there
    far: tuple[tuple[str, tuple[float, float, float]], ...]  # players too far away to be entities: name, position
