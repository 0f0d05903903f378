"""Which views of scenes defects are planted in."""

from pathlib import Path

import pytest

from render.mutation.work import why_left_out
from render.scene_tests.suite import open_suite
from render.scene_tests.take import picture_of
from tests.support.scene_files import flat_scene

SCENES = Path(__file__).parents[3] / "golden" / "scenes"


def why(tmp_path: Path, in_scene: str = "", in_view: str = "") -> str | None:
    scene = flat_scene(tmp_path, "small", in_scene)
    path = tmp_path / "small.toml"
    path.write_text(path.read_text() + in_view)
    (suite,) = open_suite(tmp_path).scenes
    assert suite.name == scene.name
    (view,) = suite.views
    return why_left_out(view, picture_of(suite, view))


@pytest.mark.parametrize("in_scene", ["", 'overlays = ["age", "states"]'])
def test_a_view_in_perspective_is_used(tmp_path: Path, in_scene: str) -> None:
    assert why(tmp_path, in_scene) is None


@pytest.mark.parametrize(
    ("in_scene", "in_view", "words"),
    [
        ("", "ortho = 40\n", "it is orthographic"),
        ("", "freeze_at = [0.5, -40.0, 0.5]\n", "its culling camera is frozen"),
        ('overlays = ["age", "cells"]', "", "its overlay cells says how often a cell was meshed"),
        ("", 'overlays = ["cells"]\n', "its overlay cells says how often a cell was meshed"),
    ],
)
def test_what_rays_cannot_judge_or_nothing_takes_back_is_left_out_in_words(
    tmp_path: Path, in_scene: str, in_view: str, words: str
) -> None:
    told = why(tmp_path, in_scene, in_view)
    assert told is not None
    assert told.startswith(words)


def test_the_scene_of_cells_is_left_out_and_that_of_ages_is_not() -> None:
    scenes = {scene.name: scene for scene in open_suite(SCENES).scenes}
    used = {
        name: [why_left_out(view, picture_of(scenes[name], view)) is None for view in scenes[name].views]
        for name in ("overlay_cells", "overlay_age")
    }
    assert not any(used["overlay_cells"])
    assert used["overlay_age"][0]
