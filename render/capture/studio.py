"""A studio keeps a scene, its programs and its jobs for any number of settled pictures.

Rules:
1. A picture shows what a session knows at one moment: the caller must not pump or tick it meanwhile. Jobs of light,
   mesh and upload finish first.
2. Each picture attaches the session anew, so it does not depend on earlier pictures. The exception is a session that is
   followed, whose picture shows when things were drawn.
3. With a time-out the picture is drawn when it has passed, ``missing`` lists what it lacks, and the studio takes no
   further picture. Without a time-out, something that cannot be made is an error.
4. As in a window, only the columns that the session's anchors keep are drawn, one column less on each side. For a
   session paused before its first tick, these are the columns that the tick would keep.
5. ``release`` frees everything that was made here; the caller owns the context and the runner.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.stats import PendingWork
from client.kernel_cache import cache_directory
from client.light.light_map import LightMap
from client.player import View
from client.report.diff import AgainstFacts
from client.session.requests import PLAYER_ANCHOR
from client.session.session import Session
from client.streaming.anchors import Anchor, Anchors
from client.world.block_table import BlockTable
from net.arrays import Places, SubChunkPositions
from net.space import ColumnPos
from render.camera import Camera
from render.capture.channels import CHANNELS, COLOUR, SemanticSurfaces, Shot, ShotPalette, checked
from render.draw_options import DrawOptions
from render.gpu import Gpu, RenderError, Target
from render.gpu.targets import Pixels, SemanticTarget
from render.jobs.workers import Runner, ThreadRunner
from render.materials.packs.reload import open_packs
from render.materials.packs.stack import PackStack
from render.passes.atmosphere import TICKS_PER_DAY
from render.passes.frame_settings import FrameSettings
from render.scene import Scene, SceneConfig
from render.scene.cells import ShownMeshes
from render.scene.frame.frame import session_settings
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.work_state import NOT_MIRRORED


def pending_of_file(connection: Connection) -> tuple[PendingWork, ...]:
    """What of a recording is unreadable before what is shown; nothing where it is whole, or this is none."""
    lost = connection.replay.lost if connection.replay else ()
    return tuple(
        PendingWork("lost", "bytes", damage.size, words=f"at byte {damage.offset}: {damage.reason}") for damage in lost
    )


MOST_STEPS: Final = 10_000
LONGEST_REST_S: Final = 1.0
"""Workers wake a studio sooner; so often it looks at the time."""


class PictureOptions(DrawOptions, frozen=True):
    """How a picture is drawn."""

    entities: bool = False  # whether entities are drawn
    day: int = 0  # days since a full moon, with ``time``
    frozen: View | None = None  # draws what would be seen from there, through the same lens; None: what is seen
    # the world is drawn all along (``render.capture.picture``), so overlays tell when things were drawn
    watched: bool = False

    def seen(self, view: View) -> View:
        return replace(view, fov_deg=self.fov_deg, ortho_blocks=self.ortho_blocks)

    @property
    def culling(self) -> Camera | None:
        """The camera whose list is drawn, where that is not the picture's own."""
        width, height = self.size_px
        return None if self.frozen is None else Camera.of(replace(self.frozen, fov_deg=self.fov_deg), width / height)

    def frame_settings(
        self, session: Session, anchor: ColumnPos, anchor_radius_columns: int, seconds: float = 0.0
    ) -> FrameSettings:
        """The settings of a frame of a session, ``seconds`` old; overlays show the surroundings of a column."""
        settings = session_settings(session)
        return replace(
            settings,
            time_ticks=settings.time_ticks if self.time is None else self.time + self.day * TICKS_PER_DAY,
            weather=settings.weather if self.weather is None else self.weather,
            seconds=seconds,
            gamma=self.gamma,
            cut=self.cut,
            shadows=self.shadows,
            overlays=frozenset(self.overlays),
            anchor=anchor,
            anchor_radius_columns=anchor_radius_columns,
            frozen=self.culling,
            entities=session.entities.picture() if self.entities else None,
            now_us=round(session.now * 1e6),
        )


