"""One connection with everything that shows it in a window; a window may have two during a switch.

``close`` frees everything except the connection, which belongs to ``OpenConnections`` (``connect.join``).

``DebugKeys``, the keys that inspect the GPU: compare its copy of the world, describe the block under the crosshair in
it, show its draw list. Frozen, it uses the draw list of the camera at the time of the key press, wherever the eye
flies.

1. The first two wait for the GPU, so their frame is late; without the keys nothing of this happens.
2. Each answer is a sentence. The GPU's copy may lag behind the CPU's; then the answer says so.

``PinKeys``, the keys of pinned places: pin the camera's place or the one in sight, list the pins, release the nearest.

1. The pinned place in sight is the free block before the first obstacle, since an eye must not be inside a block.
2. An impossible action gives a sentence, like a possible one.

Neither depends on the window, so tests need none.
"""

from collections.abc import Callable
from itertools import count
from typing import Final

from client.connection.connection import Connection
from client.errors import UsageError
from client.kernel_cache import cache_directory
from client.options import PinnedAnchor
from client.player import Eye, View
from client.session.session import Session
from client.streaming.anchors import AnchorClaim
from net.space import BlockPos, coordinates
from render.camera import Camera
from render.draw_options import Cut
from render.errors import RenderError
from render.gpu import Gpu
from render.jobs.workers import ThreadRunner
from render.materials.packs.reload import LivePacks
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.gpu_copy.verify import MirrorCheck
from render.viewer.control.timeline import Timeline
from render.viewer.picking import FREE, REACH_BLOCKS, blocks_along, under_crosshair
from render.viewer.scene_updater import SceneUpdater
from render.viewer.window_options import WindowOptions

LISTED: Final = 5


class PinKeys:
    """Pins and releases places of a connection; returns messages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def pin_here(self, view: View) -> str:
        return self._pin(view.eye)

    def pin_there(self, view: View) -> str:
        place = looked_at(view, lambda block: self._connection.block(block).name == FREE)
        return self._pin(place) if place else f"No block within {REACH_BLOCKS:.0f} blocks."

    def _pin(self, place: Eye) -> str:
        pins = self._connection.pins
        name = next(name for name in (f"pin {number}" for number in count(1)) if name not in pins)
        try:
            self._connection.pin(name, PinnedAnchor(place.x, place.z, y=place.y))
        except UsageError as error:
            return str(error)
        return f"{name}: {coordinates(place)} stays loaded."

    def unpin_nearest(self, eye: Eye) -> str:
        """Releases the pin nearest to an eye; returns a message."""
        pins = self._connection.pins
        if not pins:
            return "Nothing is pinned."
        name = min(pins, key=lambda name: (_place(pins[name]).distance_blocks(Eye(eye.x, 0.0, eye.z)), name))
        self._connection.unpin(name)
        return f"{name} is released."


def listed(pins: dict[str, AnchorClaim]) -> str:
    if not pins:
        return "Nothing is pinned."
    words = []
    for name, pin in list(pins.items())[:LISTED]:
        at, (wide, long) = _place(pin), pin.anchor.size
        what = "all chunks" if pin.eye is None else "visible chunks"
        words.append(f"{name} at {coordinates((at.x, at.z))}, {wide} x {long} columns, {what}")
    more = [f"and {len(pins) - LISTED} more"] if len(pins) > LISTED else []
    return f"{len(pins)} pinned: " + "; ".join(words + more) + "."


def looked_at(view: View, is_free: Callable[[BlockPos], bool]) -> Eye | None:
    """The middle of the last free block along a line of sight; None without an obstacle, or with the eye inside one."""
    last = None
    for block in blocks_along(view):
        if not is_free(block):
            return None if last is None else Eye(last.x + 0.5, last.y + 0.5, last.z + 0.5)
        last = block
    return None


def _place(pin: AnchorClaim) -> Eye:
    """Position of a pin: its eye, or the middle of its columns."""
    if pin.eye is not None:
        return Eye(pin.eye.x, 0.0, pin.eye.z)
    return Eye(pin.anchor.centre.x * 16.0 + 8.0, 0.0, pin.anchor.centre.z * 16.0 + 8.0)


FROZEN: Final = "Culling is frozen at this camera (the overlay verdict shows the reasons)."
THAWED: Final = "Culling follows the camera again."
EARLY: Final = "No terrain is drawn yet."


class DebugKeys:
    """The debug keys of a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.frozen: Camera | None = None  # the camera whose draw list is used; None: the window's own

    def freeze(self, camera: Camera) -> str:
        """Freezes a camera's draw list, or ends that; returns a message."""
        self.frozen = None if self.frozen else camera
        return FROZEN if self.frozen else THAWED

    def inspect(self, session: Session, camera: Camera, now: float, cut: Cut | None = None) -> str:
        """Describes the block under the crosshair, of a session that the scene shows, at its monotonic seconds."""
        return under_crosshair(session, self._scene, camera, now, cut) if self._scene.shows_a_world else EARLY

    def check_mirror(self) -> str:
        """Whether the GPU's copy is right, in a sentence."""
        if not self._scene.shows_a_world:
            return EARLY
        try:
            check = self._scene.check_mirror()
        except RenderError as error:
            return f"The GPU's copy cannot be verified: {error}."
        mirror = self._scene.stats().mirror
        return format_mirror_check(check, mirror.blocks_behind + mirror.light_behind)


