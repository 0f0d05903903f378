"""The keys that look at the GPU: is its copy of the world right, what is under the crosshair there, what is it to draw.

Frozen, it draws what was seen from where the key was pressed, wherever the eye flies.

Rules:
1. The first two wait for the GPU, so a frame with one of them is late; nothing of it happens without the key.
2. Each answer is one sentence. What the GPU shows may be behind what is known; then the answer says so.

Knows no window, so tests drive it without one.
"""

from typing import Final

from client.session.session import Session
from net.space.layout import DIRECTIONS
from net.space.positions import BlockPos
from render.camera import Camera
from render.gpu.errors import RenderError
from render.passes.pick import PICK_REACH_BLOCKS, Picked
from render.scene import Scene
from render.scene.mirror_check import MirrorCheck
from render.settings import Action

PREFIX: Final = "minecraft:"
CHANNELS: Final = "RGBD"
FROZEN: Final = "Drawn is what is seen from here, wherever you fly (overlay verdict: why)."
THAWED: Final = "Drawn is what you see again."
EARLY: Final = "Nothing of a world is drawn yet."
NOTHING: Final = f"Nothing is in the way within {PICK_REACH_BLOCKS:.0f} blocks."


class DebugKeys:
    """What they do to a scene.

    Attributes:
        frozen: the camera whose list is drawn; None: the window's own.
    """

    def __init__(self, scene: Scene) -> None:
        """The scene belongs to the caller."""
        self._scene = scene
        self.frozen: Camera | None = None

    def obey(self, action: Action, session: Session, camera: Camera) -> str | None:
        """Does what a key means, if it is one of these; what was found, in a sentence, else None."""
        match action:
            case Action.CHECK_MIRROR:
                return self._check()
            case Action.INSPECT:
                return self._inspect(session, camera)
            case Action.FREEZE:
                self.frozen = None if self.frozen else camera
                return FROZEN if self.frozen else THAWED
            case _:
                return None

    def _inspect(self, session: Session, camera: Camera) -> str:
        if not self._scene.shows_a_world:
            return EARLY
        picked = self._scene.pick(camera)
        return told_of(session, picked) if picked else NOTHING

    def _check(self) -> str:
        if not self._scene.shows_a_world:
            return EARLY
        try:
            check = self._scene.check_mirror()
        except RenderError as error:
            return f"The GPU's copy cannot be compared: {error}."
        mirror = self._scene.stats().mirror
        return told_of_check(check, mirror.blocks_behind + mirror.light_behind)


def told_of_check(check: MirrorCheck, behind: int) -> str:
    """How the GPU's copy compares with what is known.

    Args:
        check: of both volumes.
        behind: how many sub-chunks are on their way there, and may differ.
    """
    differ = f"{check.differing:,} differ, in {check.wrong:,} sub-chunks" if check.wrong else "none differs"
    late = f"; {behind:,} are on their way" if behind else ""
    out = f", {check.left_out:,} without room" if check.left_out else ""
    return f"GPU against CPU: {check.subchunks:,} sub-chunks{out}, {check.cells:,} values, {differ}{late}."


def told_of(session: Session, picked: Picked) -> str:
    """Name, states, place, light before the face that is seen, and what is known of the sub-chunk."""
    store, block = session.store, picked.block
    state = store.table.states[picked.dense]
    states = ",".join(f"{name}={_plain(value)}" for name, value in state.states)
    named = state.name.removeprefix(PREFIX) + (f"[{states}]" if states else "")
    known = store.block(block)
    other = "" if known.dense == picked.dense else f" (known as {known.name.removeprefix(PREFIX)})"
    knowledge = known.knowledge.name.lower().replace("_", " ")
    way = DIRECTIONS[picked.face] if picked.face < len(DIRECTIONS) else (0, 0, 0)
    light = _light(session, BlockPos(block.x + way[0], block.y + way[1], block.z + way[2]))
    away = f"{picked.distance_blocks:.1f} blocks away"
    return f"{named}{other} at {block.x} {block.y} {block.z}, light {light}, {knowledge}, {away}."


def _light(session: Session, block: BlockPos) -> str:
    """Levels by channel, of the block before a face."""
    place = session.store.place_of(block.subchunk)
    value = session.light.at(place, block.in_subchunk)
    return " ".join(f"{name} {value >> 4 * at & 15}" for at, name in enumerate(CHANNELS))


def _plain(value: int | str | bool) -> str:
    return str(int(value) if isinstance(value, bool) else value)