class Studio:
    """Where pictures are taken. Owner thread only."""

    def __init__(
        self,
        gpu: Gpu,
        table: BlockTable,
        runner: Runner,
        radius_columns: int,
        flat_light: bool = False,
        looks_folder: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        gpu_light: bool = False,
        packs: PackStack | None = None,
        gpu_budget_bytes: int | None = None,
    ) -> None:
        """Compiles programs and paints textures, of ``table`` first; ``gpu_budget_bytes``: pictures lack the rest."""
        # what the last picture lacks of what the session knows; nothing without a time-out
        self.missing: tuple[PendingWork, ...] = ()
        self._has_budget = gpu_budget_bytes is not None
        self._unfinished = False
        self._runner = runner
        self._clock = clock
        self._gpu = gpu
        self.radius_columns = radius_columns  # that are drawn
        config = SceneConfig(
            upload_bytes=None,
            flat_light=flat_light,
            gpu_light=gpu_light,
            radius_columns=radius_columns,
            gpu_budget_bytes=gpu_budget_bytes,
        )
        self._palette: tuple[BlockTable, int, ShotPalette] | None = None
        self._followed: Any = None  # Any: the store of a session that is followed; compared, not used
        self._seconds = 0.0
        # compares sub-chunks of the session with another world's, for the overlay ``against``; None: with nothing
        self.against: Callable[[Places, SubChunkPositions], AgainstFacts | None] | None = None
        self.scene = Scene(gpu, BlockAppearance(table, looks_folder, packs), runner, config)

    def shoot(
        self,
        session: Session,
        view: View,
        channels: Sequence[str] = CHANNELS,
        picture: PictureOptions | None = None,
        light: LightMap | None = None,
        timeout_s: float | None = None,
    ) -> Shot:
        """Channels of what a session knows, from any view.

        ``picture``: the size, and how colour is drawn; the field of view, ``flat_light`` and ``gpu_light`` are not its.
        ``light``: where light is made; the session's own unless given.
        ``timeout_s``: how long light, meshes and uploads may take; unlimited unless given.

        Raises:
            ValueError: there is no such channel.
            RenderError: the scene did not settle, a bug of ours.
        """
        names = checked(channels)
        self._settle(session, view, light, timeout_s)
        return self._shot(session, view, names, picture or PictureOptions())

    def follow(self, session: Session, seconds: float) -> None:
        """Settles light and meshes of a session as of now; ``shoot`` then draws it without attaching it again.

        ``seconds``: the session's time, stored as the time when new meshes were first drawn and changed ones remade.
        """
        if self._followed is not session.dimension.store:
            self._attach(session, session.dimension.light)
            self._followed = session.dimension.store
        self._seconds = seconds
        self.rest(session.movement.view)
        self.scene.attached.see(seconds)

    def _shot(self, session: Session, view: View, names: Sequence[str], picture: PictureOptions) -> Shot:
        arrays: dict[str, Any] = {}  # Any: each channel has its own dtype
        palette = None
        if COLOUR in names:
            arrays[COLOUR] = self._colour(session, view, picture)
        if semantic := [name for name in names if name != COLOUR]:
            palette = self._palette_of(session.dimension.store.table)
            surfaces = self.surfaces(view, picture.size_px, self._settings(session, view, picture))
            arrays.update({name: surfaces.channel(name, palette, session.dimension.store) for name in semantic})
        return Shot(view, picture.size_px, palette if {"block", "mirror"} & set(names) else None, **arrays)

    def surfaces(self, view: View, size_px: tuple[int, int], settings: FrameSettings | None = None) -> SemanticSurfaces:
        """What the semantic pass shows of the session settled last, with dense ids; of ``settings``, the entities."""
        target = SemanticTarget(self._gpu, size_px)
        try:
            self.scene.draw_semantic(Camera.of(view, size_px[0] / size_px[1]), target, settings)
            return SemanticSurfaces.of(*target.read())
        finally:
            target.release()

    def meshes(self) -> ShownMeshes:
        """Every mesh of the session that was settled last, as the GPU holds it."""
        return self.scene.meshes()

    def _palette_of(self, table: BlockTable) -> ShotPalette:
        """The rows of a table; made again when another table comes or this one has grown."""
        if self._palette is None or self._palette[:2] != (table, len(table)):
            self._palette = (table, len(table), ShotPalette.of(table))
        return self._palette[2]

    def _settle(self, session: Session, view: View, light: LightMap | None, timeout_s: float | None = None) -> None:
        if self._unfinished:
            raise RenderError("the last picture of this studio did not finish, so it cannot take another")
        if self._followed is None or self._followed is not session.dimension.store:
            self._followed, self._seconds = None, 0.0
            self._attach(session, session.dimension.light if light is None else light)
        self.rest(view, timeout_s)

    def _attach(self, session: Session, light: LightMap) -> None:
        anchors = session.anchors
        if not anchors.pins:  # a moment before the first tick: what that tick would hold
            anchors = Anchors()
            anchors.pin(PLAYER_ANCHOR, Anchor.square(session.movement.eye.column, session.radius + 1))
        self.scene.attach(session.dimension.store, light, anchors)

    def rest(self, view: View, timeout_s: float | None = None) -> None:
        """Finishes light, meshes and uploads of the session that was settled last.

        ``view``: work near its eye is done first. ``timeout_s``: how long it may take; ``missing`` lists what is not
        done by then.

        Raises:
            RenderError: the scene did not settle, or a mesh or light could not be made: bugs of ours.
        """
        deadline = math.inf if timeout_s is None else self._clock() + timeout_s
        for _ in range(MOST_STEPS):
            self.scene.step(view.eye)
            if self.scene.settled:
                self._own_up(timeout_s)
                return
            left_s = deadline - self._clock()
            if left_s <= 0:
                self.missing = self.scene.attached.state.pending
                self._unfinished = True
                return
            self._runner.wait(min(left_s, LONGEST_REST_S))
        raise RenderError("the scene did not settle")

    def _own_up(self, timeout_s: float | None) -> None:
        """Raises RenderError if a mesh or light could not be made. Bricks beyond the memory budget are no error."""
        self.missing = self.scene.attached.state.pending
        unmade = [pending for pending in self.missing if not (self._has_budget and pending.kind == NOT_MIRRORED)]
        if unmade and timeout_s is None:
            raise RenderError(self.scene.stats().failed or "the scene settled without being complete")

    def _settings(self, session: Session, view: View, picture: PictureOptions) -> FrameSettings:
        settings = picture.frame_settings(session, view.eye.column, self.radius_columns, self._seconds)
        return replace(settings, against=self.against)

    def _colour(self, session: Session, view: View, picture: PictureOptions) -> Pixels:
        settings = self._settings(session, view, picture)
        target = Target(self._gpu, picture.size_px)
        try:
            self.scene.draw(Camera.of(view, target.aspect), target, settings)
            return target.pixels()
        finally:
            target.release()

    def release(self) -> None:
        self.scene.release()


@contextmanager
def open_studio(gpu: Gpu, session: Session, picture: PictureOptions, runner: Runner | None = None) -> Iterator[Studio]:
    """A studio for a session; it makes its own worker threads unless a runner is given."""
    with ExitStack() as undo:
        if runner is None:
            runner = ThreadRunner()
            undo.callback(runner.close)
        studio = Studio(
            gpu, session.dimension.store.table, runner, session.radius, picture.flat_light, cache_directory(),
            gpu_light=picture.gpu_light, packs=open_packs(picture.packs), gpu_budget_bytes=picture.gpu_budget_bytes,
        )  # fmt: skip
        undo.callback(studio.release)
        yield studio
