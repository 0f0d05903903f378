import errno
import os
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from client.player import Eye, View
from render.capture.channels import Shot
from render.scene_tests import baselines
from render.scene_tests.baselines import BadBaseline
from render.scene_tests.compare_data import DataTruth, Digests
from render.scene_tests.suite import accept_view
from render.scene_tests.views import CapturedView, Renderer
from tests.support.data.scene_suites import flat_scene, write_scene

OURS = Renderer("llvmpipe-avx2", 25, "llvmpipe (LLVM 19)")
THEIRS = Renderer("nvidia", 550, "a card")


def digests(seed: int) -> Digests:
    return Digests.of(np.array([[seed, 0, 0]]), np.array([seed], np.uint64))


def take(renderer: Renderer = OURS, shade: int = 10) -> CapturedView:
    colour = np.full((2, 3, 4), 255, np.uint8)
    colour[..., :3] = shade
    shot = Shot(View(Eye(0, 0, 0)), (3, 2), colour=colour, face=np.full((2, 3), 5, np.uint8))
    return CapturedView(shot, DataTruth(*(digests(part) for part in range(4))), renderer)


def test_what_is_written_is_what_is_accepted(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "deep/one")
    (view,) = scene.views
    assert baselines.accepted(scene, view, OURS) is None
    changed = baselines.write(scene, view, take())
    assert [path.name for path in changed] == ["front.truth.npz", "front.data.json", "front.llvmpipe-avx2-25.png"]
    back = baselines.accepted(scene, view, OURS)
    assert back is not None
    assert back.data == take().data
    np.testing.assert_array_equal(back.shot.colour, take().shot.colour)
    np.testing.assert_array_equal(back.shot.face, take().shot.face)


def test_accepting_the_same_again_touches_nothing(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "one")
    baselines.write(scene, scene.views[0], take())
    assert baselines.write(scene, scene.views[0], take()) == ()
    changed = baselines.write(scene, scene.views[0], take(shade=11))
    assert [path.name for path in changed] == ["front.llvmpipe-avx2-25.png"]


@pytest.mark.parametrize("writer", ["write_npz", "_write_text", "write_png"])
def test_where_there_is_no_room_all_that_was_accepted_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    scene = flat_scene(tmp_path, "one")
    (view,) = scene.views
    baselines.write(scene, view, take())
    before = {path: path.read_bytes() for path in scene.folder.iterdir()}
    other = replace(take(shade=11), data=DataTruth(*(digests(part + 7) for part in range(4))))
    other = replace(other, shot=replace(other.shot, face=np.full((2, 3), 4, np.uint8)))

    def full(path: Path, *_: object) -> None:
        path.write_bytes(b"the beginning of")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(baselines, writer, full)
    result, files = accept_view(scene, view, other, other)
    assert files == ()
    assert result.error == f"{scene.folder} cannot be written: No space left on device."
    assert {path: path.read_bytes() for path in scene.folder.iterdir()} == before
    monkeypatch.undo()
    assert len(accept_view(scene, view, other, other)[1]) == 3


def test_a_renderer_without_a_picture_of_its_own_has_no_colours_to_compare(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "one")
    baselines.write(scene, scene.views[0], take())
    back = baselines.accepted(scene, scene.views[0], THEIRS)
    assert back is not None
    assert back.shot.colour is None
    assert back.renderer == OURS
    baselines.write(scene, scene.views[0], take(THEIRS))
    assert baselines.colour_path(scene, scene.views[0], OURS).exists(), "another renderer's picture stays"
    assert baselines.accepted(scene, scene.views[0], THEIRS).shot.colour is not None


@pytest.mark.parametrize("name", ["front.truth.npz", "front.data.json", "front.llvmpipe-avx2-25.png"])
@pytest.mark.parametrize("kept", [0, 0.5])
def test_a_file_that_was_cut_short_is_named_and_accepted_anew(tmp_path: Path, name: str, kept: float) -> None:
    scene = flat_scene(tmp_path, "one")
    baselines.write(scene, scene.views[0], take())
    path = scene.folder / name
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    with pytest.raises(BadBaseline, match=f"{name} cannot be read"):
        baselines.accepted(scene, scene.views[0], OURS)
    baselines.write(scene, scene.views[0], take())
    assert baselines.accepted(scene, scene.views[0], OURS) is not None


def test_files_that_no_view_has_are_named_and_others_are_not(tmp_path: Path) -> None:
    scene, gone = flat_scene(tmp_path, "one"), flat_scene(tmp_path, "gone")
    for one in (scene, gone):
        baselines.write(one, one.views[0], take())
    write_scene(tmp_path, "one")
    (tmp_path / "notes.png").write_bytes(b"")
    (tmp_path / "failed").mkdir()
    (tmp_path / "failed" / "one.front.actual.png").write_bytes(b"")
    found = [path.relative_to(tmp_path).as_posix() for path in baselines.unused(tmp_path, [scene])]
    assert found == ["gone/front.data.json", "gone/front.llvmpipe-avx2-25.png", "gone/front.truth.npz"]
    renamed = replace(scene, views=(replace(scene.views[0], name="back"),))
    assert len(baselines.unused(tmp_path, [renamed, gone])) == 3
