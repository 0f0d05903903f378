"""What stores that are no longer shown hold in memory, freed.

A store is full of cycles and outlives many frames, each of which collects only what is young: a look back over one's
own session left 70 MB at radius 3 behind, and so did each step of it, until the window was closed.

Rules:
1. It is collected once the store that took its place rests, or has itself to give way: somebody waits for a picture.
2. The present is laid aside (frozen) when it rests, so that ways through the past look through the past alone (measured
   at radius 3, two busy cores: 0.01 to 0.04 s a step instead of 0.2). Reference counts go on freeing what is frozen.
3. What has been laid aside is looked at again where a present may have been left: in another dimension, or world.
"""

import gc


class Leavings:
    """Of the stores that one scene shows, one after the other."""

    def __init__(self) -> None:
        """None was shown yet."""
        self._fresh = self._left = self._all = False

    def another(self, left: bool, present_left: bool) -> None:
        """Another store is shown from now on.

        Args:
            left: whether there was one before.
            present_left: whether that may have been the present, which does not come back.
        """
        if self._left:
            gc.collect()
        self._fresh, self._left, self._all = True, left or self._left, present_left or self._all

    def rest(self, present: bool) -> None:
        """The store that is shown rests; ``present``: it is the live session's."""
        if not self._fresh:
            return
        if self._all:
            gc.unfreeze()
        if self._left:
            gc.collect()
        if present:
            gc.freeze()
        self._fresh = self._left = self._all = False


def collect_all() -> None:
    """Frees the world that was left; what lives on is not looked at again.

    Not sooner than its goodbye is said: what somebody still holds would be frozen, and never looked at.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
