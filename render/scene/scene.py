"""One store's picture: kept up to date step by step, drawn frame by frame.

Rules:
1. ``attach`` makes everything dirty; a first start, a new dimension and a lost context need nothing else. ``switch``
   continues with a store of the same history, as if the differences were changes (``change_intake``).
2. ``step`` does, in this order: drain, collect results, make the next ready list, upload within the rest of the
   budget. ``draw`` changes nothing but statistics.
3. Old is swapped for new only when the new is complete: a cell's mesh when it is on the GPU, and the first time also
   its light; all cells of one edit together (``edit_sets``).
4. The picture depends on what is known, not on the order in which it came: lists are ordered by position.
5. The runner belongs to the caller, who closes it. A job that raises affects only its own cells and columns
   (``failures``).

Owner thread only.
"""

from collections.abc import Callable, Sequence

import msgspec

from client.light.light_map import LightMap
from client.streaming.anchors import Anchors
from client.world.store import Store
from render.camera import Camera, Vector
from render.draw_options import Cut
from render.errors import RenderError
from render.gpu.device import Gpu
from render.gpu.quad_arena import ArenaStats
from render.gpu.targets import SemanticTarget, Target
from render.jobs.workers import Runner
from render.overlays.overlay import LegendRow
from render.passes.block_march import MarchEnd
from render.passes.frame_settings import FrameSettings
from render.passes.semantic import PICK_REACH_BLOCKS, SOLID, Picked
from render.scene.cells import CellState, ShownMeshes
from render.scene.frame.frame import Frames
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.gpu_copy.verify import MirrorCheck, check_mirror
from render.scene.gpu_copy.volumes import GpuVolumeStats
from render.scene.uploads import budget
from render.scene.work_state import GpuPools, SceneConfig
from render.scene.world_view import WorldView


class SceneStats(msgspec.Struct, frozen=True):
    """Figures of a scene at one moment."""

    cells: dict[CellState, int]  # render cells by picture state
    cells_shown: int  # cells with quads on the GPU
    cells_drawn: int  # of these, in the last frame
    quads: int  # on the GPU
    quads_drawn: int  # in the last frame, before faces that settings away are left out
    boxes_drawn: int  # state boxes in the last frame
    places_seen: int  # sub-chunks the last frame's walk reached
    meshes_made: int  # accepted mesh results, in all
    meshes_dropped: int  # results older than an accepted one, in all
    failures: int  # failed meshes and failed light of columns, in all; ``cells`` counts the cells that show it
    failed: str | None  # the last failure in words, or None
    edits_shown: int  # edits whose cells were swapped together, in all
    frames: int  # drawn, in all
    arena: ArenaStats  # the quad arena
    mirror: GpuVolumeStats  # bricks of block ids and light
    gpu_light: bool  # whether light is made on the GPU
    gpu_bytes: int  # arena and volumes together
    settled: bool  # whether light, meshes and uploads are complete


RESULTS_AT_ONCE = 1
"""Results taken between two checks of the time; the others stay with the runner and are not begun again."""
POLL_S = 0.1
FINISH_S = 60.0
"""Time without any finished job after which waiting ends: the longest job, light of a whole world, takes a second."""


