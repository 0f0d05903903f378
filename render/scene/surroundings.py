"""What all passes of a frame must know of the world around the eye: its range, where it ends, and what falls there.

Kept from frame to frame: looked at again when columns came or went, or the eye came to another block or column.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from client.light.slots import FULL_DAYLIGHT
from client.streaming.anchors import RELEASE_MARGIN_COLUMNS
from net.space.layout import ColumnPositions
from render.camera import Camera
from render.passes.frame import Volume
from render.passes.weather import Sheets
from render.scene.attached import Attached
from render.scene.eye_medium import medium_at
from render.scene.fog import Fog, fog_of
from render.scene.mirror import Mirror
from render.scene.precipitation import sheets_around
from render.scene.tint_map import TintMap

Vector = tuple[float, float, float]
NO_FOG_BLOCKS: Final = 1e6
NO_RIM_BLOCKS: Final = 1e-3


class Surroundings:
    """One scene's. Owner thread only."""

    def __init__(self, mirror: Mirror, tints: TintMap, radius_columns: int) -> None:
        """Knows where the mirror and the tints lie, and how far one wants to see."""
        self._mirror = mirror
        self._tints = tints
        self._radius_columns = radius_columns
        self._fogged: tuple[tuple[Attached, int, float, float], Fog] | None = None
        self._falling: tuple[tuple[int, int, int, int], Sheets] | None = None
        self._volume: tuple[tuple[object, ...], Volume] | None = None

    def sheets(self, attached: Attached, camera: Camera) -> Sheets:
        """Where something falls; the same array while neither the eye's block nor the world changes."""
        key = id(attached), attached.version, *camera.eye_block[::2]
        if self._falling is None or self._falling[0] != key:
            self._falling = key, sheets_around(attached.world, camera.eye)
        return self._falling[1]

    def volume(self, attached: Attached, eye: Vector) -> Volume:
        """The constants of a frame that follow from the world; the same object while they do not change."""
        masks = self._mirror.light.table_mask, self._mirror.blocks.table_mask, self._tints.mask
        key = attached, attached.version, eye, masks
        if self._volume is None or self._volume[0] != key:
            self._volume = key, self._volume_at(attached, eye)
        return self._volume[1]

    def _volume_at(self, attached: Attached, eye: Vector) -> Volume:
        world = attached.world
        fog = self._fog(attached, eye)
        return Volume(
            floor_y_blocks=world.dimension.floor_y_blocks,
            roof_y_blocks=world.dimension.roof_y_blocks,
            light_above=FULL_DAYLIGHT if world.dimension.has_sky else 0,
            light_below=0,
            fog_start_blocks=fog.start,
            fog_end_blocks=fog.end,
            rim_blocks=fog.rim,
            loaded_blocks=fog.loaded,
            light_mask=self._mirror.light.table_mask,
            block_mask=self._mirror.blocks.table_mask,
            tint_mask=self._tints.mask,
            medium=medium_at(world, eye),
        )

    def _fog(self, attached: Attached, eye: Vector) -> Fog:
        """Where the world ends: looked at again when columns came or went, or the eye came to another one."""
        seen_from = attached, attached.version, eye[0] // 16, eye[2] // 16
        if self._fogged is None or self._fogged[0] != seen_from:
            self._fogged = seen_from, fog_of(self._columns_around(attached, eye), self._radius_columns)
        return self._fogged[1]

    def _columns_around(self, attached: Attached, eye: Vector) -> ColumnPositions:
        """Columns that are shown and not so far from the eye that they belong to somebody else's anchor."""
        columns: ColumnPositions = attached.world.columns[np.flatnonzero(attached.residency.shown)]
        if not attached.residency.anchored:
            return columns
        at = np.array([eye[0], eye[2]]) // 16
        near = columns[np.abs(columns - at).max(axis=1, initial=0) <= self._radius_columns + RELEASE_MARGIN_COLUMNS]
        return near if len(near) else columns


def without_fog(volume: Volume) -> Volume:
    """The same seen from far outside of what is loaded: nothing fades."""
    return replace(volume, fog_start_blocks=NO_FOG_BLOCKS, fog_end_blocks=2 * NO_FOG_BLOCKS, rim_blocks=NO_RIM_BLOCKS)
