"""What stages of one scene on a painted store share: the picture from one eye, and the way out."""

import numpy as np
import numpy.typing as npt

from render.camera import Camera
from render.gpu import Target
from render.scene import FrameSettings, Scene


class PaintedStage:
    """Whoever inherits makes the scene and the target; both are released here."""

    scene: Scene
    target: Target
    eye: tuple[float, float, float]
    """In blocks."""

    def picture(self) -> npt.NDArray[np.uint8]:
        """What the camera sees now, as ``Target.pixels``."""
        self.scene.draw(Camera(self.eye, -10.0, 25.0, 70.0, self.target.aspect), self.target, FrameSettings())
        return self.target.pixels()

    def close(self) -> None:
        """Gives everything back."""
        self.scene.release()
        self.target.release()
