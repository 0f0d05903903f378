"""Pictures of what failed: those of this run, and of no earlier one."""

import errno
import json
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PIL import Image

from client.player import Eye, View
from client.source import Embedded
from render.capture.channels import NO_BLOCK, NO_CELL, Shot, ShotPalette
from render.scene_tests import baselines
from render.scene_tests.artefacts import AMPLIFIED, write_artefacts, write_junit, write_unstable
from render.scene_tests.baselines import BadBaseline, compacted, packed, unpacked
from render.scene_tests.compare_data import DataTruth, Digests
from render.scene_tests.scene import BadScene, SceneFile, SceneResult, SceneView
from render.scene_tests.scene_file import read_scene
from render.scene_tests.suite import accept_view, judged
from render.scene_tests.verdict import Layer, LayerOutcome, Verdict
from render.scene_tests.views import CapturedView, Renderer
from tests.support.data.scene_suites import flat_scene, write_scene

# ---------------------------------------------------------------- baselines

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


def test_a_failure_says_that_the_scene_file_has_changed_since(tmp_path: Path) -> None:
    scene = replace(flat_scene(tmp_path, "one"), digest="one")
    (view,) = scene.views
    baselines.write(scene, view, take())
    edited = replace(scene, digest="another")
    failed = judged(edited, view, take(shade=11))
    assert not failed.passed
    cause = "likely cause: the scene file has changed since this view was accepted, and the received world is the same"
    assert failed.words.splitlines()[-1].startswith(cause)
    assert "has changed" not in judged(scene, view, take(shade=11)).words
    assert "has changed" not in judged(edited, view, take()).words
    old = json.loads(baselines.data_path(scene, view).read_text())
    del old["scene"]  # as files were before
    baselines.data_path(scene, view).write_text(json.dumps(old))
    assert "has changed" not in judged(edited, view, take(shade=11)).words


def test_comments_and_layout_of_a_scene_file_do_not_count(tmp_path: Path) -> None:
    path = flat_scene(tmp_path, "one").path
    before = read_scene(path, tmp_path).digest
    path.write_text("# a comment\n\n" + path.read_text())
    assert read_scene(path, tmp_path).digest == before != ""
    path.write_text(path.read_text().replace("radius = 1", "radius = 3"))
    assert read_scene(path, tmp_path).digest != before


MODULE = "render.scene_tests.baselines"


@pytest.mark.parametrize("writer", [f"{MODULE}.write_npz", "pathlib.Path.write_bytes", f"{MODULE}.write_png"])
def test_where_there_is_no_room_all_that_was_accepted_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    scene = flat_scene(tmp_path, "one")
    (view,) = scene.views
    baselines.write(scene, view, take())
    before = {path: path.read_bytes() for path in scene.folder.iterdir()}
    other = replace(take(shade=11), data=DataTruth(*(digests(part + 7) for part in range(4))))
    other = replace(other, shot=replace(other.shot, face=np.full((2, 3), 4, np.uint8)))

    def full(path: Path, *_: object, **_options: object) -> None:
        with path.open("wb") as file:
            file.write(b"the beginning of")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(writer, full)
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
    (tmp_path / "chunkscope-failed").mkdir()
    (tmp_path / "chunkscope-failed" / "one.front.actual.png").write_bytes(b"")
    found = [path.relative_to(tmp_path).as_posix() for path in baselines.unused(tmp_path, [scene])]
    assert found == ["gone/front.data.json", "gone/front.llvmpipe-avx2-25.png", "gone/front.truth.npz"]
    renamed = replace(scene, views=(replace(scene.views[0], name="back"),))
    assert len(baselines.unused(tmp_path, [renamed, gone])) == 3


# ---------------------------------------------------------------- compact

SIZE = (7, 5)
STATES = 40


