"""A folder of scenes as one run: read, ordered, taken in processes, judged; or accepted.

Rules:
1. A file that is no scene costs itself alone: it is told, the others run.
2. ``seed`` mixes the order in which scenes are begun; results do not depend on it, which is what ``repeat`` shows.
3. Accepting takes everything twice, in new processes and the other way round, and refuses what is not the same bit for
   bit both times.
"""

import fnmatch
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from client.errors import CHECK_FAILED
from net.frozen import frozen
from render.capture.scenarios import baselines
from render.capture.scenarios.bad_scene import BadScene
from render.capture.scenarios.reading import read_scene, scene_files
from render.capture.scenarios.results import SceneResult
from render.capture.scenarios.runner import Plan, Told, run_scenes
from render.capture.scenarios.scene import Scene, SceneView
from render.capture.truth import Take

UNSTABLE: Final = "Two runs do not show the same, so it is not accepted: {}."


@frozen
class Suite:
    """What a folder, or one file, holds.

    Attributes:
        root: the folder.
        scenes: that are run, by name.
        bad: files that are no scenes.
        unused: baseline files that no scene has; none while a file cannot be read, since they may be its own.
    """

    root: Path
    scenes: tuple[Scene, ...]
    bad: tuple[BadScene, ...]
    unused: tuple[Path, ...] = ()

    def only(self, *patterns: str) -> "Suite":
        """Scenes whose name fits a shell pattern of these; bad files stay, since nobody knows its name's worth.

        Raises:
            BadScene: none fits one of them.
        """
        kept = set[str]()
        for pattern in patterns:
            fits = {scene.name for scene in self.scenes if fnmatch.fnmatchcase(scene.name, pattern)}
            if not fits:
                raise BadScene(f"No scene of {self.root} is called '{pattern}'.")
            kept |= fits
        return replace(self, scenes=tuple(scene for scene in self.scenes if scene.name in kept))


def open_suite(place: Path) -> Suite:
    """Reads every scene.

    Raises:
        BadScene: there is no scene at all.
    """
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


def run_suite(suite: Suite, plan: Plan, seed: int | None = None, told: Told | None = None) -> tuple[SceneResult, ...]:
    """Results of every view, by scene and in the order of views.

    Raises:
        SuiteBroken: no process can take anything.
    """
    order = mixed(suite.scenes, seed)
    return by_name(suite.scenes, run_scenes(order, plan, told))


def mixed(scenes: Sequence[Scene], seed: int | None) -> list[Scene]:
    """In the order of a seed; as they are without one."""
    order = list(scenes)
    if seed is not None:
        random.Random(seed).shuffle(order)
    return order


def by_name(scenes: Sequence[Scene], results: Sequence[SceneResult]) -> tuple[SceneResult, ...]:
    """Results in the order of these scenes and their views."""
    place = {scene.name: number for number, scene in enumerate(scenes)}
    return tuple(sorted(results, key=lambda result: place[result.scene.name]))  # stable: views stay as they are


@frozen
class Acceptance:
    """What accepting did.

    Attributes:
        results: of the first run; those refused have an error, and what is not stable the other run as ``expected``.
        changed: files that were written, by view.
    """

    results: tuple[SceneResult, ...]
    changed: Mapping[str, tuple[Path, ...]]

    @property
    def refused(self) -> tuple[SceneResult, ...]:
        """Views that were not accepted, with their reason."""
        return tuple(result for result in self.results if result.error)


def accept_suite(suite: Suite, jobs: int, seed: int | None = None, told: Told | None = None) -> Acceptance:
    """Takes every scene twice and writes what is the same both times.

    Raises:
        SuiteBroken: no process can take anything.
    """
    plan = Plan(jobs, keep_all=True, judge=False)
    order = mixed(suite.scenes, seed)
    first = by_name(suite.scenes, run_scenes(order, plan, told))
    second = by_name(suite.scenes, run_scenes(order[::-1], plan, told))
    judged, changed = [], {}
    for one, other in zip(first, second, strict=True):
        result, files = accept_view(one.scene, one.view, one.actual or one, other.actual or other)
        judged.append(replace(result, seconds=one.seconds, warnings=one.warnings))
        if not result.error:
            changed[result.name] = files
    return Acceptance(tuple(judged), changed)


def accept_view(
    scene: Scene, view: SceneView, one: Take | SceneResult, other: Take | SceneResult
) -> tuple[SceneResult, tuple[Path, ...]]:
    """Writes what two runs took of a view where it is the same; the result, and the files that changed.

    What was not taken, is not the same or cannot be written is an error of this view alone.
    """
    for taken in (one, other):
        if isinstance(taken, SceneResult):
            return taken, ()
    assert isinstance(one, Take)
    assert isinstance(other, Take)
    if apart := differences(one, other):
        return SceneResult(scene, view, None, UNSTABLE.format(", ".join(apart)), CHECK_FAILED, other, one), ()
    try:
        files = baselines.write(scene, view, one)
    except OSError as error:
        words = f"{scene.folder} cannot be written: {error.strerror or error}."
        return SceneResult(scene, view, None, words, CHECK_FAILED, None, one), ()
    return SceneResult(scene, view, None, actual=one), files


def differences(one: Take, other: Take) -> tuple[str, ...]:
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
            found.append("blocks have other names")
            break
    if one.data is not None and other.data is not None:
        for name, part in one.data.parts.items():
            if part != other.data.parts[name]:
                count = len(part.differing(other.data.parts[name]))
                found.append(f"{name} in {count} place{'s' if count > 1 else ''}")
    return tuple(found)


def _states_shown(take: Take) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.str_]], ...]:
    palette = take.shot.palette
    empty = np.empty(0, np.str_)
    return (empty, empty) if palette is None else (palette.names, palette.states)
