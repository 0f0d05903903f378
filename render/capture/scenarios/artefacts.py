"""What is left of views that failed: the picture, what was accepted, and their difference, side by side in one folder.

    failed/NAME.VIEW.actual.png   failed/NAME.VIEW.expected.png   failed/NAME.VIEW.difference.png

Of a view that is refused, since two runs do not show the same, they are ``first``, ``second`` and ``difference``.
Slashes of a scene's name become dots. What an earlier run left of the same views is removed first, so that a folder
never shows a failure that is mended.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import numpy as np

from render.capture.scenarios.results import SceneResult
from render.capture.truth import Take
from render.gpu.png import write_png
from render.gpu.target import Pixels

AMPLIFIED: Final = 8
"""How much brighter differences are shown than they are."""
COMPARED: Final = ("actual", "expected", "difference")
UNSTABLE: Final = ("first", "second", "difference")


def write_artefacts(folder: Path, results: Iterable[SceneResult]) -> tuple[Path, ...]:
    """Writes the pictures of what failed, and gives them.

    Raises:
        OSError: the place cannot be written.
    """
    return _write(folder, results, COMPARED, lambda result: not result.passed)


def write_unstable(folder: Path, results: Iterable[SceneResult]) -> tuple[Path, ...]:
    """Writes both pictures of what was refused because two runs do not show the same, and gives them.

    Raises:
        OSError: the place cannot be written.
    """
    return _write(folder, results, UNSTABLE, lambda result: result.expected is not None)


def _write(
    folder: Path, results: Iterable[SceneResult], kinds: tuple[str, ...], shown: Callable[[SceneResult], bool]
) -> tuple[Path, ...]:
    written = []
    for result in results:
        for kind in {*COMPARED, *UNSTABLE} if folder.is_dir() else ():
            (folder / _name(result, kind)).unlink(missing_ok=True)
        if not shown(result) or result.actual is None or result.actual.shot.colour is None:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for kind, pixels in zip(kinds, _pictures(result.actual, result.expected), strict=False):
            path = folder / _name(result, kind)
            write_png(path, pixels, {"Scene": result.name, "Renderer": result.actual.renderer.words}, quick=True)
            written.append(path)
    return tuple(written)


def _name(result: SceneResult, kind: str) -> str:
    return f"{result.scene.name.replace('/', '.')}.{result.view.name}.{kind}.png"


def _pictures(actual: Take, expected: Take | None) -> Iterable[Pixels]:
    """One, the other, and how far apart they are: as many as there can be."""
    assert actual.shot.colour is not None, "asked before"
    yield actual.shot.colour
    if expected is None or expected.shot.colour is None:
        return
    yield expected.shot.colour
    if expected.shot.colour.shape == actual.shot.colour.shape:
        apart = np.abs(actual.shot.colour.astype(np.int16) - expected.shot.colour)
        yield np.minimum(apart * AMPLIFIED, 255).astype(np.uint8)