def format_mirror_check(check: MirrorCheck, behind: int) -> str:
    """The result of comparing the GPU's copy; ``behind``: sub-chunks not yet uploaded."""
    wrong = len(check.differences)
    differ = f"{check.differing:,} differ, in {wrong:,} sub-chunks" if wrong else "all equal"
    late = f"; {behind:,} not uploaded yet" if behind else ""
    out = f", {check.left_out:,} did not fit" if check.left_out else ""
    return f"GPU copy: {check.subchunks:,} sub-chunks{out}, {check.cells:,} values compared, {differ}{late}."


STEP_S: Final = 0.00125
"""Time limit of a frame for results and uploads, unless it is slow (``scene_updater``, rule 1)."""


def config_of(settings: WindowOptions, radius_columns: int) -> SceneConfig:
    """Limits of a window's scene; ``radius_columns``: granted by the server."""
    return SceneConfig(
        owner_s=STEP_S,
        flat_light=settings.flat_light,
        gpu_light=settings.gpu_light,
        gpu_budget_bytes=settings.gpu_budget_bytes,
        radius_columns=radius_columns,
    )


FIRST_CELLS: Final = 64
"""Render cells of a first frame: fewer show an island."""
REST_S: Final = 0.005
"""Longest wait for a worker's result: packets arrive meanwhile."""


class ShownWorld:
    """The display of one connection."""

    def __init__(self, gpu: Gpu, settings: WindowOptions, packs: LivePacks | None, connection: Connection) -> None:
        self.connection = connection
        self.known = connection.statistics()  # its statistics in the last ``step``
        self._runner = ThreadRunner()
        looks = BlockAppearance(
            connection.session.dimension.store.table, cache_directory(), packs.stack if packs else None
        )
        self.scene = Scene(gpu, looks, self._runner, config_of(settings, self.known.session.radius))
        self.upkeep = SceneUpdater(connection, self.scene, looks, packs)  # updates the scene
        self.timeline = Timeline(connection, settings.pictures)  # of a recording, or of the history
        self.pins = PinKeys(connection)  # keys of pins
        self.debug = DebugKeys(self.scene)  # keys that inspect the GPU

    def step(self, elapsed_s: float, eye: Eye | None = None) -> str | None:
        """A frame's work without drawing; returns why the connection ended, when that is to be shown."""
        lost = self.upkeep.pump(elapsed_s)
        self.known = self.connection.statistics()
        self.upkeep.step(eye or self.connection.session.movement.view.eye, elapsed_s)
        return lost

    @property
    def complete(self) -> bool:
        """Whether nothing of it was missing in the last ``step``."""
        return self.scene.settled and self.known.settled

    @property
    def awaits_terrain(self) -> bool:
        """Whether there is too little terrain for a first frame, and more is to come."""
        return not self.complete and self.scene.stats().cells_shown < FIRST_CELLS

    def rest(self) -> None:
        """Waits a moment for a worker's result, or for packets."""
        if self._runner.busy:
            self._runner.wait(REST_S)
        else:
            self.connection.rest()

    def close(self) -> None:
        self._runner.close()
        self.scene.release()
