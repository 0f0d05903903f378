"""One store's picture: kept up to date step by step, drawn frame by frame.

Rules:
1. ``attach`` makes everything dirty; that is all that a first start, a new dimension or a lost context need. After it
   the scene only drains the change log.
2. ``step`` does, in this order: drain, collect results, make the next ready list, upload within what is left of the
   budget. ``draw`` changes nothing but statistics.
3. Old is swapped for new only when the new is complete: a cell's mesh when it is on the GPU, and the first time also
   its light; all cells of one edit together (``edits``).
4. What is drawn depends on what is known, not on the order in which it came: lists are ordered by position.
5. The runner belongs to the caller, who closes it. A job that raises costs its own cells and columns (``failures``).

Owner thread only.
"""

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from client.light.map import LightMap
from client.streaming.anchors import Anchors
from net.space.positions import BlockPos
from render.camera import Camera
from render.gpu.arena import QuadArena
from render.gpu.capabilities import no_compute
from render.gpu.device import Gpu
from render.gpu.errors import RenderError
from render.gpu.pass_clock import PassClock
from render.gpu.semantic_target import SemanticTarget
from render.gpu.target import Target
from render.jobs.job import Runner
from render.overlays.marks import LegendRow
from render.passes.blocks import Wanted
from render.passes.cracks import CracksPass
from render.passes.frame import FrameBlock
from render.passes.frame_list import FrameList
from render.passes.look import Look
from render.passes.particles import ParticlesPass
from render.passes.pick import PICK_REACH_BLOCKS, SOLID, Picked, PickPass, picked
from render.passes.semantic import SemanticPass
from render.passes.sky import SkyPass
from render.passes.stops import Stops
from render.passes.terrain import TerrainPass
from render.passes.weather import WeatherPass
from render.scene.attached import Attached
from render.scene.behind import Behind
from render.scene.budget import budget
from render.scene.bursts import bursts_of
from render.scene.config import SceneConfig
from render.scene.cracking import cracked
from render.scene.failures import LOG
from render.scene.looks import LookSource, LookTextures
from render.scene.mirror import Mirror
from render.scene.mirror_check import MirrorCheck, check_mirror
from render.scene.overlays import Overlays, check_overlays
from render.scene.picture import Picture
from render.scene.seams import Seams
from render.scene.shown_meshes import ShownMeshes
from render.scene.sight import Sight
from render.scene.stats import SceneStats
from render.scene.surroundings import Surroundings, without_fog
from render.scene.tint_map import TintMap
from render.scene.world import World

RESULTS_AT_ONCE = 1
"""Taken between two looks at the time; what is left stays the runner's, and is not begun again."""


