"""One take against what was accepted of its view."""

from client.errors import CHECK_FAILED
from render.capture.scenarios.baselines import BadBaseline, accepted
from render.capture.scenarios.results import NOTHING_ACCEPTED, SceneResult
from render.capture.scenarios.scene import Scene, SceneView
from render.capture.truth import Take, compare


def judged(scene: Scene, view: SceneView, take: Take, seconds: float = 0.0) -> SceneResult:
    """What became of a view, with both takes; a baseline that is missing or cannot be read is an error of that view."""
    try:
        expected = accepted(scene, view, take.renderer)
    except BadBaseline as bad:
        return SceneResult(scene, view, None, str(bad), CHECK_FAILED, None, take, seconds)
    if expected is None:
        return SceneResult(scene, view, None, NOTHING_ACCEPTED, CHECK_FAILED, None, take, seconds)
    return SceneResult(scene, view, compare(expected, take, scene.tolerance), "", 0, expected, take, seconds)
