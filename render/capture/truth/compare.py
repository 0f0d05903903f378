"""Two takes to a verdict: every layer is judged, whatever the ones before it say."""

from render.capture.truth.colour_layer import compare_colour
from render.capture.truth.data_layer import compare_data
from render.capture.truth.semantic_layer import compare_semantic
from render.capture.truth.take import Take
from render.capture.truth.tolerance import Tolerance
from render.capture.truth.verdict import Verdict


def compare(expected: Take, actual: Take, tolerance: Tolerance | None = None) -> Verdict:
    """How a take differs from what was accepted. Never raises for what was accepted; that is part of the verdict.

    Args:
        expected: what was accepted; parts of it may be missing, and are skipped with words.
        actual: what was taken now.
        tolerance: limits; the usual ones unless given.
    """
    tolerance = tolerance or Tolerance()
    semantic, changed = compare_semantic(expected, actual, tolerance)
    layers = compare_data(expected.data, actual.data), semantic, compare_colour(expected, actual, tolerance)
    return Verdict(layers, changed)
