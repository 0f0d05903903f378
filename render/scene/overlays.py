"""The overlays of one scene: which there are, and what each draws over a finished frame.

``states`` what is known of each sub-chunk, and which meshes failed
``light-seams`` sides of sub-chunks through which light may still come from what is missing (``scene.seams``)
``xray-placeholder``, ``xray-air`` what terrain hides (``passes.xray``)

Rules:
1. Those that march through the mirror come first, boxes over them, seams last.
2. Boxes and seams are those of the columns around the look's anchor, all of them where there is none.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.visibility.frustum import Frustum
from client.world.lifecycle import Knowledge
from net.space.layout import SubChunkPositions
from render.camera import Camera
from render.gpu.device import Gpu
from render.gpu.errors import RenderError
from render.gpu.target import Target
from render.passes.look import Look
from render.passes.overlays import BoxesPass, boxes, seam_boxes
from render.passes.state_styles import FAILED_STATE, HANGING_STATE, WAITING_STATE
from render.passes.xray import XRAYS, XrayPass
from render.scene.attached import Attached

STATES_OVERLAY: Final = "states"
SEAMS_OVERLAY: Final = "light-seams"
OVERLAYS: Final = (STATES_OVERLAY, *XRAYS, SEAMS_OVERLAY)


def check_overlays(names: frozenset[str]) -> None:
    """Looks for names of overlays that are not there.

    Raises:
        RenderError: an overlay of that name is not there.
    """
    if names and (unknown := names - set(OVERLAYS)):
        raise RenderError(f"no overlay called {sorted(unknown)[0]!r}; there are {', '.join(OVERLAYS)}")


class Overlays:
    """Draws them. Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles what draws boxes; the rest for the first one who asks."""
        self._gpu = gpu
        self._boxes = BoxesPass(gpu)
        self._xray: XrayPass | None = None

    def draw(self, attached: Attached, camera: Camera, target: Target, look: Look) -> int:
        """Draws those that a look names over the target in use; gives how many boxes there are."""
        if not look.overlays:
            return 0
        for name in sorted(look.overlays & set(XRAYS)):
            self._draw_xray(attached, name)
        count = self._draw_states(attached, camera, target, look) if STATES_OVERLAY in look.overlays else 0
        if SEAMS_OVERLAY in look.overlays:
            count += self._draw_seams(attached, camera, target, look)
        return count

    def release(self) -> None:
        """Frees their GL objects."""
        self._boxes.release()
        if self._xray is not None:
            self._xray.release()

    def _draw_xray(self, attached: Attached, name: str) -> None:
        if self._xray is None:
            self._xray = XrayPass(self._gpu)
        self._xray.draw(name, attached.world.table.first)

    def _draw_states(self, attached: Attached, camera: Camera, target: Target, look: Look) -> int:
        world, grid = attached.world, attached.grid
        places = grid.places_of_rows(_rows(attached, look))
        positions, states = grid.positions_of(places, world.columns), world.state[places]
        failed = attached.cells.failed()
        states = np.where(np.isin(places, grid.own_places(failed)), FAILED_STATE, states).astype(np.uint8)
        shown = states != Knowledge.OUTSIDE
        shown[shown] = _in_sight(positions[shown], camera)
        stale = None if look.stale is None else look.stale[places // world.dimension.sections][shown]
        return self._boxes.draw(target, boxes(positions[shown], states[shown], camera.eye, stale))

    def _draw_seams(self, attached: Attached, camera: Camera, target: Target, look: Look) -> int:
        found = attached.seams(_rows(attached, look))
        positions = attached.grid.positions_of(found.places, attached.world.columns)
        shown = _in_sight(positions, camera)
        sides = np.concatenate([found.hanging[shown], found.waiting[shown]])
        states = np.repeat(np.array([HANGING_STATE, WAITING_STATE], np.uint8), np.count_nonzero(shown))
        some = sides != 0
        both = np.concatenate([positions[shown], positions[shown]])
        return self._boxes.draw(target, seam_boxes(both[some], states[some], sides[some], camera.eye), from_within=True)


def _rows(attached: Attached, look: Look) -> npt.NDArray[np.int64]:
    """Rows of the columns that overlays show."""
    rows = np.array(sorted(attached.world.row_of.values()), np.int64)
    if look.anchor is None:
        return rows
    away = np.abs(attached.world.columns[rows] - np.array(look.anchor)).max(axis=1, initial=0)
    near: npt.NDArray[np.int64] = rows[away <= look.anchor_radius_columns]
    return near


def _in_sight(positions: SubChunkPositions, camera: Camera) -> npt.NDArray[np.bool_]:
    """Which sub-chunks the frustum may hold."""
    return Frustum(camera.planes()).shows(positions * 16 - np.array(camera.eye), (16, 16, 16))
