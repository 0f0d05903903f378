"""The overlays of one scene: those made of marks (``render.overlays``), and those that are a pass of their own.

Rules:
1. Facts of surfaces come first, then X-ray, marks over them, a frozen frustum last.
2. Marks are those of the columns around the look's anchor, of all columns where there is none.
3. Of several facts of surfaces one shows: the last in the list.
4. For ``mirror`` the GPU's copy around the eye is held against the store: all of it when the world changed or the eye
   came to another sub-chunk, after that ``A_TURN`` of them a look: a copy may go bad by itself. What is on its way, or
   has no room, is counted alone.
"""

from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import SubChunkState
from net.space import Places
from render.camera import Camera
from render.camera import Vector as CameraVector
from render.gpu.device import Gpu
from render.gpu.errors import RenderError
from render.gpu.quad_arena import QuadArena
from render.gpu.targets import Target
from render.overlays.facts import BrickFacts, Vector
from render.overlays.marks import LegendRow
from render.overlays.overlay import REGISTRY
from render.overlays.registry import OverlayPainter
from render.overlays.visibility import FRUSTUM_HIDDEN, frustum_lines
from render.passes.draw_list import FrameList
from render.passes.frame_uniforms import FrameSettings
from render.passes.overlay.lines import LinesPass
from render.passes.overlay.surface_channels import SURFACES, XRAYS, SurfaceChannel, SurfacesPass, XrayPass
from render.scene.frame.overlay_facts import SceneFacts, SceneFrameFacts, places_around
from render.scene.frame.visible_meshes import VisibleMeshes
from render.scene.gpu_copy.verify import verify_gpu_copy
from render.scene.gpu_copy.volumes import GpuVolumes
from render.scene.world_view import WorldView
from render.settings.overlays import OVERLAYS, unknown_overlay

AROUND: Final = 2
"""Sub-chunks on each side of the eye's."""
A_TURN: Final = 25


