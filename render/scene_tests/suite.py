"""Runs a folder of scenes: reads, orders and takes them in processes, then compares or accepts the takes.

Rules:
1. An invalid scene file is reported, and the other scenes run.
2. ``seed`` shuffles the order of the scenes; results do not depend on it, which ``repeat`` verifies.
3. Accepting takes every view twice, in new processes and the second time in reverse order, and refuses a view whose two
   takes are not equal bit for bit.
4. Exit codes: 0 if every view passed, else the code that all failures have in common, or 1 if they have several: 1 a
   difference, 2 an invalid file, 3 a source that cannot be joined, 4 a moment that was not reached, 6 a recording that
   cannot be read (interfaces.md).

``repeat`` looks for flaky pictures: it runs the suite again and again and compares bit for bit with the first run. Each
run has another order, another number of processes and of rasterizer threads, and new processes. Differences are
reported by view and channel, separately from views that could not be taken.
"""

import fnmatch
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from client.connection.opening import Progress, counted
from client.errors import CHECK_FAILED, DONE
from render.jobs.processes import Part
from render.scene_tests import baselines
from render.scene_tests.baselines import BadBaseline, accepted
from render.scene_tests.compare import compare
from render.scene_tests.compare_data import missing_subchunks
from render.scene_tests.scene import NOTHING_ACCEPTED, BadScene, SceneFile, SceneResult, SceneView
from render.scene_tests.scene_file import read_scene, scene_files
from render.scene_tests.verdict import LayerOutcome
from render.scene_tests.views import CapturedView
from render.scene_tests.worker import SuitePlan, run_scenes

SCENE_CHANGED: Final = "the scene file has changed since this view was accepted"
UNSTABLE: Final = "The two runs differ, so the view is not accepted: {}."


class Suite(msgspec.Struct, frozen=True):
    """What a folder, or one file, holds."""

    root: Path  # the folder
    scenes: tuple[SceneFile, ...]  # that are run, by name
    bad: tuple[BadScene, ...]  # files that are no scenes
    # baseline files that no scene has; none while a file cannot be read, since they may be its own
    unused: tuple[Path, ...] = ()

    def only(self, *patterns: str) -> "Suite":
        """Scenes whose name fits one of these shell patterns, and bad files. Raises BadScene: none fits one of them."""
        kept = set[str]()
        for pattern in patterns:
            fits = {scene.name for scene in self.scenes if fnmatch.fnmatchcase(scene.name, pattern)}
            if not fits:
                raise BadScene(f"{self.root} has no scene '{pattern}'.")
            kept |= fits
        return replace(self, scenes=tuple(scene for scene in self.scenes if scene.name in kept))

    def part(self, part: Part) -> "Suite":
        """Part ``k`` of ``n``: together the parts contain each scene and each invalid file exactly once."""
        return Suite(self.root, part.of(self.scenes), part.of(self.bad), part.of(self.unused))


def open_suite(place: Path) -> Suite:
    """Reads all scenes. Raises BadScene: the folder has none."""
    root = place if place.is_dir() else place.parent
    scenes, bad = [], []
    for path in scene_files(place):
        try:
            scenes.append(read_scene(path, root))
        except BadScene as mistake:
            mistake.place = str(path)
            bad.append(mistake)
    whole = place.is_dir() and not bad
    return Suite(root, tuple(scenes), tuple(bad), baselines.unused(root, scenes) if whole else ())


def run_suite(
    suite: Suite, plan: SuitePlan, seed: int | None = None, progress: Progress | None = None
) -> tuple[SceneResult, ...]:
    """Results of every view, by scene and in the order of views. Raises what ``run_scenes`` raises."""
    return by_name(suite.scenes, run_scenes(mixed(suite.scenes, seed), plan, progress))


def mixed(scenes: Sequence[SceneFile], seed: int | None) -> list[SceneFile]:
    """In the order of a seed; as they are without one."""
    order = list(scenes)
    if seed is not None:
        random.Random(seed).shuffle(order)
    return order


