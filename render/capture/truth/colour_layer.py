"""The third layer: how it looks. Bit for bit where the renderer promises that, elsewhere as eyes do."""

import numpy as np

from render.capture.truth.semantic_layer import sizes_differ
from render.capture.truth.take import Take
from render.capture.truth.tiles import TILE_PX, FlipMissing, Rgb, channel_steps, flip_errors, tile_means, worst_tile
from render.capture.truth.tolerance import Tolerance
from render.capture.truth.verdict import COLOUR, Layer, Outcome


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
