"""All takes of a scene, whatever becomes of it: a view that fails costs itself and those behind it, no other."""

from dataclasses import replace

from client.errors import CHECK_FAILED
from render.capture.scenarios.compact import compacted
from render.capture.scenarios.places import SceneFailed
from render.capture.scenarios.results import SceneResult
from render.capture.scenarios.scene import Scene
from render.capture.scenarios.taking import Darkroom
from render.capture.truth import Take


def take_all(darkroom: Darkroom, scene: Scene) -> tuple[Take | SceneResult, ...]:
    """For each view its take, made small, or the result that says why there is none."""
    takes: list[Take] = []
    trouble, exit_code = "", 0
    try:
        takes.extend(replace(take, shot=compacted(take.shot)) for take in darkroom.takes(scene))
    except SceneFailed as failed:
        trouble, exit_code = str(failed), failed.exit_code
    except Exception as error:  # the scene's trouble, not the suite's: the next one is run all the same
        trouble, exit_code = f"This is a bug of chunkscope: {type(error).__name__}: {error}.", CHECK_FAILED
    failed_views = scene.views[len(takes) :]
    return (*takes, *(SceneResult(scene, view, None, trouble, exit_code) for view in failed_views))
