"""The mutation check: so many seeded defects over all scenes of a suite, in processes, and what came of each.

Rules:
1. Wishes are dealt out evenly: a fifth to each class of defects, half of them in view, scene by scene in the order of
   the seed. A scene that has no place for a class (no water, no lamp) plants another: so most are opened once.
2. A class that comes to less than half its share, or shows less often than that, is asked for again, of scenes that
   have places for it and, to be seen, of those in which nothing of the class stayed out of sight against the wish.
3. The same seed plants the same defects, whatever the number of processes.
4. A scene that cannot be taken, or is not what it was afterwards, is told; its verdicts do not count. A view whose
   eye is in an opaque block is left out, and so is one that is orthographic, whose culling camera is frozen or whose
   overlay counts meshes; that is told.

Work: One scene's share of a mutation check, and the processes that do it.

Telling: A mutation check in words: a table by class, and what was missed.
"""

import multiprocessing
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import msgspec
from msgspec.structs import replace

from client.connection.virtual_time import VirtualServer
from client.kernel_cache import cache_directory
from client.player import View
from client.session.session import Session
from render.capture.studio import PictureOptions, Studio
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from render.materials.packs.reload import open_packs
from render.materials.packs.troubles import PackError
from render.passes.overlay.surface_channels import SURFACES, XRAYS
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene_tests.compare import compare
from render.scene_tests.scene import SceneFile, SceneView
from render.scene_tests.source import SceneFailed, at_moment
from render.scene_tests.take import picture_of
from render.scene_tests.verdict import Layer, LayerOutcome, Tolerance, Verdict
from render.scene_tests.views import CapturedView, Renderer
from render.scene_tests.worker import warnings_kept
from tests.mutation.defects import Defect, Sight, Trial, Wish
from tests.mutation.stage import Looked, NotRestored, Stage
from tests.oracle.cast import Looks

# ---------------------------------------------------------------- work

COUNTING: Final = "cells"
"""The overlay that shows what nothing takes back: it counts (``render.overlays.geometry``)."""

WORK_S: Final = 900.0
"""Between two of them that are done: one takes some seconds."""


class Work(msgspec.Struct, frozen=True):
    """Defects to plant in one scene."""

    scene: SceneFile  # which
    wishes: tuple[Wish, ...]  # what
    seed: int  # of the choice of its view
    blind: bool = False  # the gate lets everything pass


class Done(msgspec.Struct, frozen=True):
    """What came of it."""

    trials: tuple[Trial, ...] = ()  # planted
    left: tuple[Wish, ...] = ()  # wishes for which it has no place
    unable: frozenset[Defect] = frozenset()  # classes for which it has none
    left_out: tuple[str, ...] = ()  # why a view was, one sentence each
    trouble: str = ""  # why there are no trials; empty where there are

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
            return Done.failed(work, f"This is a bug in chunkscope: {type(error).__name__}: {error}.")

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

    def _studio(self, session: Session, scene: SceneFile) -> Studio:
        key = (session.radius, scene.flat_light, scene.packs)
        if key not in self.studios:
            packs, table = open_packs(scene.packs), session.dimension.store.table
            self.studios[key] = Studio(self.gpu, table, self.runner, *key[:2], cache_directory(), packs=packs)
        return self.studios[key]

    def _looks(self, session: Session, paths: tuple[Path, ...]) -> Looks:
        """For rays, which pass where pictures have holes; once for each set of states and of packs."""
        key = hash((tuple((state.name, state.states) for state in session.dimension.store.table.states), paths))
        if key not in self.looks:
            painted = BlockAppearance(session.dimension.store.table, cache_directory(), open_packs(paths))
            painted.resize(self.gpu.capabilities.max_layers)  # as the scene's own
            painted.grow(session.dimension.store)
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


def see_nothing(expected: CapturedView, actual: CapturedView, tolerance: Tolerance) -> Verdict:
    """A gate that lets everything pass."""
    del expected, actual, tolerance
    return Verdict((Layer("semantic", LayerOutcome.PASSED, "Nothing was looked at.", {}),))


_KEPT: list[Workshop] = []
"""The one of this process."""


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's, which then ends this process


def _in_process(work: Work) -> Done:
    if not _KEPT:
        _KEPT.append(Workshop())
    return _KEPT[0].try_to_do(work)


# ---------------------------------------------------------------- check

MUTATIONS: Final = 200
ROUNDS: Final = 4
SEEDS_APART: Final = 1_000_003

Told = Callable[[int, int, str], None]
"""(defects planted, wished, the last scene)."""


