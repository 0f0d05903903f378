"""What the camera sees of the meshes that are there: kept from frame to frame, made anew as far as something changed.

the world, the sector  another walk, other meshes, another order
the eye                the same walk, another order
the meshes             the same walk, other meshes
the look               the same meshes, narrowed by another frustum; where rays are parallel, another order too
nothing                the same list again, which nobody need load again

An orthographic picture looks from everywhere on a plane, which is no eye that a walk could begin at: all meshes there
are count, and what is solid hides them.
"""

from dataclasses import dataclass

import numpy as np

from client.visibility.sectors import Sector, sector_of
from client.visibility.walk import Walk
from net.space.layout import Places
from render.camera import Camera
from render.passes.draw_list import DrawList
from render.passes.frame_list import EyeList, FrameList
from render.scene.attached import Attached
from render.scene.eye_in_wall import is_in_wall
from render.scene.grid import CellIndices
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
        self._walked: tuple[Attached, int, Sector] | None = None
        self._stand: Vector | None = None
        self._wall_from: tuple[Vector, float] | None = None
        self._in_wall = False
        self._places: Places = np.zeros(0, np.int32)
        self._listed: tuple[int, int] | None = None
        self._list: EyeList | None = None
        self._camera: Camera | None = None
        self._frame: FrameList | None = None

    def look(self, attached: Attached, camera: Camera) -> FrameList:
        """What a frame draws."""
        return self._look(attached, camera)[1]

    def meshes(self, attached: Attached, camera: Camera) -> DrawList:
        """The same as whole meshes, nearest first."""
        return self._look(attached, camera)[0].drawn()

    def _look(self, attached: Attached, camera: Camera) -> tuple[EyeList, FrameList]:
        eye_list = self._eye_list(attached, camera)
        if self._frame is None or self._camera != camera:
            self.counted.narrowings += 1
            self._camera = camera
            self._frame = eye_list.look(camera.planes_from_stand())
        return eye_list, self._frame

    @property
    def places(self) -> Places:
        """Sub-chunks that the last walk reached; not to be written."""
        return self._places

    def listed(self) -> tuple[CellIndices, CellIndices]:
        """Cells that the last look's eye may see whichever way it looks, and those of them that the look showed."""
        if self._list is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return self._list.order.rows, self._list.order.rows[self._list.shown]

    def _eye_list(self, attached: Attached, camera: Camera) -> EyeList:
        eye, stand, cut_off_blocks = camera.eye, camera.stand, camera.cut_off_blocks
        walked = attached, attached.version, sector_of(eye, attached.world.dimension)
        if self._walked is None or self._walked[0] is not attached or self._walked[1:] != walked[1:]:
            self.counted.walks += 1
            self._walked, self._listed = walked, None
            self._places = self._walk.run(attached.world, eye).places
            self._wall_from = None
        if self._wall_from != (eye, cut_off_blocks):
            was, self._wall_from = self._in_wall, (eye, cut_off_blocks)
            self._in_wall = is_in_wall(attached.world, eye, cut_off_blocks)
            self._listed = self._listed if was == self._in_wall else None
        if self._stand != stand:
            self._stand, self._listed = stand, None
        listed = id(attached.cells), attached.cells.version
        if self._list is None or self._listed != listed or self._mirror.leaves_light_out:
            self.counted.lists += 1
            self._listed, self._frame = listed, None
            self._list = self._meshes_of(attached, camera)
        return self._list

    def _meshes_of(self, attached: Attached, camera: Camera) -> EyeList:
        """Meshes of cells that the walk reached.

        An eye in a column that is not loaded, or in a placeholder, reaches nothing; one in a wall sees through it. The
        camera is free to be there: then everything is shown.
        """
        cells = (
            attached.cells.with_quads()
            if camera.is_parallel or self._in_wall or len(self._places) <= 1
            else attached.cells.reached(self._places)
        )
        if self._mirror.leaves_light_out:
            cells = cells[self._mirror.lit_wholly(attached.world, attached.grid, cells)]
        return attached.cells.eye_list(cells, attached.world.columns, camera.stand)
