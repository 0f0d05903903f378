"""Pictures of what failed: those of this run, and of no earlier one."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from client.player import Eye, View
from render.capture.channels import Shot
from render.scene_tests.artefacts import AMPLIFIED, write_artefacts, write_unstable
from render.scene_tests.results import SceneResult
from render.scene_tests.verdict import Layer, LayerOutcome, Verdict
from render.scene_tests.views import CapturedView, Renderer
from tests.support.data.scene_suites import flat_scene

FAILED = Verdict((Layer("colour", LayerOutcome.FAILED, "2 pixels differ.", {}),))
PASSED = Verdict((Layer("colour", LayerOutcome.PASSED, "the same", {}),))


def take(shade: int, width: int = 3) -> CapturedView:
    colour = np.full((2, width, 4), shade, np.uint8)
    return CapturedView(Shot(View(Eye(0, 0, 0)), (width, 2), None, colour), None, Renderer("llvmpipe-avx2", 25, "none"))


@pytest.mark.parametrize("name", ["a", "deep/a"])
def test_what_failed_is_shown_and_is_gone_when_it_passes(tmp_path: Path, name: str) -> None:
    scene, folder = flat_scene(tmp_path, name), tmp_path / "failed"
    failed = SceneResult(scene, scene.views[0], FAILED, expected=take(10), actual=take(12))
    written = write_artefacts(folder, [failed])
    stem = f"{name.replace('/', '.')}.front"
    assert [path.name for path in written] == [f"{stem}.{kind}.png" for kind in ("actual", "expected", "difference")]
    assert sorted(folder.iterdir()) == sorted(written)
    (folder / "other.front.actual.png").write_bytes(b"of another scene")
    assert write_artefacts(folder, [SceneResult(scene, scene.views[0], PASSED)]) == ()
    assert [path.name for path in folder.iterdir()] == ["other.front.actual.png"]


def test_a_difference_is_amplified_and_needs_two_of_one_size(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "a")
    written = write_artefacts(tmp_path, [SceneResult(scene, scene.views[0], FAILED, "", 0, take(10), take(12))])
    with Image.open(written[2]) as image:
        assert image.getpixel((0, 0)) == (2 * AMPLIFIED,) * 3
    written = write_artefacts(tmp_path, [SceneResult(scene, scene.views[0], FAILED, "", 0, take(10, 4), take(12))])
    assert [path.name for path in written] == ["a.front.actual.png", "a.front.expected.png"]
    assert not (tmp_path / "a.front.difference.png").exists()


def test_where_nothing_failed_no_folder_is_made(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "a")
    assert write_artefacts(tmp_path / "failed", [SceneResult(scene, scene.views[0], PASSED)]) == ()
    assert not (tmp_path / "failed").exists()


def test_what_two_runs_showed_of_an_unstable_view_is_there_until_it_is_accepted(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "a")
    view, folder = scene.views[0], tmp_path / "failed"
    write_artefacts(folder, [SceneResult(scene, view, FAILED, expected=take(10), actual=take(12))])
    written = write_unstable(folder, [SceneResult(scene, view, None, "Not the same.", 1, take(12), take(10))])
    assert [path.name for path in written] == [f"a.front.{kind}.png" for kind in ("first", "second", "difference")]
    assert sorted(folder.iterdir()) == sorted(written)
    with Image.open(written[1]) as second:
        assert second.getpixel((0, 0)) == (12,) * 3
    assert write_unstable(folder, [SceneResult(scene, view, None, actual=take(10))]) == ()
    assert list(folder.iterdir()) == []
