"""Draws a scene: one take for each view.

Rules:
1. ``SceneCapture`` serves many scenes. It keeps its GL context, programs, painted textures and generated columns, which
   change no pixel. Session, light, meshes and GPU data are new for each scene.
2. Light and meshes are computed on the calling thread, so a suite uses as many cores as it has processes.
3. A view that fails takes the later views of its scene with it, and no other.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from msgspec.structs import replace

from client.connection.virtual_time import VirtualServer
from client.errors import CHECK_FAILED
from client.kernel_cache import cache_directory
from client.player import Eye, View
from client.session.session import Session
from render.capture.studio import PictureOptions, Studio
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from render.materials.packs.reload import open_packs
from render.materials.packs.troubles import PackError
from render.scene_tests.baselines import compacted
from render.scene_tests.compare_data import DataTruth
from render.scene_tests.scene import SceneFile, SceneResult, SceneView
from render.scene_tests.source import SceneFailed, at_moment
from render.scene_tests.views import CapturedView, Renderer

# ---------------------------------------------------------------- taking

MOST_STUDIOS = 3
"""Each studio has its own programs and textures, about 30 MB."""


class SceneCapture:
    """Takes any number of scenes with one GL context. Owner thread only; call ``release`` at the end.

    ``gpu``: the context, which belongs to the caller; its own unless given. Raises UnsupportedGpu: no OpenGL 3.3.
    """

    def __init__(self, gpu: Gpu | None = None) -> None:
        self._undo = ExitStack()
        if gpu is None:
            gpu = Gpu.standalone()
            self._undo.callback(gpu.release)
        self._gpu = gpu
        self.renderer = Renderer.of(gpu.capabilities)
        self._runner = SyncRunner()
        self._server = VirtualServer()
        self._studios: dict[tuple[int, bool, tuple[Path, ...], int | None], Studio] = {}

    def takes(self, scene: SceneFile) -> Iterator[CapturedView]:
        """One take for each view, in order; each is drawn when the iterator reaches it.

        Raises:
            SceneFailed: the scene did not reach its moment.
            RenderError: it did not settle, a bug of ours.
        """
        follow = (lambda session, now_s: self._studio(session, scene).follow(session, now_s)) if scene.watched else None
        with at_moment(scene, self._server, follow) as (connection, go_to):
            for view in scene.views:
                there = go_to(view)
                session = connection.session
                if not scene.watched:  # so that no view depends on what was done to the one before
                    session.dimension.light.reset(session.dimension.store)
                yield self._take(scene, view, session, there)

    def _take(self, scene: SceneFile, view: SceneView, session: Session, there: View) -> CapturedView:
        studio = self._studio(session, scene)
        shot = studio.shoot(session, there, scene.channels, picture_of(scene, view))
        return CapturedView(shot, DataTruth.of(session, session.dimension.light, studio.meshes()), self.renderer)

    def _studio(self, session: Session, scene: SceneFile) -> Studio:
        key = (session.radius, scene.flat_light, scene.packs, scene.gpu_budget_bytes)
        if key not in self._studios:
            if len(self._studios) >= MOST_STUDIOS:
                self._studios.pop(next(iter(self._studios))).release()
            try:
                packs, table = open_packs(scene.packs), session.dimension.store.table
            except PackError as error:
                raise SceneFailed(f"{error}.", error.exit_code) from None
            self._studios[key] = Studio(
                self._gpu, table, self._runner, *key[:2], cache_directory(), packs=packs, gpu_budget_bytes=key[3]
            )
        return self._studios[key]

    def release(self) -> None:
        for studio in self._studios.values():
            studio.release()
        self._studios.clear()
        self._runner.close()
        self._undo.close()


def picture_of(scene: SceneFile, view: SceneView) -> PictureOptions:
    """How a view's picture is drawn."""
    return PictureOptions(
        size_px=view.size_px,
        fov_deg=view.fov_deg,
        ortho_blocks=view.ortho_blocks,
        cut=view.cut,
        flat_light=scene.flat_light,
        overlays=scene.overlays if view.overlays is None else view.overlays,
        time=scene.time if view.time is None else view.time,
        day=scene.day,
        weather=scene.weather,
        gamma=scene.gamma,
        entities=scene.entities,
        shadows=scene.shadows,
        frozen=None if view.freeze_at is None else View(Eye(*view.freeze_at), *view.freeze_look_deg),
    )


def take_scene(scene: SceneFile, gpu: Gpu) -> list[CapturedView]:
    """One take for each view of one scene. For many scenes, keep a ``SceneCapture``.

    Raises:
        SceneFailed: the scene did not reach its moment.
        RenderError: it did not settle, a bug of ours.
    """
    darkroom = SceneCapture(gpu)
    try:
        return list(darkroom.takes(scene))
    finally:
        darkroom.release()


def take_all(darkroom: SceneCapture, scene: SceneFile) -> tuple[CapturedView | SceneResult, ...]:
    """For each view its packed take, or a result with the reason why it has none."""
    takes: list[CapturedView] = []
    trouble, exit_code = "", 0
    try:
        takes.extend(replace(take, shot=compacted(take.shot)) for take in darkroom.takes(scene))
    except SceneFailed as failed:
        trouble, exit_code = str(failed), failed.exit_code
    except Exception as error:  # the scene's trouble, not the suite's: the next one is run all the same
        trouble, exit_code = f"This is a bug in chunkscope: {type(error).__name__}: {error}.", CHECK_FAILED
    failed_views = scene.views[len(takes) :]
    return (*takes, *(SceneResult(scene, view, None, trouble, exit_code) for view in failed_views))
