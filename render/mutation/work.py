"""One scene's share of a mutation check, and the processes that do it."""

import multiprocessing
import random
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

from client.connection.virtual_time import VirtualServer
from client.kernel_cache import cache_directory
from client.player import View
from client.session.session import Session
from net.frozen import frozen
from render.bench.oracle.cast import Looks
from render.capture.options import PictureOptions
from render.capture.studio import Studio
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from render.materials.packs.reload import open_packs
from render.materials.packs.troubles import PackError
from render.mutation.defects import Defect, Trial, Wish
from render.mutation.stage import Looked, NotRestored, Stage
from render.passes.overlay.surface_channels import SURFACES
from render.passes.overlay.xray import XRAYS
from render.scene.gpu_copy.block_looks import BlockLooks
from render.scene_tests.compare import compare
from render.scene_tests.scene import Scene, SceneView
from render.scene_tests.source import SceneFailed, at_moment
from render.scene_tests.take import picture_of
from render.scene_tests.verdict import Layer, Outcome, Tolerance, Verdict
from render.scene_tests.views import Renderer, Take
from render.scene_tests.worker import warnings_kept

COUNTING: Final = "cells"
"""The overlay that shows what nothing takes back: it counts (``render.overlays.geometry``)."""

WORK_S: Final = 900.0
"""Between two of them that are done: one takes some seconds."""


@frozen
class Work:
    """Defects to plant in one scene.

    Attributes:
        scene: which.
        wishes: what.
        seed: of the choice of its view.
        blind: the gate lets everything pass.
    """

    scene: Scene
    wishes: tuple[Wish, ...]
    seed: int
    blind: bool = False


@frozen
class Done:
    """What came of it.

    Attributes:
        trials: planted.
        left: wishes for which it has no place.
        unable: classes for which it has none.
        left_out: why a view was, one sentence each.
        trouble: why there are no trials; empty where there are.
    """

    trials: tuple[Trial, ...] = ()
    left: tuple[Wish, ...] = ()
    unable: frozenset[Defect] = frozenset()
    left_out: tuple[str, ...] = ()
    trouble: str = ""

    @classmethod
    def failed(cls, work: Work, words: str) -> "Done":
        """Of a scene that could not be worked at."""
        return cls(left=work.wishes, unable=frozenset(Defect), trouble=f"{work.scene.name}: {words}")


class Crew:
    """Who works: processes that live as long as this does, or with one job this process itself."""

    def __init__(self, jobs: int) -> None:
        """Nobody starts before there is work."""
        self._jobs = jobs
        self._own: Workshop | None = None
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        """As it is."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends everybody; what nobody began is dropped."""
        if self._own is not None:
            self._own.release()
        self._end_pool()

    def do(self, works: Sequence[Work]) -> Iterator[Done]:
        """Every work, in the order given, as it is done.

        Raises:
            UnsupportedGpu: there is no OpenGL 3.3.
        """
        if self._jobs == 1:
            self._own = self._own or Workshop()
            return map(self._own.try_to_do, works)
        return self._in_processes(works)

    def _in_processes(self, works: Sequence[Work]) -> Iterator[Done]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._jobs, context, initializer=_begin)
        asked = [self._pool.submit(_in_process, work) for work in works]
        for work, answer in zip(works, asked, strict=True):
            try:
                done = answer.result(WORK_S)
            except TimeoutError:
                self._end_pool(hangs=True)
                done = Done.failed(work, f"It was not done {WORK_S:g} s after the one before it, and was given up.")
            except BrokenProcessPool:
                self._end_pool()
                done = Done.failed(work, "The process that worked at it, or one beside it, ended by itself.")
            yield done

    def _end_pool(self, hangs: bool = False) -> None:
        if self._pool is not None:
            for child in multiprocessing.active_children() if hangs else ():
                child.kill()
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