def by_name(scenes: Sequence[SceneFile], results: Sequence[SceneResult]) -> tuple[SceneResult, ...]:
    """Results in the order of these scenes and their views."""
    place = {scene.name: number for number, scene in enumerate(scenes)}
    return tuple(sorted(results, key=lambda result: place[result.scene.name]))  # stable: views stay as they are


class Acceptance(msgspec.Struct, frozen=True):
    """What accepting did."""

    # of the first run; those refused have an error, and what is not stable the other run as ``expected``
    results: tuple[SceneResult, ...]
    changed: Mapping[str, tuple[Path, ...]]  # files that were written, by view

    @property
    def refused(self) -> tuple[SceneResult, ...]:
        """Views that were not accepted, with their reason."""
        return tuple(result for result in self.results if result.error)


def accept_suite(
    suite: Suite, plan: SuitePlan, seed: int | None = None, progress: Progress | None = None
) -> Acceptance:
    """Takes every scene twice and writes what is the same both times. Raises what ``run_scenes`` raises."""
    plan = replace(plan, keep_all=True, judge=False)
    order = mixed(suite.scenes, seed)
    first = by_name(suite.scenes, run_scenes(order, plan, progress))
    second = by_name(suite.scenes, run_scenes(order[::-1], plan, progress))
    judged, changed = [], {}
    for one, other in zip(first, second, strict=True):
        result, files = accept_view(one.scene, one.view, one.actual or one, other.actual or other)
        missing = () if result.error or one.actual is None else format_missing(one.actual)
        judged.append(replace(result, seconds=one.seconds, warnings=(*one.warnings, *missing)))
        if not result.error:
            changed[result.name] = files
    return Acceptance(tuple(judged), changed)


def accept_view(
    scene: SceneFile, view: SceneView, one: CapturedView | SceneResult, other: CapturedView | SceneResult
) -> tuple[SceneResult, tuple[Path, ...]]:
    """Writes what two runs took of a view alike; the result, and files that changed. Errors are this view's alone."""
    for taken in (one, other):
        if isinstance(taken, SceneResult):
            return taken, ()
    assert isinstance(one, CapturedView)
    assert isinstance(other, CapturedView)
    if apart := differences(one, other):
        return SceneResult(scene, view, None, UNSTABLE.format(", ".join(apart)), CHECK_FAILED, other, one), ()
    try:
        files = baselines.write(scene, view, one)
    except OSError as error:
        words = f"{scene.folder} cannot be written: {error.strerror or error}."
        return SceneResult(scene, view, None, words, CHECK_FAILED, None, one), ()
    return SceneResult(scene, view, None, actual=one), files


def differences(one: CapturedView, other: CapturedView) -> tuple[str, ...]:
    """What of two takes is not the same bit for bit, in words; one by one."""
    found = []
    arrays, others = one.shot.arrays, other.shot.arrays
    for name in sorted({*arrays, *others}):
        if name not in arrays or name not in others or arrays[name].shape != others[name].shape:
            found.append(f"{name} has another shape")
            continue
        apart = arrays[name] != others[name]
        pixels = int(apart.any(axis=2).sum() if apart.ndim == 3 else np.count_nonzero(apart))
        if pixels:
            found.append(f"{name} in {pixels} pixel{'s' if pixels > 1 else ''}")
    for pair in zip(_states_shown(one), _states_shown(other), strict=True):
        if not np.array_equal(*pair):
            found.append("block names")
            break
    if one.data is not None and other.data is not None:
        for name, part in one.data.parts.items():
            if part != other.data.parts[name]:
                count = len(part.differing(other.data.parts[name]))
                found.append(f"{name} in {count} place{'s' if count > 1 else ''}")
    return tuple(found)


def _states_shown(take: CapturedView) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.str_]], ...]:
    palette = take.shot.palette
    empty = np.empty(0, np.str_)
    return (empty, empty) if palette is None else (palette.names, palette.states)


