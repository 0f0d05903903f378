"""A scene's frames: binds what all passes read, lists visible meshes, then runs the passes in order.

Rules:
1. Results in targets of their own (particles, depth of rain) are computed before the frame's target is begun.
2. Solid things come before the sky, which fills the rest; blended surfaces come after both, nearest last.
3. Nothing here changes the picture of a store: the same camera and settings draw the same frame again.

Two passes draw integers instead of colours: what each pixel shows, and which block is in its way. Both are compiled at
first use; windows and most captures never use them.
"""

from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace

from client.session.session import Session
from render.camera import Camera
from render.draw_options import Cut
from render.gpu.device import GlOwner, Gpu
from render.gpu.targets import SemanticTarget, Target
from render.gpu.timers import PassClock
from render.passes.atmosphere import OF_AIR, Medium, SkyPass, VignettePass
from render.passes.block_march import MarchEnd
from render.passes.cracks import CracksPass, OnQuads
from render.passes.cut import CutPass
from render.passes.draw_list import RunList
from render.passes.entities import EntitiesPass
from render.passes.frame_settings import FrameSettings
from render.passes.frame_uniforms import FrameBlock, medium_of
from render.passes.overlay.surface_channels import SURFACES
from render.passes.particles import ParticlesPass
from render.passes.semantic import Picked, PickPass, SemanticPass, picked
from render.passes.shadows import OF_SHADOWS, ShadowPass, light_at
from render.passes.terrain import TerrainPass
from render.scene.frame.overlays import Overlays, check_overlays
from render.scene.frame.particles import Falling, cracked, some, struck_of
from render.scene.frame.surroundings import Surroundings, without_fog
from render.scene.frame.visible_meshes import VisibleMeshes
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.work_state import GpuPools, SceneConfig
from render.scene.world_view import WorldView


def session_settings(session: Session) -> FrameSettings:
    """The settings that follows from a session: sky, weather and broken blocks, at the time of its last event.

    The caller adds the options (``replace``). New properties of a session for the picture belong here.
    """
    return FrameSettings(
        time_ticks=session.environment.world_time,
        weather=session.environment.weather,
        fogs=session.environment.fogs,
        cracks=session.dimension.store.cracks(session.now),
        struck=struck_of(session),
        stale=session.dimension.terrain.staleness.rows,
        unsent=lambda: session.unsent,
        trail=session.trail,
        tracks=session.tracks,
        biome_names=session.environment.biome_names,
    )


class LastFrame(msgspec.Struct, frozen=True):
    """Figures of the last frame."""

    cells: int  # render cells
    quads: int  # quads of these, faces that settings away included
    boxes: int  # of overlays
    places: int  # sub-chunks that its walk reached
    entities: int = 0  # in sight


NOTHING: Final = LastFrame(0, 0, 0, 0)