class CheckReport(msgspec.Struct, frozen=True):
    """What came of a check."""

    seed: int  # of all choices
    trials: tuple[Trial, ...]  # defects that were planted
    unplanted: int  # wishes for which no scene had a place
    troubles: tuple[str, ...]  # scenes that could not be taken or restored, one sentence each
    left_out: tuple[str, ...] = ()  # views in which nothing was planted, one sentence each

    @property
    def missed(self) -> tuple[Trial, ...]:
        """Visible defects that were not told."""
        return tuple(trial for trial in self.trials if trial.missed)

    @property
    def loud(self) -> tuple[Trial, ...]:
        """Hidden defects that changed a pixel."""
        return tuple(trial for trial in self.trials if trial.loud)

    @property
    def passed(self) -> bool:
        """Whether every visible defect was told, no hidden one showed, and no scene failed."""
        return bool(self.trials) and not (self.missed or self.loud or self.troubles)

    def counts(self) -> Mapping[Defect, Mapping[str, int]]:
        """By class: planted, visible, caught, hidden, silent, slight, named by the layer of data."""
        return {defect: _counts([t for t in self.trials if t.wish.defect is defect]) for defect in Defect}

    def as_json(self) -> dict[str, Any]:
        """Fit for ``json.dumps``."""
        return {
            "seed": self.seed,
            "passed": self.passed,
            "classes": {defect.value: dict(counts) for defect, counts in self.counts().items()},
            "unplanted": self.unplanted,
            "troubles": list(self.troubles),
            "left_out": list(self.left_out),
            "trials": [
                {
                    "defect": trial.wish.defect.value,
                    "scene": trial.scene,
                    "words": trial.words,
                    "sight": trial.sight.value,
                    "pixels_seen": trial.pixels_seen,
                    "pixels_changed": trial.pixels_changed,
                    "caught": trial.caught,
                    "named_by_data": trial.named,
                    "layers": dict(trial.layers),
                }
                for trial in self.trials
            ],
        }


def _counts(trials: Sequence[Trial]) -> dict[str, int]:
    visible = [trial for trial in trials if trial.sight is Sight.VISIBLE]
    hidden = [trial for trial in trials if trial.sight is Sight.HIDDEN]
    return {
        "planted": len(trials),
        "visible": len(visible),
        "caught": sum(trial.caught for trial in visible),
        "hidden": len(hidden),
        "silent": sum(not trial.loud for trial in hidden),
        "slight": len(trials) - len(visible) - len(hidden),
        "named": sum(trial.named for trial in trials),
    }


def check_suite(
    scenes: Sequence[SceneFile],
    crew: Crew,
    seed: int = 0,
    mutations: int = MUTATIONS,
    told: Told | None = None,
    blind: bool = False,
) -> CheckReport:
    """Plants defects in scenes and says which were told.

    Args:
        crew: who works.
        seed: of all choices.
        mutations: how many to plant.
        told: told after each scene.
        blind: the gate lets everything pass: what the check itself must tell.

    Raises:
        UnsupportedGpu: there is no OpenGL 3.3.
    """
    order = list(scenes)
    random.Random(seed).shuffle(order)
    check = _Check(order, crew, seed, mutations, told, blind)
    wishes = wishes_of(seed, mutations)
    for turn in range(ROUNDS):
        wishes = check.round(wishes, turn)
        if not wishes:
            break
    trials = sorted(check.trials, key=lambda trial: trial.wish.seed)
    unplanted = check.unplanted + len(wishes)
    return CheckReport(seed, tuple(trials), unplanted, tuple(check.troubles), tuple(check.left_out))