@st.composite
def shots(draw: st.DrawFn) -> Shot:
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = SIZE[::-1]
    eye = Eye(*(draw(st.floats(-3e7, 3e7)) for _ in range(3)))
    nothing = chance.random(shape) < 0.3
    block = np.where(nothing, NO_BLOCK, chance.integers(0, STATES, shape)).astype(np.uint32)
    mirror = block if draw(st.booleans()) else np.where(nothing, NO_BLOCK, 3).astype(np.uint32)
    near = chance.integers(-2000, 2000, (*shape, 3)) + np.floor(np.array(eye)).astype(np.int64)
    palette = ShotPalette(
        np.array([f"minecraft:{number}" for number in range(STATES)]),
        np.array(["{}"] * STATES),
        np.arange(STATES, dtype=np.uint32),
        np.arange(STATES, dtype=np.uint32),
    )
    return Shot(
        View(eye, 10.0, -20.0, 70.0),
        SIZE,
        palette,
        depth=np.where(nothing, np.inf, chance.random(shape) * 900).astype(np.float32),
        block=block,
        face=chance.integers(0, 7, shape).astype(np.uint8),
        light=chance.integers(0, 1 << 16, shape).astype(np.uint16),
        state=chance.integers(0, 10, shape).astype(np.uint8),
        cell=np.where(nothing[..., None], NO_CELL, near).astype(np.int32),
        mirror=mirror,
    )


def names(shot: Shot, channel: str) -> np.ndarray:
    assert shot.palette is not None
    rows = getattr(shot, channel)
    return np.where(rows == NO_BLOCK, "", shot.palette.names[np.where(rows == NO_BLOCK, 0, rows)])


@given(shots())
def test_a_packed_shot_comes_back_but_for_the_last_bits_of_depths(shot: Shot) -> None:
    back = unpacked(packed(shot))
    assert back.view == shot.view
    assert back.size_px == shot.size_px
    for name in ("face", "light", "state", "cell"):
        np.testing.assert_array_equal(getattr(back, name), getattr(shot, name))
    for name in ("block", "mirror"):
        np.testing.assert_array_equal(names(back, name), names(shot, name))
    np.testing.assert_allclose(back.depth, shot.depth, rtol=1 / 1024, atol=1e-6)


@given(shots())
def test_a_compacted_shot_shows_the_same_states_with_no_others_in_its_palette(shot: Shot) -> None:
    small = compacted(shot)
    assert small.palette is not None
    for name in ("block", "mirror"):
        np.testing.assert_array_equal(names(small, name), names(shot, name))
    shown = {name for channel in ("block", "mirror") for name in names(shot, channel).ravel() if name}
    assert set(small.palette.names.tolist()) == shown


@given(shots())
def test_channels_that_were_not_taken_stay_away(shot: Shot) -> None:
    one = replace(shot, palette=None, block=None, mirror=None, depth=None, cell=None)
    assert set(unpacked(packed(one)).arrays) == {"face", "light", "state"}


def test_something_else_is_no_shot() -> None:
    with pytest.raises(ValueError, match="not a shot"):
        unpacked({"size": np.array([1, 2])})
    with pytest.raises(ValueError, match="not 2 x 1"):
        unpacked({"size": np.array([1, 2]), "view": np.zeros(6), "face": np.zeros((3, 3), np.uint8)})


# ---------------------------------------------------------------- artefacts

FAILED = Verdict((Layer("colour", LayerOutcome.FAILED, "2 pixels differ.", {}),))
PASSED = Verdict((Layer("colour", LayerOutcome.PASSED, "the same", {}),))


def take_artefacts(shade: int, width: int = 3) -> CapturedView:
    colour = np.full((2, width, 4), shade, np.uint8)
    return CapturedView(Shot(View(Eye(0, 0, 0)), (width, 2), None, colour), None, Renderer("llvmpipe-avx2", 25, "none"))


@pytest.mark.parametrize("name", ["a", "deep/a"])
def test_what_failed_is_shown_and_is_gone_when_it_passes(tmp_path: Path, name: str) -> None:
    scene, folder = flat_scene(tmp_path, name), tmp_path / "failed"
    failed = SceneResult(scene, scene.views[0], FAILED, expected=take_artefacts(10), actual=take_artefacts(12))
    written = write_artefacts(folder, [failed])
    stem = f"{name.replace('/', '.')}.front"
    assert [path.name for path in written] == [f"{stem}.{kind}.png" for kind in ("actual", "expected", "difference")]
    assert sorted(folder.iterdir()) == sorted(written)
    (folder / "other.front.actual.png").write_bytes(b"of another scene")
    assert write_artefacts(folder, [SceneResult(scene, scene.views[0], PASSED)]) == ()
    assert [path.name for path in folder.iterdir()] == ["other.front.actual.png"]


