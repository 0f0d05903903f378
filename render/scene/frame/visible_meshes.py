"""The meshes that the camera sees: kept from frame to frame, updated as far as something changed.

    the world, the sector  another walk, other meshes, another order
    the spot               the same walk and meshes, another order (``passes.draw_list``)
    the meshes             the same walk, other meshes
    the eye, the look      the same meshes, narrowed by another frustum; with parallel rays, another order too
    nothing                the same list again, which need not be uploaded again

All meshes count, without a walk, in three cases. An orthographic picture looks from everywhere on a plane, so a walk
has no start. With a cut, the walk does not know what the cut opens; the meshes within its heights count. An eye in a
wall, or so close to one that the near plane cuts off its side, sees through, since opaque blocks have no faces
towards each other; a walk only follows openings.
"""

from itertools import product
from math import floor

import msgspec
import numpy as np

from client.visibility import Sector, Walk, sector_of
from client.world.store import Store
from net.arrays import Places
from net.space import BlockPos
from render.camera import Camera, Vector
from render.draw_options import Cut
from render.passes.draw_list import EyeList, MeshList, RunList, spot_of
from render.scene.cells import Cells
from render.scene.frame.surroundings import encloses
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.grid import CellIndices
from render.scene.world_view import WorldView


def is_in_wall(world: Store, eye: Vector, near_blocks: float) -> bool:
    """Whether an opaque block is within so many blocks of an eye, along each axis; placeholders do not count."""
    ranges = (range(floor(axis - near_blocks), floor(axis + near_blocks) + 1) for axis in eye)
    return any(encloses(world, BlockPos(*at)) for at in product(*ranges))


# ---------------------------------------------------------------- sight


class Counted(msgspec.Struct):
    """Number of updates of each part, for tests and benchmarks: walks, lists of meshes, narrowings."""

    walks: int = 0
    lists: int = 0
    narrowings: int = 0


class VisibleMeshes:
    """The meshes that one camera sees. Owner thread only."""

    def __init__(self, mirror: GpuVolumes) -> None:
        """Starts without a list; cells whose light has no room in ``mirror`` are not drawn."""
        self._mirror = mirror
        self.counted = Counted()  # number of updates so far
        self._walk = Walk()
        self._walked: tuple[WorldView, int, Sector] | None = None
        self._stood: tuple[WorldView, int, Vector, float] | None = None
        self._spot: Vector | None = None
        self._in_wall = False
        self._layers: tuple[int, int] | None = None
        self._places: Places = np.zeros(0, np.int32)
        self._reached: CellIndices = np.zeros(0, np.int64)
        self._listed: tuple[Cells, int] | None = None
        self._list: EyeList | None = None
        self._camera: Camera | None = None
        self._frame: RunList | None = None

    def update(self, attached: WorldView, camera: Camera, cut: Cut | None = None) -> RunList:
        return self._update(attached, camera, cut)[1]

    def meshes(self, attached: WorldView, camera: Camera, cut: Cut | None = None) -> MeshList:
        """The result of ``update`` as whole meshes, nearest first."""
        return self._update(attached, camera, cut)[0].drawn()

    def _update(self, attached: WorldView, camera: Camera, cut: Cut | None) -> tuple[EyeList, RunList]:
        layers = None if cut is None else (cut.low >> 5, (cut.high - 1) >> 5)
        if self._layers != layers:
            self._layers, self._listed = layers, None
        eye_list = self._eye_list(attached, camera)
        if self._frame is None or self._camera != camera:
            self.counted.narrowings += 1
            self._camera = camera
            self._frame = eye_list.see(camera.planes(), camera.eye, camera.stand)
        return eye_list, self._frame

    @property
    def places(self) -> Places:
        """Sub-chunks that the last walk reached; read-only."""
        return self._places

    def listed(self) -> tuple[CellIndices, CellIndices]:
        """Cells that the last look's eye may see in any direction, and those of them that the look showed."""
        if self._list is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return self._list.order.rows, self._list.order.rows[self._list.shown]

    def _eye_list(self, attached: WorldView, camera: Camera) -> EyeList:
        eye = camera.eye
        stands = attached, attached.state.version, eye, camera.cut_off_blocks
        if self._stood != stands:
            self._stood = stands
            self._walk_from(attached, eye)
            was, self._in_wall = self._in_wall, is_in_wall(attached.world, eye, camera.cut_off_blocks)
            self._listed = self._listed if was == self._in_wall else None
        spot = camera.stand if camera.is_parallel else spot_of(eye)
        if self._spot != spot:
            self._spot, self._listed = spot, None
        listed = attached.state.cells, attached.state.cells.version
        if self._list is None or self._listed != listed or self._mirror.leaves_light_out:
            self.counted.lists += 1
            self._listed, self._frame = listed, None
            self._list = self._meshes_of(attached, camera, spot)
        return self._list

    def _walk_from(self, attached: WorldView, eye: Vector) -> None:
        """Walks, if the eye may see another set of places than at the last walk."""
        walked = attached, attached.state.version, sector_of(eye, attached.world.dimension)
        if self._walked != walked:
            self.counted.walks += 1
            self._walked, self._listed = walked, None
            self._places = self._walk.run(attached.world, eye)
            self._reached = attached.state.cells.reached(self._places)

    def _meshes_of(self, attached: WorldView, camera: Camera, spot: Vector) -> EyeList:
        """Meshes of cells that the walk reached.

        An eye in a column that is not loaded, or in a placeholder, reaches nothing; one in a wall sees through it. The
        camera may be there: then everything is shown.
        """
        every = camera.is_parallel or self._in_wall or len(self._places) <= 1 or self._layers is not None
        cells = attached.state.cells.with_quads(None if every else self._reached)
        if self._layers is not None:
            heights = attached.state.grid.cell_positions(cells, attached.world.columns)[:, 1]
            cells = cells[(heights >= self._layers[0]) & (heights <= self._layers[1])]
        if self._mirror.leaves_light_out:
            cells = cells[self._mirror.lit_wholly(attached.world, attached.state.grid, cells)]
        return attached.state.cells.eye_list(cells, attached.world.columns, spot)
