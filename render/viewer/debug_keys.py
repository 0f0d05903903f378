"""The keys that look at the GPU: is its copy of the world right, what is under the crosshair there, what is it to draw.

Frozen, it draws what was seen from where the key was pressed, wherever the eye flies.

Rules:
1. The first two wait for the GPU, so a frame with one of them is late; nothing of it happens without the key.
2. Each answer is a sentence. What the GPU shows may be behind what is known; then the answer says so.

Knows no window, so tests drive it without one.
"""

from typing import Final

from client.session.session import Session
from render.camera import Camera
from render.draw_options import Cut
from render.gpu.errors import RenderError
from render.scene import Scene
from render.scene.gpu_copy.verify import MirrorCheck
from render.viewer.picking import under_crosshair

FROZEN: Final = "Culling is frozen at this camera (the overlay verdict shows the reasons)."
THAWED: Final = "Culling follows the camera again."
EARLY: Final = "No terrain is drawn yet."


class DebugKeys:
    """What they do to a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.frozen: Camera | None = None  # the camera whose list is drawn; None: the window's own

    def freeze(self, camera: Camera) -> str:
        """Draws what is seen from a camera wherever one flies, or no longer; what there is to say."""
        self.frozen = None if self.frozen else camera
        return FROZEN if self.frozen else THAWED

    def inspect(self, session: Session, camera: Camera, now: float, cut: Cut | None = None) -> str:
        """What is under the crosshair of a frame, of a session that the scene shows, at its monotonic seconds."""
        return under_crosshair(session, self._scene, camera, now, cut) if self._scene.shows_a_world else EARLY

    def check_mirror(self) -> str:
        """Whether the GPU's copy is right."""
        if not self._scene.shows_a_world:
            return EARLY
        try:
            check = self._scene.check_mirror()
        except RenderError as error:
            return f"The GPU's copy cannot be verified: {error}."
        mirror = self._scene.stats().mirror
        return format_mirror_check(check, mirror.blocks_behind + mirror.light_behind)


def format_mirror_check(check: MirrorCheck, behind: int) -> str:
    """How the GPU's copy compares with what is known; ``behind`` sub-chunks are on their way there."""
    wrong = len(check.differences)
    differ = f"{check.differing:,} differ, in {wrong:,} sub-chunks" if wrong else "all equal"
    late = f"; {behind:,} not uploaded yet" if behind else ""
    out = f", {check.left_out:,} did not fit" if check.left_out else ""
    return f"GPU copy: {check.subchunks:,} sub-chunks{out}, {check.cells:,} values compared, {differ}{late}."