class Frames(GlOwner):
    """Draws the frames of one scene. Owner thread only."""

    def __init__(self, gpu: Gpu, appearance: BlockAppearance, pools: GpuPools, config: SceneConfig) -> None:
        """Compiles programs. ``pools``: data that the passes read; they belong to the caller."""
        super().__init__(gpu)
        can, wanted = gpu.capabilities.draws_indirect, config.indirect
        indirect = can if wanted is None else can and wanted
        self._pools = pools
        self._appearance = appearance
        self._indirect = indirect
        self._entities: EntitiesPass | None = None
        self._cut: CutPass | None = None
        self._constants = self._own(FrameBlock(gpu))
        self._vignette: VignettePass | None = None
        self._semantic: SemanticPass | None = None
        self._picks: PickPass | None = None
        self._land = partial(TerrainPass, gpu, pools.arena, config.flat_light, indirect)
        self._in_air = self._own(self._land(more=OF_AIR)), self._own(SkyPass(gpu, OF_AIR))
        self._in_liquid: tuple[TerrainPass, SkyPass] | None = None  # for an eye in water or lava; made at first use
        self._shadowed: TerrainPass | None = None  # for an eye in air, under ``shadows``; both made at first use
        self._shadows: ShadowPass | None = None
        self._config = config
        self._terrain, self._sky = self._in_air  # of the frame being drawn
        self.clock = self._own(PassClock(gpu))  # names the passes, and measures them on request
        self._cracks = self._own(CracksPass(gpu, pools.arena))
        self._surroundings = Surroundings(pools.mirror, pools.tints, appearance, config.radius_columns)
        self.falling = self._own(Falling(gpu, appearance, self._surroundings))  # particles, rain and snow
        self.sight = VisibleMeshes(pools.mirror)  # the meshes that the camera sees
        self._lit = VisibleMeshes(pools.mirror)  # the meshes that the sun or the moon sees
        self.overlays = self._own(Overlays(gpu, pools.arena, pools.mirror, self.sight, indirect))  # drawn last
        self.drawn = NOTHING  # figures of the last frame of the attached store
        self.count = 0  # frames drawn, in all
        self._enclosed = False  # whether the eye of the frame being drawn is in an opaque block

    def restart(self) -> None:
        self.overlays.restart()
        self.drawn = NOTHING

    def draw(self, attached: WorldView, camera: Camera, target: Target, settings: FrameSettings) -> None:
        """Draws a frame. Raises RenderError: there is no overlay of that name."""
        check_overlays(settings.overlays)
        with self.clock.during("prepare"):
            meshes = self._prepare(attached, camera, settings, target.size[1])
            whole = settings.cut is None  # particles would stop at hidden blocks
            particles = self.falling.drift(attached, camera, settings) if whole else None
            rains = whole and self.falling.rain(attached, camera, settings)
            entities = self._entities_in_sight(settings, settings.frozen or camera)
        if settings.shadows:
            with self.clock.during("shadows"):
                self._throw_shadows(attached, camera, settings, target.size[1])
        target.begin()
        self._draw_solid(attached, camera, settings, meshes, particles, entities)
        self._draw_translucent(attached, camera, target, settings, meshes)
        if rains:
            with self.clock.during("weather"):
                self.falling.draw_rain(attached, camera, target)
        uncut = settings.cut is None or settings.cut.shows(camera.eye_block[1])
        if self._enclosed and uncut and not camera.is_parallel:
            with self.clock.during("vignette"):
                self._vignette = self._vignette or self._own(VignettePass(self._gpu))
                self._vignette.draw()
        with self.clock.during("overlays"):
            cut = partial(self._draw_cut_faces, attached, camera, settings)  # timers of passes cannot be nested
            boxes = self.overlays.draw(attached, camera, target, settings, meshes, cut)
        if entities is not None and not settings.overlays & SURFACES.keys():
            with self.clock.during("names"):
                entities.draw_names(settings.now_us, camera, target)
        seen = entities.in_sight if entities is not None else 0
        self.drawn = LastFrame(meshes.cells, meshes.quads, boxes, len(self.sight.places), seen)
        self.count += 1
        self._gpu.check()

    def _prepare(self, attached: WorldView, camera: Camera, settings: FrameSettings, height_px: int) -> RunList:
        """Writes the constants and binds what all passes read; returns the visible meshes."""
        area = self._surroundings.area(attached, camera.eye, settings)
        if settings.frozen is not None:
            area = without_fog(area)
        self._enclosed = area.enclosed
        self._constants.show(camera, attached.world.dimension, area, settings, height_px)
        self._see_through(medium_of(camera, area, settings), settings.shadows)
        self._pools.bind(settings.seconds)
        seen = self.sight.update(attached, settings.frozen or camera, settings.cut)
        self._pools.mirror.saw(self.sight.places)
        return seen

    def _entities_in_sight(self, settings: FrameSettings, camera: Camera) -> EntitiesPass | None:
        """Sends the entities that a camera sees and returns their pass; None if it sees none."""
        if settings.entities is None or not len(settings.entities.rows):
            return None
        self._entities = self._entities or self._own(EntitiesPass(self._gpu))
        seen = self._entities.prepare(settings.entities, self._appearance.tables.faces, camera)
        return self._entities if seen else None

    def _draw_cut(self, attached: WorldView, camera: Camera, settings: FrameSettings, semantic: bool = False) -> None:
        """Draws the faces that a cut makes, if there is one; a pass of its own."""
        if settings.cut is not None:
            with self.clock.during("cut"):
                self._draw_cut_faces(attached, camera, settings, semantic)

    def _draw_cut_faces(
        self, attached: WorldView, camera: Camera, settings: FrameSettings, semantic: bool = False
    ) -> None:
        if settings.cut is not None:
            self._cut = self._cut or self._own(CutPass(self._gpu))
            self._cut.draw(settings.cut, camera, self._appearance.tables.faces, attached.world.table.first, semantic)

    def _see_through(self, medium: Medium, shadows: bool) -> None:
        passes = self._in_air
        if medium.density_per_block > 0:
            if self._in_liquid is None:
                self._in_liquid = self._own(self._land()), self._own(SkyPass(self._gpu))
            passes = self._in_liquid
        elif shadows:
            self._shadowed = self._shadowed or self._own(self._land(more={**OF_AIR, **OF_SHADOWS}))
            passes = self._shadowed, passes[1]
        if passes[0] is not self._terrain:
            self._terrain, self._sky = passes
            self._terrain.forget_order()  # the other pass took the changes since

    def _throw_shadows(self, attached: WorldView, camera: Camera, settings: FrameSettings, height_px: int) -> None:
        """Draws the shadow map, if ``settings`` want shadows; an eye in a liquid sees none."""
        if self._shadowed is None or self._terrain is not self._shadowed:
            return
        self._shadows = self._shadows or self._own(ShadowPass(self._gpu, self._pools.arena, self._indirect))
        dimension = attached.world.dimension
        light = light_at(camera.eye, settings, dimension, self._config.radius_columns)
        if light is not None:
            area = self._surroundings.area(attached, camera.eye, settings)
            self._shadows.draw(light, self._lit.update(attached, light, settings.cut), dimension, area, settings)
            area = without_fog(area) if settings.frozen is not None else area
            self._constants.show(camera, dimension, area, settings, height_px)
        self._shadows.bind(light, camera, self._shadowed.programs)

    def _draw_solid(
        self,
        attached: WorldView,
        camera: Camera,
        settings: FrameSettings,
        meshes: RunList,
        particles: ParticlesPass | None,
        entities: EntitiesPass | None,
    ) -> None:
        with self.clock.during("solid"), self._gpu.clipping(settings.cut is not None):
            self._terrain.draw_solid(meshes)
        self._draw_cut(attached, camera, settings)
        if particles is not None:
            with self.clock.during("particles"):
                particles.draw()
        if entities is not None:
            with self.clock.during("entities"), self._gpu.clipping(settings.cut is not None):
                entities.draw(settings.now_us, attached.world.table.first)
        with self.clock.during("sky"):
            self._sky.draw()

    def _draw_translucent(
        self, attached: WorldView, camera: Camera, target: Target, settings: FrameSettings, meshes: RunList
    ) -> None:
        """Draws blended surfaces, and cracks: on solid surfaces before them, on translucent ones after them."""
        on_quads: list[OnQuads] = []
        if settings.cracks is not None and settings.cut is not None:
            heights = settings.cracks[:, 1]
            shown = (heights >= settings.cut.low) & (heights < settings.cut.high)
            settings = replace(settings, cracks=settings.cracks[shown])
        if settings.cracks is not None and some(settings.cracks):
            with self.clock.during("cracks"):
                of_quads = self.sight.meshes(attached, settings.frozen or camera, settings.cut)
                boxes, on_quads = cracked(attached.world, settings.cracks, of_quads)
                self._cracks.draw(target, boxes)
                self._cracks.draw_on_solid(target, on_quads)
        with self.clock.during("translucent"), self._gpu.clipping(settings.cut is not None):
            self._terrain.draw_blended(meshes, target)
            self._cracks.draw_on_translucent(target, on_quads)

    # ------------------------------------------------------------ integers instead of colours

    def draw_semantic(
        self, attached: WorldView, camera: Camera, target: SemanticTarget, settings: FrameSettings
    ) -> None:
        """Draws what each pixel shows, as integers (``passes.semantic``); of ``settings``, entities and the cut."""
        self._semantic = self._semantic or self._own(SemanticPass(self._gpu, self._pools.arena))
        plain = FrameSettings(cut=settings.cut)
        self._prepare(attached, camera, plain, target.size[1])
        entities = self._entities_in_sight(settings, camera)
        meshes = self.sight.meshes(attached, camera, settings.cut)
        with self._gpu.clipping(settings.cut is not None):
            self._semantic.draw(meshes, target, attached.world.table.first)
            if entities is not None:
                entities.draw_semantic(settings.now_us)
        self._draw_cut(attached, camera, plain, semantic=True)
        self._gpu.check()

    def draw_picks(
        self,
        attached: WorldView,
        camera: Camera,
        target: SemanticTarget,
        wanted: MarchEnd,
        reach_blocks: float,
        cut: Cut | None = None,
    ) -> None:
        """Marches each pixel's ray through the block ids on the GPU (``render.passes.semantic``)."""
        self._picks = self._picks or self._own(PickPass(self._gpu))
        self._prepare(attached, camera, FrameSettings(cut=cut), target.size[1])
        self._picks.draw(target, attached.world.table.first, wanted, camera.reach_blocks(reach_blocks))
        self._gpu.check()

    def pick(
        self, attached: WorldView, camera: Camera, wanted: MarchEnd, reach_blocks: float, cut: Cut | None = None
    ) -> Picked | None:
        """The block in the middle of the picture, found on the GPU; waits for the result. None: nothing in reach."""
        target = SemanticTarget(self._gpu, (1, 1))
        try:
            self.draw_picks(attached, camera, target, wanted, reach_blocks, cut)
            return picked(*target.read())
        finally:
            target.release()