def judged(scene: SceneFile, view: SceneView, take: CapturedView, seconds: float = 0.0) -> SceneResult:
    """The result of a view, with both takes. A missing or unreadable baseline is an error of that view."""
    try:
        expected = accepted(scene, view, take.renderer)
    except BadBaseline as bad:
        return SceneResult(scene, view, None, str(bad), CHECK_FAILED, None, take, seconds)
    if expected is None:
        return SceneResult(scene, view, None, NOTHING_ACCEPTED, CHECK_FAILED, None, take, seconds)
    verdict = compare(expected, take, scene.tolerance)
    if not verdict.passed and expected.scene_digest not in ("", scene.digest):
        cause = f"{SCENE_CHANGED}, and {verdict.cause}" if verdict.cause else SCENE_CHANGED
        verdict = replace(verdict, cause=cause)
    return SceneResult(scene, view, verdict, "", 0, expected, take, seconds)


# ---------------------------------------------------------------- telling


def format_missing(take: CapturedView) -> tuple[str, ...]:
    """One sentence where sub-chunks are missing in what is accepted; none where all are there."""
    missing = {} if take.data is None else missing_subchunks(take.data.requests)
    if not missing:
        return ()
    states = ", ".join(f"{count} {state}" for state, count in missing.items())
    return (f"accepted with {counted(sum(missing.values()), 'sub-chunk')} missing: {states}.",)


def format_results(results: Sequence[SceneResult], bad: Sequence[BadScene]) -> list[str]:
    """A line for each view that failed and each file that is no scene, what was skipped, and the sum."""
    lines = [line for result in results if not result.passed for line in _failure(result)]
    lines += [f"NO SCENE {mistake}" for mistake in bad]
    skipped = Counter(
        f"{layer.name} skipped: {layer.words}"
        for result in results
        if result.verdict is not None
        for layer in result.verdict.layers
        if layer.outcome is LayerOutcome.SKIPPED
    )
    lines += [f"{words} ({count} of {len(results)} views)" for words, count in sorted(skipped.items())]
    lines += format_warnings(results)
    if bad and not results:
        return [*lines, f"Nothing was compared: {_not_scenes(bad)}."]
    passed = sum(result.passed for result in results)
    scenes = len({result.scene.name for result in results})
    lines.append(
        f"{counted(len(results), 'view')} of {counted(scenes, 'scene')}: "
        f"{passed} passed, {len(results) - passed} failed{_broken(bad)}."
    )
    return lines


def _failure(result: SceneResult) -> list[str]:
    """One line where there was nothing to compare, else the view and below it a line for each thing that differs."""
    if result.verdict is None:
        return [f"FAILED {result.name}: {result.error}"]
    return [f"FAILED {result.name}:", *(f"  {line}" for line in result.words.splitlines())]


def format_warnings(results: Sequence[SceneResult]) -> list[str]:
    """A line for each warning that its scene does not expect, with the first scene that had it."""
    first = dict[str, str]()
    for result in results:
        for words in result.unexpected:
            first.setdefault(words, result.scene.name)
    return [f"warning in {name}: {words}" for words, name in first.items()]


def format_acceptance(accepted: Acceptance, bad: Sequence[BadScene]) -> list[str]:
    """A line for each view that was refused or is new or changed, and the sum."""
    lines = [f"REFUSED {result.name}: {result.error}" for result in accepted.refused]
    lines += [f"NO SCENE {mistake}" for mistake in bad]
    lines += [
        f"accepted {name}: {', '.join(path.name for path in files)}"
        for name, files in accepted.changed.items()
        if files
    ]
    lines += format_warnings(accepted.results)
    if bad and not accepted.results:
        return [*lines, f"Nothing was accepted: {_not_scenes(bad)}."]
    changed = sum(bool(files) for files in accepted.changed.values())
    same = len(accepted.changed) - changed
    lines.append(
        f"{counted(changed, 'view')} accepted, {same} unchanged, {len(accepted.refused)} refused{_broken(bad)}."
    )
    return lines