def test_a_difference_is_amplified_and_needs_two_of_one_size(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "a")
    written = write_artefacts(
        tmp_path, [SceneResult(scene, scene.views[0], FAILED, "", 0, take_artefacts(10), take_artefacts(12))]
    )
    with Image.open(written[2]) as image:
        assert image.getpixel((0, 0)) == (2 * AMPLIFIED,) * 3
    written = write_artefacts(
        tmp_path, [SceneResult(scene, scene.views[0], FAILED, "", 0, take_artefacts(10, 4), take_artefacts(12))]
    )
    assert [path.name for path in written] == ["a.front.actual.png", "a.front.expected.png"]
    assert not (tmp_path / "a.front.difference.png").exists()


def test_where_nothing_failed_no_folder_is_made(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "a")
    assert write_artefacts(tmp_path / "failed", [SceneResult(scene, scene.views[0], PASSED)]) == ()
    assert not (tmp_path / "failed").exists()


def test_what_two_runs_showed_of_an_unstable_view_is_there_until_it_is_accepted(tmp_path: Path) -> None:
    scene = flat_scene(tmp_path, "a")
    view, folder = scene.views[0], tmp_path / "failed"
    write_artefacts(folder, [SceneResult(scene, view, FAILED, expected=take_artefacts(10), actual=take_artefacts(12))])
    written = write_unstable(
        folder, [SceneResult(scene, view, None, "Not the same.", 1, take_artefacts(12), take_artefacts(10))]
    )
    assert [path.name for path in written] == [f"a.front.{kind}.png" for kind in ("first", "second", "difference")]
    assert sorted(folder.iterdir()) == sorted(written)
    with Image.open(written[1]) as second:
        assert second.getpixel((0, 0)) == (12,) * 3
    assert write_unstable(folder, [SceneResult(scene, view, None, actual=take_artefacts(10))]) == ()
    assert list(folder.iterdir()) == []


# ---------------------------------------------------------------- junit

VIEW = SceneView("front")
SCENE = SceneFile(Path("caves.toml"), "deep/caves", Embedded("flat", 1), (VIEW,))
JUNIT_PASSED = Verdict((Layer("data", LayerOutcome.PASSED, "same", {}),))
JUNIT_FAILED = Verdict(
    (Layer("data", LayerOutcome.PASSED, "same", {}), Layer("colour", LayerOutcome.FAILED, 'so <&> "\x00" so', {}))
)


@pytest.fixture
def root(tmp_path: Path) -> ElementTree.Element:
    mistake = BadScene("x.toml, line 1: unknown key 'a'")
    mistake.place = "x.toml"
    results = (
        SceneResult(SCENE, VIEW, JUNIT_PASSED, seconds=1.25),
        SceneResult(SCENE, VIEW, JUNIT_FAILED, seconds=0.5),
        SceneResult(SCENE, VIEW, None, "it did not settle", 4, warnings=("a.png: no picture",)),
    )
    write_junit(tmp_path / "all.xml", results, (mistake,))
    return ElementTree.parse(tmp_path / "all.xml").getroot()


def test_the_document_has_the_form_that_readers_check(root: ElementTree.Element) -> None:
    assert root.tag == "testsuites"
    assert [child.tag for child in root] == ["testsuite"]
    for element in (root, root[0]):
        numbers = {name: element.attrib[name] for name in ("tests", "failures", "errors", "skipped", "time")}
        assert numbers == {"tests": "4", "failures": "1", "errors": "2", "skipped": "0", "time": "1.750"}
    for case in root.iter("testcase"):
        assert {"classname", "name", "time"} <= case.attrib.keys()
        assert len([child for child in case if child.tag in ("failure", "error", "skipped")]) <= 1
        assert {child.tag for child in case} <= {"failure", "error", "skipped", "system-out", "system-err"}


def test_a_view_is_a_case_of_its_scene_and_tells_every_layer(root: ElementTree.Element) -> None:
    first, second, third, fourth = root.iter("testcase")
    assert (first.attrib["classname"], first.attrib["name"], first.attrib["time"]) == ("deep/caves", "front", "1.250")
    assert first.findtext("system-out") == "data: passed: same"
    failure = second.find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "colour"
    assert 'so <&> "\ufffd" so' in failure.attrib["message"]
    assert third.findtext("system-out") == "warning: a.png: no picture"
    assert third.find("error").attrib["message"] == "it did not settle"
    assert fourth.attrib["name"] == "x.toml"