class Scene:
    """What draws one attached store at a time.

    Attributes:
        clock: names the frame's passes, and measures them where asked.
    """

    def __init__(self, gpu: Gpu, looks: LookSource, runner: Runner, config: SceneConfig | None = None) -> None:
        """Compiles programs and makes empty pools.

        Args:
            gpu: the context; belongs to the caller.
            looks: how block states look.
            runner: where light and meshes are made; belongs to the caller.
            config: limits.
        """
        self._gpu = gpu
        self._looks = looks
        self._runner = runner
        self._config = config or SceneConfig()
        self._arena = QuadArena(gpu, self._config.first_pages)
        twin = self._config.gpu_light and gpu.capabilities.computes
        if self._config.gpu_light and not twin:
            LOG.warning("%s", no_compute(gpu.capabilities))
        twin_columns = self._config.light_columns if twin else None
        self._mirror = Mirror(gpu, self._config.first_bricks, twin_columns, self._config.gpu_budget_bytes)
        self._textures = LookTextures(gpu, looks)
        self._tints = TintMap(gpu, looks)
        self._frame = FrameBlock(gpu)
        self._sky = SkyPass(gpu)
        self._terrain = TerrainPass(gpu, self._arena, self._config.flat_light, self._draws_indirect)
        self.clock = PassClock(gpu)
        self._cracks = CracksPass(gpu, self._arena)
        self._weather = WeatherPass(gpu)
        self._surroundings = Surroundings(self._mirror, self._tints, self._config.radius_columns)
        self._semantic: SemanticPass | None = None  # compiled for the first one who asks, as those that follow
        self._picks: PickPass | None = None
        self._particles: ParticlesPass | None = None
        self._stops = Stops(gpu)
        self._sight = Sight(self._mirror)
        self._overlays = Overlays(gpu, self._arena, self._mirror, self._sight, self._draws_indirect)
        self._attached: Attached | None = None
        self._eye = (0.0, 0.0, 0.0)
        self._drawn = (0, 0, 0, 0)  # cells, quads, boxes, places seen
        self._frames = 0

    @property
    def _draws_indirect(self) -> bool:
        can, wanted = self._gpu.capabilities.draws_indirect, self._config.indirect
        return can if wanted is None else can and wanted

    # ------------------------------------------------------------ keeping up

    def attach(self, world: World, light: LightMap, anchors: Anchors | None = None) -> None:
        """Shows a store from now on, from nothing; the one before is let go.

        Args:
            world: the store.
            light: its light map; this scene drives it from now on.
            anchors: of its session: what they hold, one column smaller, is on the GPU; None for all there is.
        """
        if self._attached is not None:
            self._attached.release()
        self._overlays.restart()
        self._drawn = (0, 0, 0, 0)
        self._attached = Attached(world, light, self._arena, self._mirror, self._tints, anchors)

    def step(self, eye: tuple[float, float, float] | None = None) -> None:
        """One round of keeping up; ``eye`` says what is near, the last frame's unless given."""
        attached = self._attached
        if attached is None:
            return
        self._eye = eye or self._eye
        if attached.at_rest:
            self._textures.grow(attached.world)
        else:
            self._keep_up(attached)
        self._gpu.check()

    def _keep_up(self, attached: Attached) -> None:
        left = budget(self._config.owner_s, self._config.upload_bytes)
        attached.drain()
        self._textures.grow(attached.world)
        while finished := self._runner.collect(RESULTS_AT_ONCE) if left.timed else self._runner.collect():
            attached.collect(finished)
            if left.over:
                break
        jobs = attached.jobs(self._looks.tables, self._eye, self._config.light_columns, self._runner.begun, left)
        self._runner.replace(jobs)
        attached.upload(self._eye, left)
        attached.keep_slots(jobs, self._runner.begun)

    @property
    def settled(self) -> bool:
        """Whether light, mesh and upload have nothing left to do for what the store knew at the last step."""
        return self._attached is None or self._attached.settled

    def settle(self, eye: tuple[float, float, float] | None = None, most_steps: int = 10_000) -> bool:
        """Steps until settled, waiting for workers; the store must not change meanwhile. False: it gave up."""
        for _ in range(most_steps):
            self.step(eye)
            if self.settled:
                return True
            self._runner.wait(1.0)
        return False

    @property
    def behind(self) -> Behind:
        """What is left to do; nothing where it is settled.

        Raises:
            RenderError: nothing is attached.
        """
        if self._attached is None:
            raise RenderError("nothing is attached that could be behind")
        return self._attached.behind

    def seams(self) -> Seams:
        """Where light hangs on what is missing, or waits for a light step, of all columns; worked out anew.

        Raises:
            RenderError: nothing is attached.
        """
        return self.attached.seams()

    def legend(self, overlay: str) -> tuple[LegendRow, ...]:
        """What the boxes of an overlay that was drawn mean, with their counts; nothing of one that was not."""
        return self._overlays.legend(overlay)

    def picture(self, block: BlockPos) -> Picture:
        """State of the render cell that holds a block."""
        attached = self._attached
        row = 0 if attached is None else attached.world.row_of.get(block.column, 0)
        if attached is None or row == 0:
            return Picture.ABSENT
        height = (block.y >> 5) - attached.grid.low
        if not 0 <= height < attached.grid.tall:
            return Picture.ABSENT
        return Picture(int(attached.cells.picture[row * attached.grid.tall + height]))

    def undrawn(self, block: BlockPos) -> str:
        """Why blocks that are known there are not drawn as they should be; empty where they are, or unknown."""
        attached = self._attached
        there = attached is not None and block.column in attached.world.row_of
        return attached.undrawn(block, self.picture(block)) if attached is not None and there else ""

    # ------------------------------------------------------------ drawing

    def draw(self, camera: Camera, target: Target, look: Look | None = None) -> None:
        """Draws one frame into a target.

        Args:
            camera: where from; its eye is what ``step`` takes as near.
            target: what is drawn to; cleared first.
            look: time of day and overlays.

        Raises:
            RenderError: nothing is attached, or an overlay of that name is not there.
        """
        attached = self._attached
        look = look or Look()
        if attached is None:
            raise RenderError("nothing is attached to draw")
        check_overlays(look.overlays)
        with self.clock.during("prepare"):
            meshes = self._prepare(attached, camera, look, target.size[1])
            particles = self._drift(attached, camera, look)
            if rains := look.weather.rain > 0 and attached.world.dimension.has_sky and not camera.is_parallel:
                self._stops.fit(self._looks.tables, attached.world.table.obstructs)
                self._weather.fall()
            target.begin()
        self._draw_world(attached, camera, target, look, meshes, particles)
        if rains:
            with self.clock.during("weather"):
                self._weather.draw(target, self._surroundings.sheets(attached, camera), camera.eye_block[::2])
        with self.clock.during("overlays"):
            boxes = self._overlays.draw(attached, camera, target, look, meshes)
        self._drawn = (meshes.cells, meshes.quads, boxes, len(self._sight.places))
        self._frames += 1
        self._gpu.check()

    def _draw_world(
        self,
        attached: Attached,
        camera: Camera,
        target: Target,
        look: Look,
        meshes: FrameList,
        particles: ParticlesPass | None,
    ) -> None:
        """Everything but weather and overlays."""
        during = self.clock.during
        with during("solid"):
            self._terrain.draw_solid(meshes)
        if particles is not None:
            with during("particles"):
                particles.draw()
        with during("sky"):
            self._sky.draw()
        cracks = None
        if look.cracks is not None and _some(look.cracks):
            with during("cracks"):
                cracks = cracked(attached.world, look.cracks, self._sight.meshes(attached, look.frozen or camera))
                self._cracks.draw(target, cracks.boxes)
                self._cracks.draw_on_solid(target, cracks.on_quads)
        with during("translucent"):
            self._terrain.draw_translucent(meshes, target)
            if cracks is not None:
                self._cracks.draw_on_clear(target, cracks.on_quads)

    def draw_semantic(self, camera: Camera, target: SemanticTarget) -> None:
        """Draws what each pixel of the same frame shows, as integers (``passes.semantic``).

        Raises:
            RenderError: nothing is attached.
        """
        if self._attached is None:
            raise RenderError("nothing is attached to draw")
        if self._semantic is None:
            self._semantic = SemanticPass(self._gpu, self._arena)
        self._prepare(self._attached, camera, Look(), target.size[1])
        self._semantic.draw(self._sight.meshes(self._attached, camera), target)
        self._gpu.check()

    def draw_picks(
        self, camera: Camera, target: SemanticTarget, wanted: Wanted = SOLID, reach_blocks: float = PICK_REACH_BLOCKS
    ) -> None:
        """Marches each pixel's ray through the block ids on the GPU (``passes.pick``).

        Raises:
            RenderError: nothing is attached.
        """
        attached = self.attached
        if self._picks is None:
            self._picks = PickPass(self._gpu)
        self._prepare(attached, camera, Look(), target.size[1])
        self._picks.draw(target, attached.world.table.first, wanted, camera.reach_blocks(reach_blocks))
        self._gpu.check()

    def pick(self, camera: Camera, wanted: Wanted = SOLID, reach_blocks: float = PICK_REACH_BLOCKS) -> Picked | None:
        """The block in the middle of the picture, as the GPU finds it; waits for that. None: nothing in reach.

        Raises:
            RenderError: nothing is attached.
        """
        target = SemanticTarget(self._gpu, (1, 1))
        try:
            self.draw_picks(camera, target, wanted, reach_blocks)
            return picked(*target.read())
        finally:
            target.release()

    @property
    def shows_a_world(self) -> bool:
        """Whether a store is attached; before, there is nothing to draw, to pick or to compare."""
        return self._attached is not None

    @property
    def attached(self) -> Attached:
        """The side of the store that is shown.

        Raises:
            RenderError: nothing is attached.
        """
        if self._attached is None:
            raise RenderError("nothing is attached")
        return self._attached

    def meshes(self) -> ShownMeshes:
        """Every mesh that is on the GPU, read back from there; waits for it.

        Raises:
            RenderError: nothing is attached.
        """
        if self._attached is None:
            raise RenderError("nothing is attached to draw")
        return self._attached.cells.meshes(self._attached.world.columns)

    def check_mirror(self) -> MirrorCheck:
        """Reads every brick back and compares it with the store; waits.

        Raises:
            RenderError: nothing is attached, or light is made on the GPU, so that there is nothing to compare it with.
        """
        if self._mirror.twin is not None:
            raise RenderError("light made on the GPU has no light on the CPU to be compared with")
        return check_mirror(self._mirror, self.attached)

    def stats(self) -> SceneStats:
        """A snapshot."""
        attached = self._attached
        arena, mirror = self._arena.stats(), self._mirror.stats()
        return SceneStats(
            cells=attached.cells.by_picture() if attached else {},
            cells_shown=len(attached.cells.with_quads()) if attached else 0,
            cells_drawn=self._drawn[0],
            quads=attached.cells.quads() if attached else 0,
            quads_drawn=self._drawn[1],
            boxes_drawn=self._drawn[2],
            places_seen=self._drawn[3],
            meshes_made=attached.meshes_made if attached else 0,
            meshes_dropped=attached.meshes_dropped if attached else 0,
            failures=attached.failures.count if attached else 0,
            failed=attached.failures.last[-1].words if attached and attached.failures.last else None,
            edits_shown=attached.edits_shown if attached else 0,
            frames=self._frames,
            arena=arena,
            mirror=mirror,
            gpu_light=self._mirror.twin is not None,
            gpu_bytes=arena.gpu_bytes + mirror.blocks.gpu_bytes + mirror.light.gpu_bytes,
            settled=self.settled,
        )

    def rebuilt(self, make: Callable[[], Gpu]) -> "Scene":
        """This scene on another context, from nothing, when its own was lost; this one is released.

        Args:
            make: ends the old context, which nothing lies on any more, and makes the new one, the caller's: GL names of
                one context mean other objects in the next, so there is never more than one.
        """
        attached = self._attached
        self.finish()
        self.release()
        scene = Scene(make(), self._looks, self._runner, self._config)
        if attached is not None:
            scene.attach(attached.world, attached.light, attached.residency.anchors)
        return scene

    def finish(self) -> None:
        """Lets the ready list run empty, before another scene takes the store: a light step must be published."""
        while self._attached is not None and self._runner.busy:
            self._runner.wait(0.1)
            self._attached.collect(self._runner.collect())

    def release(self) -> None:
        """Lets the store go and frees every GL object."""
        if self._attached is not None:
            self._attached.release()
            self._attached = None
        for pass_ in (
            self._overlays,
            self._cracks,
            self._weather,
            self._terrain,
            self._sky,
            self._semantic,
            self._picks,
            self._particles,
        ):
            if pass_ is not None:
                pass_.release()
        for pool in (self.clock, self._stops, self._frame, self._textures, self._tints, self._mirror, self._arena):
            pool.release()

    def _prepare(self, attached: Attached, camera: Camera, look: Look, height_px: int) -> FrameList:
        """Writes the constants and binds what all passes read; gives what is seen."""
        self._eye = camera.eye
        volume = self._surroundings.volume(attached, self._eye)
        if look.frozen is not None:
            volume = without_fog(volume)
        self._frame.show(camera, attached.world.dimension, volume, look, height_px)
        self._mirror.bind()
        self._textures.show(look.seconds)
        self._textures.bind()
        self._tints.bind()
        seen = self._sight.look(attached, look.frozen or camera)
        self._mirror.saw(self._sight.places)
        return seen

    def _drift(self, attached: Attached, camera: Camera, look: Look) -> ParticlesPass | None:
        """Finds where particles are; None where there are none."""
        if not (_some(look.struck) or _some(look.cracks)):
            return None
        tables = self._looks.tables
        bursts = bursts_of(attached.world, tables, look, camera.eye)
        if not len(bursts):
            return None
        if self._particles is None:
            self._particles = ParticlesPass(self._gpu)
        self._stops.fit(tables, attached.world.table.obstructs)
        self._particles.drift(bursts)
        return self._particles


def _some(rows: npt.NDArray[Any] | None) -> bool:
    return rows is not None and len(rows) > 0