def exit_code(failed: Iterable[SceneResult], bad: Sequence[BadScene]) -> int:
    """The code of a run with these failures: the one that all have in common, or 1; 0 without failures."""
    codes = {result.exit_code or CHECK_FAILED for result in failed} | {mistake.exit_code for mistake in bad}
    return DONE if not codes else codes.pop() if len(codes) == 1 else CHECK_FAILED


def _broken(bad: Sequence[BadScene]) -> str:
    return f", {_not_scenes(bad)}" if bad else ""


def _not_scenes(bad: Sequence[BadScene]) -> str:
    return f"{counted(len(bad), 'file')} cannot be read as a scene"


# --------------------------------------------------------------------- repeat

THREADS_VARIABLE: Final = "LP_NUM_THREADS"
"""Environment variable of llvmpipe: its number of rasterizer threads besides the caller's."""
THREADS: Final = ("2", "0", "1")


class RepeatedRun(msgspec.Struct, frozen=True):
    """How one run was made."""

    seed: int  # of the order
    jobs: int  # processes
    threads: str  # of the rasterizer

    def __str__(self) -> str:
        return f"order {self.seed}, {self.jobs} process{'es' * (self.jobs > 1)}, {THREADS_VARIABLE}={self.threads}"


class RepeatResult(msgspec.Struct):
    """What was found."""

    runs: int = 0  # that were made
    pictures: int = 0  # that were compared with the first one of their view
    apart: list[str] = []  # what differed, a sentence each
    untaken: list[str] = []  # views of which a run had no picture, and why, a sentence each

    @property
    def holds(self) -> bool:
        """Whether every picture was taken, and none differed."""
        return not self.apart and not self.untaken

    def __str__(self) -> str:
        missing = f", {len(self.untaken)} could not be taken" if self.untaken else ""
        return f"{len(self.apart)} of {self.pictures} pictures differ{missing}"


def ways(runs: int, jobs: int, seed: int) -> Iterator[RepeatedRun]:
    """``count`` different ways to run the suite, with 1 to ``jobs`` processes."""
    for run in range(runs):
        yield RepeatedRun(seed + run, jobs - run % jobs, THREADS[run // jobs % len(THREADS)])


def prove(
    suite: Suite, runs: int, jobs: int, seed: int, told: Callable[[RepeatedRun, RepeatResult, Sequence[str]], None]
) -> RepeatResult:
    """Runs a suite once in each way; ``told`` is called with the result so far. Raises as ``run_scenes``."""
    proof, first = RepeatResult(), dict[str, CapturedView]()
    for way in ways(runs, jobs, seed):
        with _threads(way.threads):
            results = run_suite(suite, SuitePlan(way.jobs, keep_all=True, judge=False), way.seed)
        before = len(proof.apart), len(proof.untaken)
        for result in results:
            _compare(proof, first, result, way)
        proof.runs += 1
        told(way, proof, (*proof.apart[before[0] :], *proof.untaken[before[1] :]))
    return proof


def _compare(proof: RepeatResult, first: dict[str, CapturedView], result: SceneResult, way: RepeatedRun) -> None:
    """With the first picture of this view that there was."""
    if result.actual is None:
        proof.untaken.append(f"{result.name}, {way}: {result.error}")
    elif result.name not in first:
        first[result.name] = result.actual
    else:
        proof.pictures += 1
        if found := differences(first[result.name], result.actual):
            proof.apart.append(f"{result.name}, {way}: {', '.join(found)}")


@contextmanager
def _threads(count: str) -> Iterator[None]:
    """Sets the number of rasterizer threads for processes that are started inside the block."""
    before = os.environ.get(THREADS_VARIABLE)
    os.environ[THREADS_VARIABLE] = count
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS_VARIABLE]
        else:
            os.environ[THREADS_VARIABLE] = before
