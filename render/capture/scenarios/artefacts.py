"""What is left of views that failed: the picture, what was accepted, and their difference, side by side in one folder.

    failed/NAME.VIEW.actual.png   failed/NAME.VIEW.expected.png   failed/NAME.VIEW.difference.png

Slashes of a scene's name become dots. What an earlier run left of the same views is removed first, so that a folder
never shows a failure that is mended.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np

from render.capture.scenarios.results import SceneResult
from render.capture.truth import Take
from render.gpu.png import write_png
from render.gpu.target import Pixels

AMPLIFIED: Final = 8
"""How much brighter differences are shown than they are."""
KINDS: Final = ("actual", "expected", "difference")


def write_artefacts(folder: Path, results: Iterable[SceneResult]) -> tuple[Path, ...]:
    """Writes the pictures of what failed, and gives them.

    Raises:
        OSError: the place cannot be written.
    """
    written = []
    for result in results:
        for kind in KINDS if folder.is_dir() else ():
            (folder / _name(result, kind)).unlink(missing_ok=True)
        if result.passed or result.actual is None or result.actual.shot.colour is None:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for kind, pixels in _pictures(result.actual, result.expected):
            path = folder / _name(result, kind)
            write_png(path, pixels, {"Scene": result.name, "Renderer": result.actual.renderer.words}, quick=True)
            written.append(path)
    return tuple(written)


def _name(result: SceneResult, kind: str) -> str:
    return f"{result.scene.name.replace('/', '.')}.{result.view.name}.{kind}.png"


def _pictures(actual: Take, expected: Take | None) -> Iterable[tuple[str, Pixels]]:
    assert actual.shot.colour is not None, "asked before"
    yield "actual", actual.shot.colour
    if expected is None or expected.shot.colour is None:
        return
    yield "expected", expected.shot.colour
    if expected.shot.colour.shape == actual.shot.colour.shape:
        apart = np.abs(actual.shot.colour.astype(np.int16) - expected.shot.colour)
        yield "difference", np.minimum(apart * AMPLIFIED, 255).astype(np.uint8)
