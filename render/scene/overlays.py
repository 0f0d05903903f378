"""The overlays of one scene: which there are, and what each draws over a finished frame.

Rules:
1. Those that march through the mirror (``passes.xray``) come first, boxes over them.
2. Boxes are those of the columns around the look's anchor, all of them where there is none.
"""

from typing import Final

import numpy as np

from client.visibility.frustum import Frustum
from client.world.lifecycle import Knowledge
from render.camera import Camera
from render.gpu.device import Gpu
from render.gpu.errors import RenderError
from render.gpu.target import Target
from render.passes.look import Look
from render.passes.overlays import StatesPass
from render.passes.state_styles import FAILED_STATE
from render.passes.xray import XRAYS, XrayPass
from render.scene.attached import Attached

STATES_OVERLAY: Final = "states"
OVERLAYS: Final = (STATES_OVERLAY, *XRAYS)


def check_overlays(names: frozenset[str]) -> None:
    """Looks for names of overlays that are not there.

    Raises:
        RenderError: an overlay of that name is not there.
    """
    if unknown := names - set(OVERLAYS):
        raise RenderError(f"no overlay called {sorted(unknown)[0]!r}; there are {', '.join(OVERLAYS)}")


class Overlays:
    """Draws them. Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles what draws boxes; the rest for the first one who asks."""
        self._gpu = gpu
        self._states = StatesPass(gpu)
        self._xray: XrayPass | None = None

    def draw(self, attached: Attached, camera: Camera, target: Target, look: Look) -> int:
        """Draws those that a look names over the target in use; gives how many boxes there are."""
        for name in sorted(look.overlays & set(XRAYS)):
            self._draw_xray(attached, name)
        return self._draw_states(attached, camera, target, look) if STATES_OVERLAY in look.overlays else 0

    def release(self) -> None:
        """Frees their GL objects."""
        self._states.release()
        if self._xray is not None:
            self._xray.release()

    def _draw_xray(self, attached: Attached, name: str) -> None:
        if self._xray is None:
            self._xray = XrayPass(self._gpu)
        self._xray.draw(name, attached.world.table.first)

    def _draw_states(self, attached: Attached, camera: Camera, target: Target, look: Look) -> int:
        world, grid = attached.world, attached.grid
        rows = np.array(sorted(world.row_of.values()), np.int64)
        if look.anchor is not None:
            away = np.abs(world.columns[rows] - np.array(look.anchor)).max(axis=1)
            rows = rows[away <= look.anchor_radius_columns]
        places = grid.places_of_rows(rows)
        positions, states = grid.positions_of(places, world.columns), world.state[places]
        failed = attached.cells.failed()
        states = np.where(np.isin(places, grid.own_places(failed)), FAILED_STATE, states).astype(np.uint8)
        shown = states != Knowledge.OUTSIDE
        corners = positions[shown] * 16 - np.array(camera.eye)
        inside = Frustum(camera.planes()).shows(corners, (16, 16, 16))
        stale = None if look.stale is None else look.stale[places // world.dimension.sections][shown][inside]
        return self._states.draw(target, positions[shown][inside], states[shown][inside], camera.eye, stale)
