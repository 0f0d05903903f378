"""From the connection to the scene, once a frame: what came is applied, the scene follows, packs are looked at.

Rules:
1. A frame applies for at most 2 ms, or an eighth of a frame that takes longer, lest a slow renderer loads slowly too;
   so long, too, the scene takes results and uploads, where that is more than its own limit.
2. A way through a recording takes half of the time while it lasts: who sought a place waits for it, and little else.
3. A lost connection is pumped no more, but for its past; its last world stays.
4. Of another time of the same world only what that shows otherwise is made (``Scene.turn``); between two drains, as
   stores are but for a recording's that was left within a turn, everything is. Until it is there, and for at most
   ``MOST_BRIDGED`` frames, the last picture stays (``bridges``), lest every step back blinks.
5. A store is full of cycles and outlives many frames, each of which collects only what is young: a look back left 70 MB
   at radius 3 behind. So it is collected once the store that took its place rests, or has itself to give way. The
   present is laid aside (frozen) when it rests, so that ways through the past look through the past alone (0.01 to 0.04
   s a step instead of 0.2); that is looked at again where a present may have been left.
"""

import gc
from typing import Any, Final

from client.connection.connection import Connection
from client.errors import SourceError
from client.player import Eye
from net.space import BlockPos
from render.materials.packs.reload import LivePacks
from render.scene import Scene
from render.scene.gpu_copy.block_appearance import BlockAppearance


class FreedStores:
    """Of the stores that one scene shows, one after the other."""

    def __init__(self) -> None:
        self._fresh = self._left = self._all = False

    def another(self, left: bool, present_left: bool) -> None:
        """Another store is shown; ``present_left``: the present, which does not come back, may have been left."""
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


PUMP_BUDGET_S: Final = 0.002
PUMP_SHARE: Final = 1 / 8
WAY_SHARE: Final = 1 / 2
MOST_BRIDGED: Final = 30
"""Frames: half a second."""
LONGEST_WAY_S: Final = 0.25
"""Of one frame, so that the window answers."""


class SceneUpdater:
    """Of one scene on one connection."""

    def __init__(self, connection: Connection, scene: Scene, looks: BlockAppearance, packs: LivePacks | None) -> None:
        self._connection = connection
        self._scene = scene
        self._looks = looks
        self._packs = packs
        self._attached: Any = None  # the store that the scene shows
        self._dimension = 0  # of that store
        self._leavings = FreedStores()
        self._bridged = 0  # frames for which the last picture stays
        self._lost = False

    @property
    def bridges(self) -> bool:
        """Whether the last picture is to stay for this frame."""
        return self._bridged > 0

    @property
    def dimension(self) -> int:
        return int(self._connection.session.dimension.store.dimension.number)

    def obstructs(self, block: BlockPos) -> bool:
        store = self._connection.session.dimension.store
        return bool(store.table.obstructs[store.block(block).dense])

    def name_at(self, block: BlockPos) -> str:
        """A block's name, the placeholder's where nothing is known."""
        return self._connection.session.dimension.store.block(block).name

    def pump(self, elapsed_s: float) -> str | None:
        """Applies what came; why the connection is over, where that shows now."""
        replay = self._connection.replay
        if self._lost and replay is None:
            return None
        on_the_way = replay is not None and replay.on_the_way is not None
        budget_s = min(WAY_SHARE * elapsed_s, LONGEST_WAY_S) if on_the_way else PUMP_SHARE * elapsed_s
        try:
            self._connection.pump(budget_s=max(PUMP_BUDGET_S, budget_s))
        except SourceError as error:
            self._lost = True
            return str(error)
        return None

    def reload(self, now: float) -> str | None:
        """Takes packs whose files have changed, with the world anew where pictures differ; what there is to say."""
        if self._packs is None or not self._packs.poll(now):
            return None
        if not self._packs.failed and self._looks.reload(self._packs.stack):
            self._attached = None
        return self._packs.said

    def step(self, eye: Eye, elapsed_s: float = 0.0) -> None:
        """The scene follows the world, seen from an eye; ``elapsed_s``: since the frame before."""
        session = self._connection.session
        if self._attached is not session.dimension.store:  # the first time, and after a change of dimension
            left = self._attached is not None
            again = left and self._dimension == self.dimension
            self._bridged = MOST_BRIDGED if again else 0
            turns = again and self._attached.between_drains and session.dimension.store.between_drains
            self._attached, self._dimension = session.dimension.store, self.dimension
            show = self._scene.turn if turns else self._scene.attach
            show(session.dimension.store, session.dimension.light, session.anchors)
            self._leavings.another(left, present_left=left and not again)
        self._scene.step((eye.x, eye.y, eye.z), PUMP_SHARE * elapsed_s)
        self._bridged = max(self._bridged - 1, 0)
        if self._scene.settled:
            self._bridged = 0
            self._leavings.rest(present=self._connection.replay is None)