@dataclass(slots=True)
class Workshop:
    """A context, the child that makes embedded worlds, and what was painted; for many scenes."""

    gpu: Gpu = field(default_factory=Gpu.standalone)
    runner: SyncRunner = field(default_factory=SyncRunner)
    server: VirtualServer = field(default_factory=VirtualServer)
    studios: dict[tuple[int, bool, tuple[Path, ...]], Studio] = field(default_factory=dict)
    looks: dict[int, Looks] = field(default_factory=dict)

    def try_to_do(self, work: Work) -> Done:
        """As ``do``; what goes wrong is the scene's trouble, the others are worked at all the same."""
        try:
            with warnings_kept():  # a comparison of the same scene tells them
                return self.do(work)
        except (SceneFailed, NotRestored, PackError) as trouble:
            return Done.failed(work, str(trouble))
        except Exception as error:
            return Done.failed(work, f"This is a bug of chunkscope: {type(error).__name__}: {error}.")

    def do(self, work: Work) -> Done:
        """Plants what is wished in one view of a scene.

        Raises:
            SceneFailed: the scene does not come to its moment.
            NotRestored: something of a defect stayed.
        """
        views = list(work.scene.views)
        random.Random(f"{work.seed} {work.scene.name}").shuffle(views)
        left_out = []
        with at_moment(work.scene, self.server) as (connection, go_to):
            for view in views:
                name = f"{work.scene.name}/{view.name}"
                if (why := why_left_out(view, picture_of(work.scene, view))) is not None:
                    left_out.append(f"{name}: {why}")
                    continue
                stage = self._stage(work, view, connection.session, go_to(view))
                if stage.blind:
                    left_out.append(f"{name}: its eye is in an opaque block, out of which rays do not see.")
                    continue
                trials, left = stage.run(work.wishes)
                return Done(tuple(trials), tuple(left), frozenset(stage.unable), tuple(left_out))
        return Done((), work.wishes, frozenset(Defect), tuple(left_out))

    def _stage(self, work: Work, view: SceneView, session: Session, there: View) -> Stage:
        scene = work.scene
        # X-ray shows what rays do not meet, so they cannot say which defects are hidden from it; facts of surfaces (a
        # merge, a count) change where no ray meets anything else.
        picture = picture_of(scene, view)
        seen_by_rays = tuple(overlay for overlay in picture.overlays if overlay not in (*XRAYS, *SURFACES))
        picture = replace(picture, overlays=seen_by_rays)
        looked = Looked(f"{scene.name}/{view.name}", session, there, picture, scene.channels, scene.tolerance)
        judge = see_nothing if work.blind else compare
        studio, renderer = self._studio(session, scene), Renderer.of(self.gpu.capabilities)
        return Stage(looked, studio, self._looks(session, scene.packs), renderer, judge)

    def _studio(self, session: Session, scene: Scene) -> Studio:
        key = (session.radius, scene.flat_light, scene.packs)
        if key not in self.studios:
            packs, table = open_packs(scene.packs), session.store.table
            self.studios[key] = Studio(self.gpu, table, self.runner, *key[:2], cache_directory(), packs=packs)
        return self.studios[key]

    def _looks(self, session: Session, paths: tuple[Path, ...]) -> Looks:
        """For rays, which pass where pictures have holes; once for each set of states and of packs."""
        key = hash((tuple((state.name, state.states) for state in session.store.table.states), paths))
        if key not in self.looks:
            painted = BlockLooks(session.store.table, cache_directory(), open_packs(paths))
            painted.fit(self.gpu.capabilities.max_layers)  # as the scene's own
            painted.grow(session.store)
            self.looks[key] = Looks.of(painted.tables, painted.levels(range(painted.layers))[0])
        return self.looks[key]

    def release(self) -> None:
        """Frees everything, ends the child."""
        for studio in self.studios.values():
            studio.release()
        self.runner.close()
        self.gpu.release()


def why_left_out(view: SceneView, picture: PictureOptions) -> str | None:
    """Why nothing is to be planted in a view, in one sentence; None where something may be."""
    if view.ortho_blocks is not None:
        return "it is orthographic, and the oracle's rays begin in one eye."
    if view.freeze_at is not None:
        return "its culling camera is frozen, and rays begin in its own eye."
    if COUNTING in picture.overlays:
        return f"its overlay {COUNTING} says how often a cell was meshed, which no defect takes back."
    return None


def see_nothing(expected: Take, actual: Take, tolerance: Tolerance) -> Verdict:
    """A gate that lets everything pass."""
    del expected, actual, tolerance
    return Verdict((Layer("semantic", Outcome.PASSED, "Nothing was looked at.", {}),))


_KEPT: list[Workshop] = []
"""The one of this process."""


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's, which then ends this process


def _in_process(work: Work) -> Done:
    if not _KEPT:
        _KEPT.append(Workshop())
    return _KEPT[0].try_to_do(work)
