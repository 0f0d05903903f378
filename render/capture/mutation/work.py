"""One scene's share of a mutation check, and the processes that do it."""

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field

from client.connect.warmup import cache_directory
from client.session.session import Session
from render.capture.mutation.defects import Trial, Wish
from render.capture.mutation.stage import Looked, NotRestored, Stage
from render.capture.options import PictureOptions
from render.capture.oracle.looks import Looks
from render.capture.scenarios.places import SceneFailed, Servers, at_moment
from render.capture.scenarios.scene import Scene
from render.capture.studio import Studio
from render.capture.truth import Layer, Outcome, Renderer, Take, Tolerance, Verdict, compare
from render.gpu import Gpu
from render.jobs.runners import SyncRunner
from render.scene.block_looks import BlockLooks

Told = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it.

    Attributes:
        trials: planted.
        left: wishes for which it has no place.
        trouble: why there are no trials; empty where there are.
    """

    trials: tuple[Trial, ...] = ()
    left: tuple[Wish, ...] = ()
    trouble: str = ""


def run_work(works: Sequence[Work], jobs: int, told: Told | None = None) -> list[Done]:
    """Every work, in the order given."""
    wished, planted, results = sum(len(work.wishes) for work in works), 0, []
    done: Iterator[Done]
    with ExitStack() as undo:
        if jobs == 1:
            workshop = Workshop()
            undo.callback(workshop.release)
            done = map(workshop.do, works)
        else:
            context = multiprocessing.get_context("spawn")
            pool = undo.enter_context(ProcessPoolExecutor(min(jobs, len(works)), mp_context=context))
            done = pool.map(_in_process, works)
        for work, result in zip(works, done, strict=True):
            results.append(result)
            planted += len(result.trials)
            if told is not None:
                told(planted, wished, work.scene.name)
    return results


@dataclass(slots=True)
class Workshop:
    """A context, the child that makes embedded worlds, and what was painted; for many scenes."""

    gpu: Gpu = field(default_factory=Gpu.standalone)
    runner: SyncRunner = field(default_factory=SyncRunner)
    servers: Servers = field(default_factory=Servers)
    studios: dict[tuple[int, bool], Studio] = field(default_factory=dict)
    looks: dict[int, Looks] = field(default_factory=dict)

    def do(self, work: Work) -> Done:
        """Plants what is wished in one view of a scene."""
        scene = work.scene
        view = random.Random(f"{work.seed} {scene.name}").choice(scene.views)
        try:
            with at_moment(scene, self.servers) as (connection, go_to):
                there = go_to(view)
                session = connection.session
                picture = PictureOptions(
                    size_px=view.size_px,
                    fov_deg=view.fov_deg,
                    flat_light=scene.flat_light,
                    overlays=scene.overlays,
                    time=scene.time,
                )
                name = f"{scene.name}/{view.name}"
                looked = Looked(name, session, there, picture, scene.channels, scene.tolerance)
                renderer = Renderer.of(self.gpu.capabilities)
                judge = see_nothing if work.blind else compare
                stage = Stage(looked, self._studio(session, scene), self._looks(session), renderer, judge)
                trials, left = stage.run(work.wishes)
                return Done(tuple(trials), tuple(left))
        except (SceneFailed, NotRestored) as trouble:
            return Done((), work.wishes, f"{scene.name}: {trouble}")

    def _studio(self, session: Session, scene: Scene) -> Studio:
        key = (session.radius, scene.flat_light)
        if key not in self.studios:
            self.studios[key] = Studio(self.gpu, session.store.table, self.runner, *key, cache_directory())
        return self.studios[key]

    def _looks(self, session: Session) -> Looks:
        """For rays; once for each set of states."""
        key = hash(tuple((state.name, state.states) for state in session.store.table.states))
        if key not in self.looks:
            painted = BlockLooks(session.store.table, cache_directory())
            painted.grow(session.store)
            self.looks[key] = Looks.of(painted.tables, painted.levels(range(painted.layers))[0])
        return self.looks[key]

    def release(self) -> None:
        """Frees everything, ends the child."""
        for studio in self.studios.values():
            studio.release()
        self.runner.close()
        self.servers.close()
        self.gpu.release()


def see_nothing(expected: Take, actual: Take, tolerance: Tolerance) -> Verdict:
    """A gate that lets everything pass."""
    del expected, actual, tolerance
    return Verdict((Layer("semantic", Outcome.PASSED, "Nothing was looked at.", {}),))


_KEPT: list[Workshop] = []
"""The one of this process."""


def _in_process(work: Work) -> Done:
    if not _KEPT:
        _KEPT.append(Workshop())
    return _KEPT[0].do(work)
