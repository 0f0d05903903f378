"""Build mode: buttons break the block under the crosshair, place one at its face, or take it to be placed.

Rules:
1. It is off at first. On a server that is not ours it needs ``--build``: a click would change somebody's world.
2. The server decides: the picture changes when it says so, and it says itself why it refuses.
3. What is chosen is a block by its name, stone at first; it is placed in its first state.
"""

from typing import Final

from client.connection.connection import Connection
from client.errors import UsageError
from client.source import Remote
from net.space import BlockPos
from render.camera import Camera
from render.draw_options import Cut
from render.viewer.picking import sight

LEFT, MIDDLE, RIGHT = 1, 2, 4
"""pyglet's buttons."""
REACH_BLOCKS: Final = 12.0
"""Our server reaches 13 from where the player was last."""
FACES: Final = {(0, -1, 0): 0, (0, 1, 0): 1, (0, 0, -1): 2, (0, 0, 1): 3, (-1, 0, 0): 4, (1, 0, 0): 5}
"""By the step from a block to the one before its face."""

FOREIGN: Final = (
    "Build mode is off: chunkscope did not start this server. Start chunkscope with --build to change this world."
)
RECORDED: Final = "Nothing can be built in a recording, or in the past."
OFF: Final = "Build mode off."
FAR: Final = f"No block within {REACH_BLOCKS:g} blocks is under the crosshair."


class Builder:
    """Of one world in a window."""

    def __init__(self, connection: Connection, allowed: bool) -> None:
        """Off. ``allowed``: whether a server that is not ours may be changed."""
        self._connection = connection
        self._allowed = allowed or not isinstance(connection.source, Remote)
        self.on = False  # whether buttons build
        self.name = "minecraft:stone"  # of the block that is placed

    def switch(self) -> str:
        """On or off; what there is to say."""
        if self.on:
            self.on = False
            return OFF
        if self._connection.replay is not None:
            return RECORDED
        if not self._allowed:
            return FOREIGN
        self.on = True
        return f"Build mode: left button breaks, right places {self._bare}, middle takes the block under the crosshair."

    def click(self, button: int, camera: Camera, cut: Cut | None = None) -> str:
        """Does what a button means; what there is to say, empty where the picture will show it."""
        if self._connection.replay is not None:
            self.on = False
            return RECORDED
        session = self._connection.session
        seen = sight(session, camera, cut)
        if seen.block is None or seen.hole is not None or seen.distance_blocks > REACH_BLOCKS:
            return FAR
        if button == MIDDLE:
            self.name = session.dimension.store.block(seen.block).name
            return f"The right button places {self._bare}."
        try:
            if button == LEFT:
                self._connection.break_block(seen.block)
            elif button == RIGHT and seen.before is not None:
                self._connection.build(seen.block, self.name, face_between(seen.block, seen.before))
        except UsageError as error:
            return str(error)
        return ""

    @property
    def _bare(self) -> str:
        return self.name.removeprefix("minecraft:")


def face_between(block: BlockPos, before: BlockPos) -> int:
    """The face of a block that the one before it touches, as the protocol numbers faces."""
    return FACES[before.x - block.x, before.y - block.y, before.z - block.z]
