"""The overlays of one scene: those made of marks (``render.overlays``), and those that are a pass of their own.

``xray-placeholder``, ``xray-air`` what terrain hides (``passes.xray``)
``channel-*``, ``light-*``, ``merge``, ``mirror`` one fact of each surface in the picture's place (``passes.surfaces``)

Rules:
1. Facts of surfaces come first, then those that march through the mirror, marks over them, a frozen frustum last.
2. Marks are those of the columns around the look's anchor, of all columns where there is none.
3. Of several facts of surfaces one shows: the last in the list.
"""

from collections.abc import Hashable
from collections.abc import Set as AbstractSet

from render.camera import Camera, Vector
from render.gpu.arena import QuadArena
from render.gpu.device import Gpu
from render.gpu.errors import RenderError
from render.gpu.target import Target
from render.overlays.culling import Held
from render.overlays.frustum import FRUSTUM_HIDDEN, frustum_lines
from render.overlays.marks import LegendRow
from render.overlays.painter import Painter
from render.overlays.registry import REGISTRY
from render.passes.frame_list import FrameList
from render.passes.lines import LinesPass
from render.passes.look import Look
from render.passes.surfaces import SURFACES, Surface, SurfacesPass
from render.passes.xray import XRAYS, XrayPass
from render.scene.attached import Attached
from render.scene.frame_facts import SceneFrameFacts
from render.scene.mirror import Mirror
from render.scene.mirror_watch import MirrorWatch
from render.scene.overlay_facts import SceneFacts
from render.scene.sight import Sight
from render.settings.overlays import OVERLAYS, unknown_overlay


def check_overlays(names: AbstractSet[str]) -> None:
    """Looks for names of overlays that are not there.

    Raises:
        RenderError: an overlay of that name is not there.
    """
    if names and (unknown := names - set(OVERLAYS)):
        raise RenderError(unknown_overlay(sorted(unknown)[0]))


class Overlays:
    """Draws them. Owner thread only."""

    def __init__(self, gpu: Gpu, arena: QuadArena, mirror: Mirror, sight: Sight, indirect: bool = False) -> None:
        """Compiles nothing before it is wanted.

        Args:
            gpu: the context.
            arena: where the quads are.
            mirror: the GPU's copy of blocks and light.
            sight: what decides what a frame draws.
            indirect: as for ``TerrainPass``.
        """
        self._gpu = gpu
        self._arena, self._mirror, self._sight, self._indirect = arena, mirror, sight, indirect
        self._painter = Painter(gpu)
        self._xray: XrayPass | None = None
        self._surfaces: SurfacesPass | None = None
        self._watch: MirrorWatch | None = None
        self._frozen: LinesPass | None = None
        self._made_at: float | None = None
        self._made: frozenset[str] = frozenset()
        self._due: frozenset[str] = frozenset()
        self._version: Hashable = None

    def draw(self, attached: Attached, camera: Camera, target: Target, look: Look, meshes: FrameList) -> int:
        """Draws those that a look names over the target in use, which shows ``meshes``; how many boxes there are."""
        attached.see(look.seen_s)
        if look.frozen is None and not look.overlays:
            return 0
        for name in [name for name in SURFACES if name in look.overlays][-1:]:
            self._draw_surfaces(SURFACES[name], attached, target, meshes)
        for name in sorted(look.overlays & set(XRAYS)):
            self._draw_xray(attached, name)
        marked = look.overlays & REGISTRY.keys()
        if marked:
            self._make(marked, attached, camera, look)
            target.resume()
        boxes = self._painter.draw(marked, camera, target, look.marks_every_s > 0) if marked else 0
        if look.frozen is not None:
            self._draw_frozen(look.frozen, camera, target)
        return boxes

    def legend(self, name: str) -> tuple[LegendRow, ...]:
        """What an overlay's marks meant when it was drawn last, with counts; nothing of those without marks."""
        return self._painter.legend(name)

    def restart(self) -> None:
        """Another store: no mark that was made is of it."""
        self._painter.forget()
        self._made_at = None

    def release(self) -> None:
        """Frees their GL objects."""
        self._painter.release()
        for each in (self._xray, self._surfaces, self._watch, self._frozen):
            if each is not None:
                each.release()

    def _make(self, names: frozenset[str], attached: Attached, camera: Camera, look: Look) -> None:
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

    def _draw_xray(self, attached: Attached, name: str) -> None:
        if self._xray is None:
            self._xray = XrayPass(self._gpu)
        self._xray.draw(name, attached.world.table.first)

    def _draw_surfaces(self, surface: Surface, attached: Attached, target: Target, meshes: FrameList) -> None:
        if self._surfaces is None:
            self._surfaces = SurfacesPass(self._gpu, self._arena, self._indirect)
        self._surfaces.draw(surface, meshes, target, attached.world.table)

    def _draw_frozen(self, frozen: Camera, camera: Camera, target: Target) -> None:
        """The frustum of a frozen camera, from outside of it."""
        if self._frozen is None:
            self._frozen = LinesPass(self._gpu)
        if frozen.eye != camera.eye:
            self._frozen.draw(target, camera, frustum_lines(frozen), FRUSTUM_HIDDEN)

    def _look_at_mirror(self, attached: Attached, eye: Vector) -> Held:
        if self._watch is None:
            self._watch = MirrorWatch(self._gpu, self._mirror)
        return self._watch.look(attached, eye)
