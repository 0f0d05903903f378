"""What the camera sees of the meshes that are there: kept from frame to frame, made anew as far as something changed.

the world or the eye   another walk, other meshes, another order
the meshes             the same walk, other meshes
the look               the same meshes, narrowed by another frustum
nothing                the same list again, which nobody need load again
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from client.visibility.frustum import Frustum
from client.visibility.walk import Walk
from net.space.layout import Places
from render.camera import Camera
from render.passes.draw_list import CELL_SIZE, DrawList
from render.passes.frame_list import EyeList, FrameList
from render.scene.attached import Attached
from render.scene.mirror import Mirror

Vector = tuple[float, float, float]


@dataclass(slots=True)
class Counted:
    """How often each part was made anew, for tests and benchmarks: walks, lists of meshes, narrowings."""

    walks: int = 0
    lists: int = 0
    narrowings: int = 0


class Sight:
    """One camera's. Owner thread only.

    Attributes:
        counted: what was made anew so far.
    """

    def __init__(self, mirror: Mirror) -> None:
        """Has seen nothing yet; cells whose light ``mirror`` has no room for are not drawn."""
        self._mirror = mirror
        self.counted = Counted()
        self._walk = Walk()
        self._walked: tuple[Attached, int, Vector] | None = None
        self._places: Places = np.zeros(0, np.int32)
        self._listed: tuple[int, int] | None = None
        self._list: EyeList | None = None
        self._corners: npt.NDArray[Any] = np.zeros((0, 3))  # Any: relative to the eye, so not whole
        self._camera: Camera | None = None
        self._frame: FrameList | None = None
        self._shown: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)

    def look(self, attached: Attached, camera: Camera) -> FrameList:
        """What a frame draws."""
        eye_list = self._eye_list(attached, camera.eye)
        if self._frame is None or self._camera != camera:
            self.counted.narrowings += 1
            self._camera = camera
            self._shown = Frustum(camera.planes()).shows(self._corners, (16, 32, 16))
            self._frame = eye_list.narrowed(self._shown)
        return self._frame

    def meshes(self, attached: Attached, camera: Camera) -> DrawList:
        """The same as whole meshes, nearest first."""
        self.look(attached, camera)
        every, shown = self._eye_list(attached, camera.eye).meshes, self._shown
        return DrawList(every.cells[shown], every.first_units[shown], every.counts[shown], every.eye)

    @property
    def places(self) -> Places:
        """Sub-chunks that the last walk reached; not to be written."""
        return self._places

    def _eye_list(self, attached: Attached, eye: Vector) -> EyeList:
        walked = attached, attached.version, eye
        if self._walked is None or self._walked[0] is not attached or self._walked[1:] != walked[1:]:
            self.counted.walks += 1
            self._walked, self._listed = walked, None
            self._places = self._walk.run(attached.world, eye).places
        listed = id(attached.cells), attached.cells.version
        if self._list is None or self._listed != listed or self._mirror.leaves_light_out:
            self.counted.lists += 1
            self._listed, self._frame = listed, None
            self._list = self._meshes_of(attached, eye)
            self._corners = self._list.meshes.cells * CELL_SIZE - np.array(eye)
        return self._list

    def _meshes_of(self, attached: Attached, eye: Vector) -> EyeList:
        """Meshes of cells that the walk reached.

        An eye in a column that is not loaded, or in a placeholder, reaches nothing. The camera is free to be there:
        then everything is shown.
        """
        cells = attached.cells.with_quads()
        if len(self._places) > 1:
            reached = np.zeros(len(attached.cells.picture), np.bool_)
            reached[attached.grid.cells_of(self._places)] = True
            cells = cells[reached[cells]]
        cells = cells[self._mirror.lit_wholly(attached.world, attached.grid, cells)]
        return attached.cells.eye_list(cells, attached.world.columns, eye)
