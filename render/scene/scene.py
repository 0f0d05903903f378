"""One store's picture: kept up to date step by step, drawn frame by frame.

Rules:
1. ``attach`` makes everything dirty; that is all that a first start, a new dimension or a lost context need. ``turn``
   goes on with a store that lived through the same, as if what that shows otherwise had changed (``change_intake``).
2. ``step`` does, in this order: drain, collect results, make the next ready list, upload within what is left of the
   budget. ``draw`` changes nothing but statistics.
3. Old is swapped for new only when the new is complete: a cell's mesh when it is on the GPU, and the first time also
   its light; all cells of one edit together (``edit_sets``).
4. What is drawn depends on what is known, not on the order in which it came: lists are ordered by position.
5. The runner belongs to the caller, who closes it. A job that raises costs its own cells and columns (``failures``).

Owner thread only.
"""

from collections.abc import Callable

import msgspec
import numpy as np
import numpy.typing as npt

from client.connection.stats import PendingWork
from client.light.light_map import LightMap
from client.report.health import Undrawn
from client.streaming.anchors import Anchors
from net.space import BlockPos
from render.camera import Camera
from render.draw_options import Cut
from render.gpu.device import Gpu
from render.gpu.errors import RenderError
from render.gpu.quad_arena import ArenaStats
from render.gpu.targets import SemanticTarget, Target
from render.jobs.workers import Runner
from render.overlays.overlay import LegendRow
from render.passes.frame_uniforms import FrameSettings, MarchEnd
from render.passes.semantic import PICK_REACH_BLOCKS, SOLID, Picked
from render.scene.cells import CellState, ShownMeshes
from render.scene.frame.frame import Frames, LastFrame, Probes
from render.scene.gpu_copy.block_appearance import LookSource
from render.scene.gpu_copy.verify import MirrorCheck, check_mirror
from render.scene.gpu_copy.volumes import GpuVolumeStats
from render.scene.lighting import Seams
from render.scene.uploads import budget
from render.scene.work_state import GpuPools, SceneConfig
from render.scene.world import SceneWorld
from render.scene.world_view import WorldView


class SceneStats(msgspec.Struct, frozen=True):
    """One moment of a scene."""

    cells: dict[CellState, int]  # render cells by picture state
    cells_shown: int  # cells with quads on the GPU
    cells_drawn: int  # of these, in the last frame
    quads: int  # on the GPU
    quads_drawn: int  # in the last frame, before faces that look away are left out
    boxes_drawn: int  # state boxes in the last frame
    places_seen: int  # sub-chunks the last frame's walk reached
    meshes_made: int  # mesh results accepted, in all
    meshes_dropped: int  # results older than what was there already, in all
    failures: int  # meshes and light of columns that could not be made, in all; ``cells`` says how many cells show it
    failed: str | None  # the last of them in words, or None
    edits_shown: int  # edits whose cells were swapped together, in all
    frames: int  # drawn, in all
    arena: ArenaStats  # the quad arena
    mirror: GpuVolumeStats  # bricks of block ids and light
    gpu_light: bool  # whether light is made on the GPU
    gpu_bytes: int  # arena and volumes together
    settled: bool  # whether light, mesh and upload have nothing left to do


def snapshot(attached: WorldView | None, pools: GpuPools, drawn: LastFrame, frames: int) -> SceneStats:
    """Counts a scene. ``attached``: the side of the store that is shown; None: none is."""
    arena, mirror = pools.arena.stats(), pools.mirror.stats()
    return SceneStats(
        cells=attached.state.cells.by_picture() if attached else {},
        cells_shown=len(attached.state.cells.with_quads()) if attached else 0,
        cells_drawn=drawn.cells,
        quads=attached.state.cells.quads() if attached else 0,
        quads_drawn=drawn.quads,
        boxes_drawn=drawn.boxes,
        places_seen=drawn.places,
        meshes_made=attached.results.made if attached else 0,
        meshes_dropped=attached.meshes_dropped if attached else 0,
        failures=attached.failures.count if attached else 0,
        failed=attached.failures.last[-1].words if attached and attached.failures.last else None,
        edits_shown=attached.uploads.edits_shown if attached else 0,
        frames=frames,
        arena=arena,
        mirror=mirror,
        gpu_light=pools.mirror.twin is not None,
        gpu_bytes=arena.gpu_bytes + mirror.blocks.gpu_bytes + mirror.light.gpu_bytes,
        settled=attached is None or attached.state.settled,
    )


RESULTS_AT_ONCE = 1
"""Taken between two looks at the time; what is left stays the runner's, and is not begun again."""
LOOK_S = 0.1
FINISH_S = 60.0
"""In which no job comes to its end: the longest, light of a whole world, takes a second."""