class Scene:
    """Draws one attached store at a time."""

    def __init__(
        self, gpu: Gpu, appearance: BlockAppearance, runner: Runner, config: SceneConfig | None = None
    ) -> None:
        """Compiles programs and makes empty pools; the context and the runner belong to the caller."""
        self._gpu = gpu
        self._appearance = appearance
        self._runner = runner
        self._config = config or SceneConfig()
        self.pools = GpuPools(gpu, appearance, self._config)  # GPU objects that are independent of the attached store
        self.frames = Frames(gpu, appearance, self.pools, self._config)  # the passes
        self.clock = self.frames.clock  # names the frame's passes, and measures them on request
        self._attached: WorldView | None = None
        self._eye = (0.0, 0.0, 0.0)

    # ------------------------------------------------------------ keeping up

    def attach(self, world: Store, light: LightMap, anchors: Anchors | None = None) -> None:
        """Shows a store from now on, from nothing; releases the previous one.

        ``light``: its light map; this scene updates it from now on. ``anchors``: those of its session: what they hold,
        one column smaller, is on the GPU; None: all columns are.
        """
        if self._attached is not None:
            self._end_jobs()
            self._attached.release()
        self.frames.restart()
        self._attached = WorldView(world, light, self.pools, anchors)

    def switch(self, world: Store, light: LightMap, anchors: Anchors | None = None) -> None:
        """Shows another store of the same world at another time; calls ``attach`` if the two cannot be compared.

        Places that are equal in both stores stay on the GPU, and ``light`` takes over their light: only the rest is
        made. Both stores must be between two drains.

        ``light``: its light map; that of the previous store is dark afterwards.
        """
        if self._attached is None or not self._attached.may_switch(world, anchors):
            self.attach(world, light, anchors)
            return
        self._end_jobs()
        self.frames.restart()
        self._attached.switch(world, light, anchors)

    def step(self, eye: Vector | None = None, owner_s: float = 0.0) -> None:
        """One round of updates; work near ``eye`` comes first, by default near the last frame's eye.

        ``owner_s``: time that it may spend, if more than the limit of ``SceneConfig``; then more bytes as well.
        """
        attached = self._attached
        if attached is None:
            return
        self._eye = eye or self._eye
        attached.residency.move_eye(self._eye)
        if attached.at_rest:
            self.pools.textures.grow(attached.world)
        else:
            self._keep_up(attached, owner_s)
        self._gpu.check()

    def _keep_up(self, attached: WorldView, owner_s: float) -> None:
        limits = self._config.extended(owner_s)
        left = budget(limits.owner_s, limits.upload_bytes)
        attached.intake.drain()
        self._runner.drop(attached.work_list.unwanted(self._runner.begun))
        self.pools.textures.grow(attached.world)
        while finished := self._runner.collect(RESULTS_AT_ONCE) if left.timed else self._runner.collect():
            attached.collect(finished)
            if left.over:
                break
        jobs = attached.jobs(self._appearance.tables, self._eye, self._config.light_columns, self._runner.begun, left)
        self._runner.replace(jobs)
        attached.uploads.step(self._eye, left)
        attached.keep_slots(jobs, self._runner.begun, self._runner.running)

    @property
    def settled(self) -> bool:
        """Whether light, meshes and uploads are complete for what the store knew at the last step."""
        return self._attached is None or self._attached.state.settled

    def settle(self, eye: Vector | None = None, most_steps: int = 10_000) -> bool:
        """Steps until settled, waiting for workers; the store must not change meanwhile. False: not settled in time."""
        for _ in range(most_steps):
            self.step(eye)
            if self.settled:
                return True
            self._runner.wait(1.0)
        return False

    def legend(self, overlay: str) -> tuple[LegendRow, ...]:
        """Meaning of the boxes of an overlay that was drawn, with counts; empty if it was not drawn."""
        return self.frames.overlays.legend(overlay)

    def undefined_fogs(self, stack: Sequence[str]) -> list[str]:
        """The fogs of a stack that no resource pack defines."""
        return self._appearance.fogs.undefined(stack)

    # ------------------------------------------------------------ drawing

    def draw(self, camera: Camera, target: Target, settings: FrameSettings | None = None) -> None:
        """Draws one frame; its eye is the default of ``step``. Raises RenderError: no world, or no such overlay."""
        attached, self._eye = self.attached, camera.eye
        self.frames.draw(attached, camera, target, settings or FrameSettings())

    def draw_semantic(self, camera: Camera, target: SemanticTarget, settings: FrameSettings | None = None) -> None:
        """Draws what each pixel shows, as integers (``passes.semantic``). Raises RenderError: nothing is attached.

        ``settings``: its entities and cut are drawn; None: neither.
        """
        attached, self._eye = self.attached, camera.eye
        self.frames.draw_semantic(attached, camera, target, settings or FrameSettings())

    def draw_picks(
        self, camera: Camera, target: SemanticTarget, wanted: MarchEnd = SOLID, reach_blocks: float = PICK_REACH_BLOCKS
    ) -> None:
        """Marches each pixel's ray through the GPU's block ids. Raises RenderError: nothing is attached."""
        attached, self._eye = self.attached, camera.eye
        self.frames.draw_picks(attached, camera, target, wanted, reach_blocks)

    def pick(
        self, camera: Camera, wanted: MarchEnd = SOLID, reach_blocks: float = PICK_REACH_BLOCKS, cut: Cut | None = None
    ) -> Picked | None:
        """The block in the middle of the picture; waits. None: nothing. Raises RenderError: nothing is attached."""
        attached, self._eye = self.attached, camera.eye
        return self.frames.pick(attached, camera, wanted, reach_blocks, cut)

    @property
    def shows_a_world(self) -> bool:
        """Whether a store is attached; without one, nothing can be drawn, picked or compared."""
        return self._attached is not None

    @property
    def attached(self) -> WorldView:
        """The attached store's view. Raises RenderError: nothing is attached."""
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
        attached, drawn = self._attached, self.frames.drawn
        arena, mirror = self.pools.arena.stats(), self.pools.mirror.stats()
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
            frames=self.frames.count,
            arena=arena,
            mirror=mirror,
            gpu_light=self.pools.mirror.twin is not None,
            gpu_bytes=arena.gpu_bytes + mirror.blocks.gpu_bytes + mirror.light.gpu_bytes,
            settled=self.settled,
        )

    def rebuilt(self, make: Callable[[], Gpu]) -> "Scene":
        """This scene in another context, from nothing, after its own was lost; releases this one.

        ``make``: ends the old context, in which no object exists any more, and makes the new one, which the caller
        owns. GL names of one context mean other objects in the next, so there is never more than one.
        """
        attached = self._attached
        self.finish()
        self.release()
        scene = Scene(make(), self._appearance, self._runner, self._config)
        if attached is not None:
            scene.attach(attached.world, attached.state.light, attached.residency.anchors)
        return scene

    def _end_jobs(self) -> None:
        """Ends jobs: those of another store have the same keys, and this store may be attached again."""
        self._runner.replace([])
        self.finish()

    def finish(self) -> None:
        """Empties the ready list, so that light is published. Raises RenderError: no end for ``FINISH_S``."""
        waited_s = 0.0
        while self._attached is not None and self._runner.busy:
            if not self._runner.wait(POLL_S):
                waited_s += POLL_S
                if waited_s >= FINISH_S:
                    raise RenderError(f"{self._runner.busy} jobs of light and meshes did not end within {FINISH_S:g} s")
            self._attached.collect(self._runner.collect())

    def release(self) -> None:
        if self._attached is not None:
            self._attached.release()
            self._attached = None
        self.frames.release()
        self.pools.release()
