"""A picture that moves: its frames, how long each lasts, and what is shown at a time."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from render.materials.packs.images import Frames, at_side


@frozen
class Strip:
    """Frames and their order.

    Attributes:
        frames: uint8[n, side, side, 4].
        order: numbers of frames, each of which lasts ``ticks``.
        ticks: of 50 ms.
        blended: one fades into the next.
    """

    frames: Frames
    order: tuple[int, ...]
    ticks: int
    blended: bool

    @property
    def moves(self) -> bool:
        """Whether it ever shows anything but its first picture."""
        return len(set(self.order)) > 1

    @property
    def side(self) -> int:
        """Texels a side."""
        return int(self.frames.shape[1])

    def at_side(self, side: int, masked: bool) -> "Strip":
        """The same in another size; ``masked``: alpha is no coverage."""
        return self if side == self.side else replace(self, frames=at_side(self.frames, side, masked))

    def turned(self) -> "Strip":
        """The same by a quarter against the clock, as the sides of a pillar that lies."""
        return replace(self, frames=np.ascontiguousarray(np.rot90(self.frames, axes=(1, 2))))

    def step_at(self, tick: int) -> int:
        """Which of the pictures of its loop is shown: a new one each tick where frames blend, else each ``ticks``."""
        loop = tick % (len(self.order) * self.ticks)
        return loop if self.blended else loop // self.ticks

    def picture(self, step: int) -> npt.NDArray[np.uint8]:
        """uint8[side, side, 4]: picture ``step`` of the loop; a blend is of codes, as the game's is."""
        if not self.blended:
            return self._frame(step)
        place, part = divmod(step, self.ticks)
        now, following = self._frame(place).astype(np.uint32), self._frame((place + 1) % len(self.order))
        mixed = (now * (self.ticks - part) + following * np.uint32(part)) // np.uint32(self.ticks)
        return mixed.astype(np.uint8)

    def _frame(self, place: int) -> npt.NDArray[np.uint8]:
        frame: npt.NDArray[np.uint8] = self.frames[self.order[place]]
        return frame
