"""What a run of a suite says to people, and its exit code.

Exit codes: 0 every view passed · 1 something failed. Where one scene is all there is: 2 its file is no scene, 3 its
source cannot be joined, 4 its moment did not come, 6 its recording cannot be read (interfaces.md).
"""

from collections import Counter
from collections.abc import Sequence

from render.capture.scenarios.bad_scene import BadScene
from render.capture.scenarios.results import SceneResult
from render.capture.scenarios.suite import Acceptance
from render.capture.truth import Outcome


def told_results(results: Sequence[SceneResult], bad: Sequence[BadScene]) -> list[str]:
    """A line for each view that failed and each file that is no scene, what was skipped, and the sum."""
    lines = [f"FAILED {result.name}: {result.words}" for result in results if not result.passed]
    lines += [f"NO SCENE {mistake}" for mistake in bad]
    skipped = Counter(
        f"{layer.name} skipped: {layer.words}"
        for result in results
        if result.verdict is not None
        for layer in result.verdict.layers
        if layer.outcome is Outcome.SKIPPED
    )
    lines += [f"{words} ({count} of {len(results)} views)" for words, count in sorted(skipped.items())]
    lines += told_warnings(results)
    passed = sum(result.passed for result in results)
    scenes = len({result.scene.name for result in results})
    lines.append(
        f"{_counted(len(results), 'view')} of {_counted(scenes, 'scene')}: "
        f"{passed} passed, {len(results) - passed} failed{_broken(bad)}."
    )
    return lines


def told_warnings(results: Sequence[SceneResult]) -> list[str]:
    """A line for each warning that its scene does not expect, with the first scene that had it."""
    first = dict[str, str]()
    for result in results:
        for words in result.unexpected:
            first.setdefault(words, result.scene.name)
    return [f"warning in {name}: {words}" for words, name in first.items()]


def told_acceptance(accepted: Acceptance, bad: Sequence[BadScene]) -> list[str]:
    """A line for each view that was refused or is new or changed, and the sum."""
    lines = [f"REFUSED {result.name}: {result.error}" for result in accepted.refused]
    lines += [f"NO SCENE {mistake}" for mistake in bad]
    lines += [
        f"accepted {name}: {', '.join(path.name for path in files)}"
        for name, files in accepted.changed.items()
        if files
    ]
    lines += told_warnings(accepted.results)
    changed = sum(bool(files) for files in accepted.changed.values())
    same = len(accepted.changed) - changed
    lines.append(
        f"{_counted(changed, 'view')} accepted, {same} as before, {len(accepted.refused)} refused{_broken(bad)}."
    )
    return lines


def exit_code(results: Sequence[SceneResult], bad: Sequence[BadScene]) -> int:
    """See the module."""
    if all(result.passed for result in results) and not bad:
        return 0
    return _alone(results, bad)


def exit_code_of_acceptance(accepted: Acceptance, bad: Sequence[BadScene]) -> int:
    """0 when every view was accepted; see the module."""
    return _alone(accepted.results, bad) if accepted.refused or bad else 0


def _alone(results: Sequence[SceneResult], bad: Sequence[BadScene]) -> int:
    scenes = {result.scene.name for result in results}
    if len(scenes) + len(bad) != 1:
        return 1
    if bad:
        return bad[0].exit_code
    return next((result.exit_code for result in results if result.exit_code), 1)


def _broken(bad: Sequence[BadScene]) -> str:
    return f", {_counted(len(bad), 'file')} no scene" if bad else ""


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