class _Check:
    """A check under way."""

    def __init__(
        self, scenes: Sequence[SceneFile], crew: Crew, seed: int, mutations: int, told: Told | None, blind: bool
    ) -> None:
        self.trials: list[Trial] = []
        self.troubles: list[str] = []
        self.left_out: list[str] = []
        self.unplanted = 0
        self._scenes, self._crew, self._seed, self._told, self._blind = scenes, crew, seed, told, blind
        self._mutations = mutations
        self._able = {(defect, seen): list(range(len(scenes))) for defect in Defect for seen in (False, True)}

    def round(self, wishes: Sequence[Wish], turn: int) -> list[Wish]:
        """Plants wishes; gives what is still to be planted."""
        dealt = _deal(wishes, self._able, turn)
        numbers = sorted(dealt)
        works = [Work(self._scenes[number], tuple(dealt[number]), self._seed, self._blind) for number in numbers]
        left: list[Wish] = []
        for number, work, done in zip(numbers, works, self._crew.do(works), strict=True):
            self.trials += done.trials
            left += done.left
            self.left_out += [words for words in done.left_out if words not in self.left_out]
            self.troubles += [done.trouble] if done.trouble else []
            dull = {trial.wish.defect for trial in done.trials if trial.wish.seen and trial.sight is not Sight.VISIBLE}
            for kind in [
                *((defect, seen) for defect in done.unable for seen in (False, True)),
                *((d, True) for d in dull),
            ]:
                self._able[kind] = [other for other in self._able[kind] if other != number]
            if self._told is not None:
                self._told(len(self.trials), max(self._mutations, len(self.trials)), work.scene.name)
        self.unplanted += len(wishes) - sum(map(len, dealt.values()))
        return [*left, *self._short(turn, left)]

    def _short(self, turn: int, left: Sequence[Wish]) -> list[Wish]:
        """More wishes of the classes that come to less than half their share, or show less often."""
        planted = Counter(trial.wish.defect for trial in self.trials)
        planted.update(wish.defect for wish in left)
        visible = Counter(trial.wish.defect for trial in self.trials if trial.sight is Sight.VISIBLE)
        visible.update(wish.defect for wish in left if wish.seen)
        least = self._mutations // len(Defect) // 2
        first = self._seed * SEEDS_APART + self._mutations * (turn + 1)
        lacking = []
        for defect in Defect:
            seen = max(0, least - visible[defect]) if self._able[defect, True] else 0
            more = max(0, least - planted[defect] - seen) if self._able[defect, False] else 0
            lacking += [(defect, True)] * seen + [(defect, False)] * more
        return [Wish(defect, seen, first + number, False) for number, (defect, seen) in enumerate(lacking)]


def wishes_of(seed: int, mutations: int) -> list[Wish]:
    """An equal share of each class, every other one in view; numbers of their own for each wish."""
    classes = list(Defect)
    return [
        Wish(classes[number % len(classes)], number // len(classes) % 2 == 0, seed * SEEDS_APART + number)
        for number in range(mutations)
    ]


def _deal(
    wishes: Sequence[Wish], able: Mapping[tuple[Defect, bool], Sequence[int]], turn: int
) -> dict[int, list[Wish]]:
    """Wishes by number of a scene, in turn; those of a class that no scene can take are dropped."""
    dealt: dict[int, list[Wish]] = {}
    for at, wish in enumerate(wishes):
        scenes = able[wish.defect, wish.seen] or able[wish.defect, False]
        if scenes:
            dealt.setdefault(scenes[(at + turn) % len(scenes)], []).append(wish)
    return dealt


# ---------------------------------------------------------------- telling

HEAD = ("planted", "visible", "caught", "hidden", "silent", "slight", "named")
KEY = (
    "visible: rays see it in 4 pixels or more, so it must be caught; hidden: none sees it, so it must be silent, no",
    "pixel changed; slight: in between, nothing is demanded; named: digests differ.",
)


def told_check(report: CheckReport) -> list[str]:
    """Lines for people: the table, every visible defect not told, every hidden one that showed, the verdict."""
    counts = {defect.value: row for defect, row in report.counts().items()}
    counts["all"] = {name: sum(row[name] for row in counts.values()) for name in HEAD}
    width = max(map(len, counts))
    lines = [" " * width + "".join(f"{name:>9}" for name in HEAD)]
    lines += [f"{name:<{width}}" + "".join(f"{row[column]:>9}" for column in HEAD) for name, row in counts.items()]
    lines += KEY
    lines += [f"MISSED {_told(trial)}" for trial in report.missed]
    lines += [f"HIDDEN, YET SHOWN {_told(trial)}" for trial in report.loud]
    lines += [f"NOT TAKEN {trouble}" for trouble in report.troubles]
    lines += [f"LEFT OUT {view}" for view in report.left_out]
    if report.unplanted:
        lines.append(f"{report.unplanted} wishes found no place in any scene.")
    lines.append(_verdict(report))
    return lines


def _verdict(report: CheckReport) -> str:
    if report.passed:
        return f"Seed {report.seed}: every visible defect was caught, every hidden one silent."
    if not report.trials:
        return f"Seed {report.seed}: nothing was planted, so nothing is proven."
    failed = (
        (len(report.missed), "missed"),
        (len(report.loud), "hidden, yet shown"),
        (len(report.troubles), "not taken"),
    )
    return f"Seed {report.seed}: {', '.join(f'{count} {words}' for count, words in failed if count)}."


def _told(trial: Trial) -> str:
    seen = f"{trial.pixels_seen} pixels for rays, {trial.pixels_changed} in the take"
    return f"{trial.scene}: {trial.words} ({seen})."
