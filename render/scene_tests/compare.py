"""Three layers of truth: what is known (exact), what each pixel shows (exact off edges), how it looks.

Compare: Two takes to a verdict: every layer is judged, whatever the ones before it say.
"""

from render.scene_tests.compare_colour import compare_colour
from render.scene_tests.compare_data import compare_data
from render.scene_tests.compare_semantic import compare_semantic
from render.scene_tests.verdict import Tolerance, Verdict
from render.scene_tests.views import Take


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
