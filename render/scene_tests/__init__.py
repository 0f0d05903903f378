"""Screenshot tests: scene files are read, drawn, compared with accepted baselines, and run as a suite.

The format of scene files is docs/reference/scenes.md.

artefacts         What a run leaves: pictures of views that failed, results as JUnit XML
baselines         What was accepted of scenes, packed, on disk beside them
compare           Three layers of truth: what is known (exact), what each pixel shows (exact off edges), colours
compare_data      The first layer: what was known and made, by digests; exact everywhere
report_html       The report of a suite: one self-contained HTML file
scene             What a scene is: a world, what is done to it, a moment, and views of it
scene_file        Scene files: TOML to ``SceneFile``, strictly (docs/reference/scenes.md has the form with an example)
source            From a scene's source to a session that shows its moment
suite             A folder of scenes as one run: read, ordered, taken in processes, judged; or accepted; or repeated
take              From a scene to its takes: one for each view
verdict           What a comparison found: one layer each for what is known, what is shown, and how it looks
views             One view of one run, as it is compared
worker            The processes of a suite: each takes scenes that it is told, one after the other
"""

from render.scene_tests.scene import BadScene, BlockEdit, SceneFile, SceneView
from render.scene_tests.scene_file import read_scene, read_scenes, scene_files
from render.scene_tests.source import SceneFailed
from render.scene_tests.take import SceneCapture, take_scene

__all__ = [
    "BadScene",
    "BlockEdit",
    "SceneCapture",
    "SceneFailed",
    "SceneFile",
    "SceneView",
    "read_scene",
    "read_scenes",
    "scene_files",
    "take_scene",
]
