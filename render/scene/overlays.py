"""The overlays of one scene: those made of marks (``render.overlays``), and those that are a pass of their own.

``xray-placeholder``, ``xray-air`` what terrain hides (``passes.xray``)

Rules:
1. Those that march through the mirror come first, marks over them.
2. Marks are those of the columns around the look's anchor, of all columns where there is none.
"""

from collections.abc import Set as AbstractSet

from render.camera import Camera
from render.gpu.device import Gpu
from render.gpu.errors import RenderError
from render.gpu.target import Target
from render.overlays.marks import LegendRow
from render.overlays.painter import Painter
from render.overlays.registry import REGISTRY
from render.passes.look import Look
from render.passes.xray import XRAYS, XrayPass
from render.scene.attached import Attached
from render.scene.overlay_facts import SceneFacts
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

    def __init__(self, gpu: Gpu) -> None:
        """Compiles nothing before it is wanted."""
        self._gpu = gpu
        self._painter = Painter(gpu)
        self._xray: XrayPass | None = None
        self._made_at: float | None = None
        self._made: frozenset[str] = frozenset()

    def draw(self, attached: Attached, camera: Camera, target: Target, look: Look) -> int:
        """Draws those that a look names over the target in use; gives how many boxes there are."""
        if not look.overlays:
            return 0
        for name in sorted(look.overlays & set(XRAYS)):
            self._draw_xray(attached, name)
        marked = look.overlays & REGISTRY.keys()
        if marked:
            self._make(marked, attached, camera, look)
        return self._painter.draw(marked, camera, target) if marked else 0

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
        if self._xray is not None:
            self._xray.release()

    def _make(self, names: frozenset[str], attached: Attached, camera: Camera, look: Look) -> None:
        """Makes marks, unless those of a moment ago will do."""
        fresh = self._made_at is not None and 0 <= look.seconds - self._made_at < look.marks_every_s
        if fresh and self._made == names:
            return
        self._painter.make(names, SceneFacts(attached, look, camera.eye), look.seconds)
        self._made_at, self._made = look.seconds, names

    def _draw_xray(self, attached: Attached, name: str) -> None:
        if self._xray is None:
            self._xray = XrayPass(self._gpu)
        self._xray.draw(name, attached.world.table.first)