class Scene:
    """What draws one attached store at a time."""

    def __init__(self, gpu: Gpu, looks: LookSource, runner: Runner, config: SceneConfig | None = None) -> None:
        """Compiles programs and makes empty pools; the context and the runner belong to the caller."""
        self._gpu = gpu
        self._looks = looks
        self._runner = runner
        self._config = config or SceneConfig()
        self.pools = GpuPools(gpu, looks, self._config)  # what lies on the GPU whatever is drawn
        self.frames = Frames(gpu, looks, self.pools, self._config)  # the passes
        self.clock = self.frames.clock  # names the frame's passes, and measures them where asked
        self._probes = Probes(gpu, self.pools, self.frames)
        self._attached: WorldView | None = None
        self._eye = (0.0, 0.0, 0.0)

    # ------------------------------------------------------------ keeping up

    def attach(self, world: SceneWorld, light: LightMap, anchors: Anchors | None = None) -> None:
        """Shows a store from now on, from nothing; the one before is let go.

        ``light``: its light map; this scene drives it from now on. ``anchors``: of its session: what they hold, one
        column smaller, is on the GPU; None for all there is.
        """
        if self._attached is not None:
            self._end_jobs()
            self._attached.release()
        self.frames.restart()
        self._attached = WorldView(world, light, self.pools, anchors)

    def turn(self, world: SceneWorld, light: LightMap, anchors: Anchors | None = None) -> None:
        """Shows another time of the world that is shown; ``attach`` where this one is not like it.

        What both stores show alike stays on the GPU, and its light is taken over by ``light``: only the rest is made.
        Both are between two drains.

        ``light``: its light map; the one of the store that was shown is dark afterwards.
        """
        if self._attached is None or not self._attached.may_turn(world, anchors):
            self.attach(world, light, anchors)
            return
        self._end_jobs()
        self.frames.restart()
        self._attached.turn(world, light, anchors)

    def step(self, eye: tuple[float, float, float] | None = None, owner_s: float = 0.0) -> None:
        """One round of keeping up; ``eye`` says what is near, the last frame's unless given.

        ``owner_s``: what it may spend where that is more than the limit of ``SceneConfig``.
        """
        attached = self._attached
        if attached is None:
            return
        self._eye = eye or self._eye
        attached.residency.look(self._eye)
        if attached.at_rest:
            self.pools.textures.grow(attached.world)
        else:
            self._keep_up(attached, owner_s)
        self._gpu.check()

    def _keep_up(self, attached: WorldView, owner_s: float) -> None:
        limit_s = self._config.owner_s
        left = budget(limit_s if limit_s is None else max(limit_s, owner_s), self._config.upload_bytes)
        attached.intake.drain()
        self._runner.drop(attached.work_list.unwanted(self._runner.begun))
        self.pools.textures.grow(attached.world)
        while finished := self._runner.collect(RESULTS_AT_ONCE) if left.timed else self._runner.collect():
            attached.collect(finished)
            if left.over:
                break
        jobs = attached.jobs(self._looks.tables, self._eye, self._config.light_columns, self._runner.begun, left)
        self._runner.replace(jobs)
        attached.uploads.step(self._eye, left)
        attached.keep_slots(jobs, self._runner.begun, self._runner.running)

    @property
    def settled(self) -> bool:
        """Whether light, mesh and upload have nothing left to do for what the store knew at the last step."""
        return self._attached is None or self._attached.state.settled

    def settle(self, eye: tuple[float, float, float] | None = None, most_steps: int = 10_000) -> bool:
        """Steps until settled, waiting for workers; the store must not change meanwhile. False: it gave up."""
        for _ in range(most_steps):
            self.step(eye)
            if self.settled:
                return True
            self._runner.wait(1.0)
        return False

    @property
    def behind(self) -> dict[str, npt.NDArray[np.int32]]:
        """What is left to do: positions by kind, see ``WorkState.behind``. Raises RenderError: nothing is attached."""
        return self.attached.state.behind

    @property
    def pending(self) -> tuple[PendingWork, ...]:
        """The same for a report; nothing where it is settled. Raises RenderError: nothing is attached."""
        return self.attached.state.pending

    def seams(self) -> Seams:
        """Where light hangs on what is missing, or waits for a step. Raises RenderError: nothing is attached."""
        return self.attached.seams()

    def legend(self, overlay: str) -> tuple[LegendRow, ...]:
        """What the boxes of an overlay that was drawn mean, with their counts; nothing of one that was not."""
        return self.frames.overlays.legend(overlay)

    def picture(self, block: BlockPos) -> CellState:
        """State of the render cell that holds a block."""
        return CellState.ABSENT if self._attached is None else self._attached.picture(block)

    def undrawn(self, block: BlockPos) -> str:
        """Why blocks that are known there are not drawn as they should be; empty where they are, or unknown."""
        return "" if self._attached is None else self._attached.undrawn(block)

    def undrawn_places(self) -> Undrawn | None:
        """Sub-chunks whose mesh or light could not be made, or has no room; None where nothing is shown."""
        return None if self._attached is None else self._attached.undrawn_places()

    # ------------------------------------------------------------ drawing

    def draw(self, camera: Camera, target: Target, look: FrameSettings | None = None) -> None:
        """Draws one frame; the camera's eye is near for ``step``. Raises RenderError: no world, or no such overlay."""
        attached, self._eye = self.attached, camera.eye
        self.frames.draw(attached, camera, target, look or FrameSettings())

    def draw_semantic(self, camera: Camera, target: SemanticTarget, look: FrameSettings | None = None) -> None:
        """Draws what each pixel shows, as integers (``passes.semantic``). Raises RenderError: nothing is attached.

        ``look``: whose entities and cut are among it; none unless given.
        """
        attached, self._eye = self.attached, camera.eye
        self._probes.draw_semantic(attached, camera, target, look or FrameSettings())

    def draw_picks(
        self, camera: Camera, target: SemanticTarget, wanted: MarchEnd = SOLID, reach_blocks: float = PICK_REACH_BLOCKS
    ) -> None:
        """Marches each pixel's ray through the GPU's block ids. Raises RenderError: nothing is attached."""
        attached, self._eye = self.attached, camera.eye
        self._probes.draw_picks(attached, camera, target, wanted, reach_blocks)

    def pick(
        self,
        camera: Camera,
        wanted: MarchEnd = SOLID,
        reach_blocks: float = PICK_REACH_BLOCKS,
        cut: Cut | None = None,
    ) -> Picked | None:
        """The block in the middle of the picture; waits. None: nothing. Raises RenderError: nothing is attached."""
        attached, self._eye = self.attached, camera.eye
        return self._probes.pick(attached, camera, wanted, reach_blocks, cut)

    @property
    def shows_a_world(self) -> bool:
        """Whether a store is attached; before, there is nothing to draw, to pick or to compare."""
        return self._attached is not None

    @property
    def attached(self) -> WorldView:
        """The side of the store that is shown. Raises RenderError: nothing is attached."""
        if self._attached is None:
            raise RenderError("no world is attached")
        return self._attached

    def meshes(self) -> ShownMeshes:
        """Every mesh on the GPU, read back; waits for it. Raises RenderError: nothing is attached."""
        return self.attached.state.cells.meshes(self.attached.world.columns)

    def check_mirror(self) -> MirrorCheck:
        """Reads every brick back and compares it; waits. Raises RenderError: no world, or light is the GPU's."""
        if self.pools.mirror.twin is not None:
            raise RenderError("light computed on the GPU has no CPU copy to compare with")
        return check_mirror(self.pools.mirror, self.attached)

    def stats(self) -> SceneStats:
        """A snapshot."""
        return snapshot(self._attached, self.pools, self.frames.drawn, self.frames.count)

    def rebuilt(self, make: Callable[[], Gpu]) -> "Scene":
        """This scene on another context, from nothing, when its own was lost; this one is released.

        ``make``: ends the old context, which nothing lies on any more, and makes the new one, the caller's: GL names of
        one context mean other objects in the next, so there is never more than one.
        """
        attached = self._attached
        self.finish()
        self.release()
        scene = Scene(make(), self._looks, self._runner, self._config)
        if attached is not None:
            scene.attach(attached.world, attached.state.light, attached.residency.anchors)
        return scene

    def _end_jobs(self) -> None:
        """Jobs of another store have the same keys, and this one may be shown again."""
        self._runner.replace([])
        self.finish()

    def finish(self) -> None:
        """Lets the ready list run empty, so that light is published. Raises RenderError: no end for ``FINISH_S``."""
        waited_s = 0.0
        while self._attached is not None and self._runner.busy:
            if not self._runner.wait(LOOK_S):
                waited_s += LOOK_S
                if waited_s >= FINISH_S:
                    raise RenderError(f"{self._runner.busy} jobs of light and meshes did not end within {FINISH_S:g} s")
            self._attached.collect(self._runner.collect())

    def release(self) -> None:
        """Lets the store go and frees every GL object."""
        if self._attached is not None:
            self._attached.release()
            self._attached = None
        for each in (self._probes, self.frames, self.pools):
            each.release()