class MirrorWatch:
    """Of one scene. Owner thread only."""

    def __init__(self, mirror: GpuVolumes) -> None:
        self._mirror = mirror
        self._seen_at: tuple[WorldView, int, tuple[int, ...]] | None = None
        self._places: Places = np.zeros(0, np.int32)
        self._next = 0
        self._differing: dict[tuple[int, int, int], npt.NDArray[np.int32]] = {}

    def look(self, attached: WorldView, eye: Vector) -> BrickFacts:
        """How the copy compares now."""
        section = tuple(int(axis // 16) for axis in eye)
        if (
            self._seen_at is None
            or self._seen_at[0] is not attached
            or self._seen_at[1:] != (attached.state.version, section)
        ):
            self._seen_at = attached, attached.state.version, section
            places = places_around(attached, eye, AROUND)
            self._places, self._next = places[attached.residency.shown[places // attached.state.grid.sections]], 0
            self._differing.clear()
            self._compare(attached, self._places)
        elif len(self._places):
            turn = np.arange(self._next, self._next + A_TURN) % len(self._places)
            self._next = (self._next + A_TURN) % len(self._places)
            self._compare(attached, self._places[np.unique(turn)])
        return self._told(attached)

    def _compare(self, attached: WorldView, places: Places) -> None:
        mirror, world = self._mirror, attached.world
        places = places[~(mirror.blocks_behind | mirror.of_blocks.left_out | mirror.of_blocks.refused)[places]]
        for x, y, z in attached.state.grid.positions_of(places, world.columns).tolist():
            self._differing.pop((x, y, z), None)
        found = verify_gpu_copy(mirror.of_blocks, attached, places)
        self._differing.update((one.subchunk, one.blocks) for one in found)

    def _told(self, attached: WorldView) -> BrickFacts:
        blocks = self._mirror.of_blocks
        shown = attached.state.grid.places_of_rows(np.flatnonzero(attached.residency.shown))
        out = blocks.left_out[shown] | blocks.refused[shown]
        waiting = blocks.behind[shown] & ~out
        own = attached.world.pools.are_own(attached.world.slot[shown])
        there = ~out & ~waiting
        found = list(self._differing.values())
        differing = np.concatenate(found) if found else np.zeros((0, 3), np.int32)
        bricks, uniform, left_out, late = (
            int(np.count_nonzero(flags)) for flags in (there & own, there & ~own, out, waiting)
        )
        return BrickFacts(bricks, uniform, left_out, late, differing)


# ---------------------------------------------------------------- overlays


def check_overlays(names: AbstractSet[str]) -> None:
    """Looks for names of overlays that are not there. Raises RenderError: an overlay of that name is not there."""
    if names and (unknown := names - set(OVERLAYS)):
        raise RenderError(unknown_overlay(sorted(unknown)[0]))


class Overlays:
    """Draws them. Owner thread only."""

    def __init__(
        self, gpu: Gpu, arena: QuadArena, mirror: GpuVolumes, sight: VisibleMeshes, indirect: bool = False
    ) -> None:
        self._gpu = gpu
        self._arena, self._mirror, self._sight, self._indirect = arena, mirror, sight, indirect
        self._painter = OverlayPainter(gpu)
        self._xray: XrayPass | None = None
        self._left_out: tuple[WorldView, int, tuple[int, int, int]] | None = None
        self._surfaces: SurfacesPass | None = None
        self._watch: MirrorWatch | None = None
        self._frozen: LinesPass | None = None
        self._made_at: float | None = None
        self._made: frozenset[str] = frozenset()
        self._due: frozenset[str] = frozenset()
        self._version: Hashable = None

    def draw(
        self, attached: WorldView, camera: Camera, target: Target, look: FrameSettings, meshes: FrameList,
        draw_cut: Callable[[], None],
    ) -> int:  # fmt: skip
        """Draws those that a look names over the target in use, which shows ``meshes``; how many boxes there are.

        ``draw_cut``: draws the faces of its cut, where facts of surfaces took the picture's place.
        """
        attached.see(look.seen_s)
        if look.frozen is None and not look.overlays:
            return 0
        for name in [name for name in SURFACES if name in look.overlays][-1:]:
            with self._gpu.clipping(look.cut is not None):
                self._draw_surfaces(SURFACES[name], attached, target, meshes)
            draw_cut()
        for name in sorted(look.overlays & set(XRAYS)):
            self._draw_xray(attached, name)
        marked = look.overlays & REGISTRY.keys()
        if marked:
            self._make(marked, attached, camera, look)
            target.resume()
        ahead = look.marks_every_s > 0
        boxes = self._painter.draw(marked, camera, target, ahead, look.hidden_rows) if marked else 0
        if look.frozen is not None:
            self._draw_frozen(look.frozen, camera, target)
        return boxes

    def legend(self, name: str) -> tuple[LegendRow, ...]:
        """What an overlay's marks meant when it was drawn last, with counts; nothing of those without marks."""
        return self._painter.legend(name)

    def restart(self) -> None:
        """Another store: no mark that was made is of it."""
        self._painter.forget()
        self._left_out = None
        self._made_at = None

    def release(self) -> None:
        """Frees their GL objects."""
        self._painter.release()
        for each in (self._xray, self._surfaces, self._frozen):
            if each is not None:
                each.release()

    def _make(self, names: frozenset[str], attached: WorldView, camera: Camera, look: FrameSettings) -> None:
        """Makes marks, unless those of a moment ago will do; of several overlays in a window, one's a frame.

        Those that are put off count as of the version when the first were due: what changed since makes them due again.
        """
        fresh = self._made_at is not None and 0 <= look.seconds - self._made_at < look.marks_every_s
        if not fresh or self._made != names:
            self._made_at, self._made, self._due, self._version = look.seconds, names, names, None
        if not self._due:
            return
        frame = SceneFrameFacts(
            attached, self._sight, self._mirror, lambda: self._look_at_mirror(attached, camera.eye), camera.eye,
            (look.frozen or camera).eye,
        )  # fmt: skip
        facts = SceneFacts(attached, look, camera.eye, frame, self._version)
        self._version, most = facts.version, 1 if look.marks_every_s > 0 else None
        self._due = self._painter.make(self._due, facts, look.seconds, most)

    def _draw_xray(self, attached: WorldView, name: str) -> None:
        if self._xray is None:
            self._xray = XrayPass(self._gpu)
        if name == "xray-placeholder":
            self._leave_out_unasked(self._xray, attached)
        self._xray.draw(name, attached.world.table.first)

    def _leave_out_unasked(self, xray: XrayPass, attached: WorldView) -> None:
        """Tells the pass which sub-chunks were never requested, where these are other ones."""
        mask = self._mirror.blocks.table_mask
        known = attached, attached.state.version, mask
        if self._left_out == known:
            return
        self._left_out = known
        grid, world = attached.state.grid, attached.world
        places = grid.places_of_rows(np.flatnonzero(attached.residency.shown))
        xray.leave_out(grid.positions_of(places[world.state[places] == SubChunkState.UNKNOWN], world.columns), mask)

    def _draw_surfaces(self, surface: SurfaceChannel, attached: WorldView, target: Target, meshes: FrameList) -> None:
        if self._surfaces is None:
            self._surfaces = SurfacesPass(self._gpu, self._arena, self._indirect)
        self._surfaces.draw(surface, meshes, target, attached.world.table)

    def _draw_frozen(self, frozen: Camera, camera: Camera, target: Target) -> None:
        """The frustum of a frozen camera, from outside of it."""
        if self._frozen is None:
            self._frozen = LinesPass(self._gpu)
        if frozen.eye != camera.eye:
            self._frozen.draw(target, camera, frustum_lines(frozen), FRUSTUM_HIDDEN)

    def _look_at_mirror(self, attached: WorldView, eye: CameraVector) -> BrickFacts:
        if self._watch is None:
            self._watch = MirrorWatch(self._mirror)
        return self._watch.look(attached, eye)
