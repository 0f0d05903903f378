"""Passes changes from the connection to the scene, once a frame; also reloads changed packs.

Rules:
1. A frame applies changes for at most 2 ms, or an eighth of a frame that takes longer, so that a slow renderer does not
   also load slowly; the scene takes results and uploads for the same time if that is more than its own limit. Until a
   world is complete for the first time, this is repeated for half of each frame (``render.viewer.app``).
2. Seeking in a recording takes half of the time while it lasts, since the user waits for it.
3. A lost connection is not pumped any more, except for its history; its last world stays.
4. For another time of the same world only the differences are rebuilt (``Scene.turn``), if both stores are between two
   drains. A recording's store that was left within a turn is not; then everything is rebuilt. Until that is done, and
   for at most ``MOST_BRIDGED`` frames, the last picture stays (``bridges``), so that stepping back does not flicker.
5. A store is full of reference cycles and outlives many frames, each of which collects only young objects: one look
   back left 70 MB at radius 3. So it is collected once the store that replaced it rests, or is replaced itself. The
   present is frozen in the garbage collector when it rests, so that steps through the past scan only the past (0.01 to
   0.04 s a step instead of 0.2); the frozen objects are scanned again when a present may have been left.
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
    """The stores that one scene shows, one after the other, and their collection."""

    def __init__(self) -> None:
        self._fresh = self._left = self._all = False

    def another(self, left: bool, present_left: bool) -> None:
        """Another store is shown; ``present_left``: the present, which does not come back, may have been left."""
        if self._left:
            gc.collect()
        self._fresh, self._left, self._all = True, left or self._left, present_left or self._all

    def rest(self, present: bool) -> None:
        """The shown store rests; ``present``: it is the live session's."""
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
    """Frees the world that was left, and freezes the remaining objects.

    Not before its connection is closed: objects still referenced would be frozen, and never collected.
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
"""Limit in one frame, so that the window stays responsive."""


class SceneUpdater:
    """Updates one scene from one connection."""

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
        """Whether the last picture stays for this frame."""
        return self._bridged > 0

    @property
    def dimension(self) -> int:
        return int(self._connection.session.dimension.store.dimension.number)

    def obstructs(self, block: BlockPos) -> bool:
        store = self._connection.session.dimension.store
        return bool(store.table.obstructs[store.block(block).dense])

    def name_at(self, block: BlockPos) -> str:
        """A block's name, the placeholder's if it is unknown."""
        return self._connection.session.dimension.store.block(block).name

    def pump(self, elapsed_s: float) -> str | None:
        """Applies received data; returns why the connection ended, when that is to be shown."""
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
        """Reloads packs whose files have changed, and rebuilds the world if textures differ; returns a message."""
        if self._packs is None or not self._packs.poll(now):
            return None
        if not self._packs.failed and self._looks.reload(self._packs.stack):
            self._attached = None
        return self._packs.said

    def step(self, eye: Eye, elapsed_s: float = 0.0) -> None:
        """Updates the scene for an eye; ``elapsed_s``: since the last frame."""
        session = self._connection.session
        if self._attached is not session.dimension.store:  # the first time, and after a change of dimension
            left = self._attached is not None
            again = left and self._dimension == self.dimension
            self._bridged = MOST_BRIDGED if again else 0
            turns = again and self._attached.between_drains and session.dimension.store.between_drains
            self._attached, self._dimension = session.dimension.store, self.dimension
            show = self._scene.switch if turns else self._scene.attach
            show(session.dimension.store, session.dimension.light, session.anchors)
            self._leavings.another(left, present_left=left and not again)
        self._scene.step((eye.x, eye.y, eye.z), PUMP_SHARE * elapsed_s)
        self._bridged = max(self._bridged - 1, 0)
        if self._scene.settled:
            self._bridged = 0
            self._leavings.rest(present=self._connection.replay is None)
