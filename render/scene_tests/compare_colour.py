"""The third layer: how it looks. Bit for bit where the renderer promises that, elsewhere as eyes do.

Tiles: Differences of two pictures by tiles of 32 x 32 pixels: FLIP maps and plain ones.

Why tiles (measured, render/README.md): the mean over a whole picture ranks rounding everywhere worse than a hole; the
mean over the worst tile does not. The last tile of a row or column is moved inward instead of cut, so that no sliver of
a few pixels weighs as much as a whole tile; a picture smaller than a tile is one.

FLIP itself comes from ``flip-evaluator``, an optional package (extra ``test``).
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from render.extras import install_line
from render.scene_tests.compare_semantic import sizes_differ
from render.scene_tests.verdict import COLOUR, Layer, Outcome, Tolerance
from render.scene_tests.views import Take

# ---------------------------------------------------------------- tiles

TILE_PX: Final = 32

Rgb = npt.NDArray[np.uint8]
"""[height, width, 3], row 0 at the top."""
Errors = npt.NDArray[np.float32]
"""[height, width] 0..1 a pixel."""
Tiles = npt.NDArray[np.float32]
"""[rows, columns] mean of each tile's pixels."""


class FlipMissing(Exception):
    """``flip-evaluator`` is not installed; the message is one sentence that says what to do."""


def flip_errors(expected: Rgb, actual: Rgb) -> Errors:
    """How different each pixel looks at the usual distance (67 pixels a degree), 0 the same, 1 the most.

    Raises:
        FlipMissing: see the module.
    """
    evaluate = _evaluate()
    # An sRGB picture in 0..1, of which the package wants contiguous float32.
    pictures = [np.ascontiguousarray(picture[..., :3], np.float32) / np.float32(255) for picture in (expected, actual)]
    errors, _, _ = evaluate(*pictures, "LDR", applyMagma=False, computeMeanError=False)
    return np.asarray(errors, np.float32).reshape(expected.shape[:2])


def _evaluate() -> Any:  # Any: the package has no types
    try:
        import flip_evaluator  # noqa: PLC0415 - an optional package
    except ImportError:
        raise FlipMissing(
            "flip-evaluator is not installed, without which colours of unlike renderers are not compared;"
            f" {install_line('flip-evaluator')}"
        ) from None
    return flip_evaluator.evaluate


def channel_steps(expected: Rgb, actual: Rgb) -> npt.NDArray[np.uint8]:
    """[height, width] largest difference of a pixel's channels, 0..255."""
    apart = np.abs(expected[..., :3].astype(np.int16) - actual[..., :3])
    return np.asarray(apart.max(axis=2), np.uint8)


def tile_means(errors: npt.NDArray[Any]) -> Tiles:
    """Means over tiles."""
    rows, columns = (tile_starts(side) for side in errors.shape)
    return np.array(
        [[errors[y : y + TILE_PX, x : x + TILE_PX].mean(dtype=np.float64) for x in columns] for y in rows], np.float32
    )


def tile_starts(side_px: int) -> list[int]:
    """Where tiles begin along a side."""
    last = max(side_px - TILE_PX, 0)
    return [min(start, last) for start in range(0, side_px, TILE_PX)]


def worst_tile(tiles: Tiles, size_px: tuple[int, int]) -> tuple[float, int, int]:
    """The largest mean, and x, y of that tile's upper left pixel; ``size_px`` is width, height."""
    row, column = np.unravel_index(int(tiles.argmax()), tiles.shape)
    return float(tiles[row, column]), tile_starts(size_px[0])[int(column)], tile_starts(size_px[1])[int(row)]


# ---------------------------------------------------------------- colour layer


def compare_colour(expected: Take, actual: Take, tolerance: Tolerance) -> Layer:
    """Exact on the renderer that is exact, by the worst tile of the FLIP map elsewhere."""
    shots = expected.shot, actual.shot
    if actual.shot.colour is None:
        return Layer(COLOUR, Outcome.SKIPPED, "No picture was taken.", {})
    if expected.shot.colour is None:
        key = actual.renderer.key
        words = f"No picture was accepted on {key} yet, so colours were not compared."
        return Layer(COLOUR, Outcome.SKIPPED, words, {})
    if shots[0].size_px != shots[1].size_px:
        return Layer(COLOUR, Outcome.FAILED, sizes_differ(*shots), {})
    pictures = expected.shot.colour[..., :3], actual.shot.colour[..., :3]
    if expected.renderer.draws_exactly_as(actual.renderer):
        return _exact(*pictures)
    return _alike(*pictures, tolerance.tile_flip)


def _exact(expected: Rgb, actual: Rgb) -> Layer:
    steps = channel_steps(expected, actual)
    numbers = _counts(steps)
    if not steps.any():
        return Layer(COLOUR, Outcome.PASSED, f"All {steps.size:,} pixels are equal bit for bit.", numbers)
    _, x, y = worst_tile(tile_means(steps), (steps.shape[1], steps.shape[0]))
    words = (
        f"{int(numbers['differing']):,} of {steps.size:,} pixels differ, by at most {int(steps.max())} of 255, most in"
        f" the tile at x {x}, y {y}; on this renderer none may."
    )
    return Layer(COLOUR, Outcome.FAILED, words, numbers)


def _alike(expected: Rgb, actual: Rgb, most: float) -> Layer:
    steps = channel_steps(expected, actual)
    try:
        tiles = tile_means(flip_errors(expected, actual))
    except FlipMissing as missing:
        return Layer(COLOUR, Outcome.SKIPPED, str(missing), _counts(steps))
    worst, x, y = worst_tile(tiles, (steps.shape[1], steps.shape[0]))
    numbers = {**_counts(steps), "worst_tile": worst, "worst_tile_most": most, "worst_tile_x": x, "worst_tile_y": y}
    failed = worst > most
    size = f"{TILE_PX} x {TILE_PX} pixels"
    words = f"The worst tile of {size}, at x {x}, y {y}, has a mean FLIP error of {worst:.4f}; {most:g} is the most."
    return Layer(COLOUR, Outcome.FAILED if failed else Outcome.PASSED, words, numbers)


def _counts(steps: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> dict[str, float]:
    return {"pixels": steps.size, "differing": int((steps > 0).sum()), "largest": int(steps.max())}
