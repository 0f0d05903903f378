"""Scenes that are really taken: what is done to them is in them, whatever was taken before, and nothing else is."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from client.world.lifecycle import STATE_WORDS, SubChunkState
from render.gpu import Gpu
from render.scene_tests import SceneCapture, SceneFailed, SceneFile, read_scene
from render.scene_tests.compare_data import missing_subchunks
from render.scene_tests.suite import differences
from render.scene_tests.views import CapturedView
from tests.support.data.scene_suites import flat_scene

pytestmark = pytest.mark.gpu

RECORDING = Path(__file__).parents[1] / "recordings" / "gophertunnel-486.cscope"
UNDER_THE_EYE = "[0, -4, 0]"


@pytest.fixture(scope="module")
def darkroom(context: Gpu) -> Iterator[SceneCapture]:
    room = SceneCapture(context)
    yield room
    room.release()
    assert context.leaks() == 0


def take(darkroom: SceneCapture, scene: SceneFile) -> CapturedView:
    (one,) = darkroom.takes(scene)
    return one


def shown(one: CapturedView) -> set[str]:
    assert one.shot.block is not None
    assert one.shot.palette is not None
    return {str(one.shot.palette.names[row]) for row in np.unique(one.shot.block) if row < len(one.shot.palette.names)}


def states(one: CapturedView) -> set[int]:
    assert one.shot.state is not None
    return set(np.unique(one.shot.state).tolist())


def test_a_scene_shows_the_same_whatever_was_taken_before(darkroom: SceneCapture, tmp_path: Path) -> None:
    plain = flat_scene(tmp_path, "plain")
    edited = flat_scene(tmp_path, "edited", '[[edits]]\nset = "gold_block"\nat = [0, -60, 3]\nto = [1, -59, 3]')
    other = flat_scene(tmp_path, "other", 'time = 18000\nlight = "flat"\noverlays = ["states"]')
    first = [take(darkroom, scene) for scene in (plain, edited, other)]
    again = [take(darkroom, scene) for scene in (other, edited, plain)][::-1]
    assert [differences(*pair) for pair in zip(first, again, strict=True)] == [(), (), ()]
    assert "minecraft:gold_block" in shown(first[1])
    assert "minecraft:gold_block" not in shown(first[0])


def test_a_block_that_is_none_names_the_nearest_and_the_next_scene_is_as_ever(
    darkroom: SceneCapture, tmp_path: Path
) -> None:
    edit = '[[edits]]\nset = "gold_blok"\nat = [0, -60, 3]'
    with pytest.raises(
        SceneFailed, match=r"unknown block minecraft:gold_blok \(did you mean minecraft:gold_block\?\)\.$"
    ) as caught:
        take(darkroom, flat_scene(tmp_path, "typo", edit))
    assert caught.value.exit_code == 3
    assert "minecraft:grass" in shown(take(darkroom, flat_scene(tmp_path, "plain")))


def test_a_refused_sub_chunk_is_not_shown(darkroom: SceneCapture, tmp_path: Path) -> None:
    one = take(darkroom, flat_scene(tmp_path, "refused", f"[[edits]]\nrefuse = {UNDER_THE_EYE}"))
    plain = take(darkroom, flat_scene(tmp_path, "plain"))
    assert one.data != plain.data
    assert (one.shot.cell >> 4 != [0, -4, 0]).any(axis=2).all()
    assert not (plain.shot.cell >> 4 != [0, -4, 0]).any(axis=2).all()


def test_an_ignored_sub_chunk_stays_requested_and_nobody_waits_for_it(darkroom: SceneCapture, tmp_path: Path) -> None:
    ignored = take(darkroom, flat_scene(tmp_path, "ignored", f"[[edits]]\nignore = {UNDER_THE_EYE}"))
    assert ignored.data is not None
    assert missing_subchunks(ignored.data.requests) == {STATE_WORDS[SubChunkState.REQUESTED]: 1}


def test_a_lost_answer_is_asked_again_and_changes_nothing(darkroom: SceneCapture, tmp_path: Path) -> None:
    lost = take(darkroom, flat_scene(tmp_path, "lost", f"[[edits]]\ndrop = {UNDER_THE_EYE}\ntimes = 2"))
    assert differences(lost, take(darkroom, flat_scene(tmp_path, "plain"))) == ()


def test_the_middle_of_loading_is_one_moment(darkroom: SceneCapture, tmp_path: Path) -> None:
    half = flat_scene(tmp_path, "half", "at_answer = 4\noutstanding = 6")
    first, again = take(darkroom, half), take(darkroom, half)
    assert differences(first, again) == ()
    plain = take(darkroom, flat_scene(tmp_path, "plain"))
    assert first.data is not None
    assert plain.data is not None
    assert 0 < len(first.data.storages) < len(plain.data.storages)


def recorded(folder: Path, recording: Path, more: str = "") -> SceneFile:
    path = folder / "recorded.toml"
    path.write_text(f"source = {str(recording)!r}\nradius = 3\n{more}\n[[view]]\nname = 'then'\nsize = [64, 48]\n")
    return read_scene(path, folder)


def test_a_recording_that_is_cut_short_says_so(darkroom: SceneCapture, tmp_path: Path) -> None:
    cut = tmp_path / "cut.cscope"
    cut.write_bytes(RECORDING.read_bytes()[:-400])
    with pytest.raises(SceneFailed) as caught:
        take(darkroom, recorded(tmp_path, cut, "at_time = 0.7"))
    assert caught.value.exit_code in {2, 6}
    assert "cut.cscope" in str(caught.value)


def test_damage_is_told_before_what_is_missing_because_of_it(darkroom: SceneCapture, tmp_path: Path) -> None:
    cut = tmp_path / "cut.cscope"
    cut.write_bytes(RECORDING.read_bytes()[:-400])
    with pytest.raises(SceneFailed, match=r"cut\.cscope is damaged before this moment: .* lost") as caught:
        take(darkroom, recorded(tmp_path, cut))
    assert caught.value.exit_code == 6


def test_a_recording_that_is_not_complete_says_what_is_missing_and_what_to_do(
    darkroom: SceneCapture, tmp_path: Path
) -> None:
    with pytest.raises(SceneFailed, match=r"is not complete at its end: .*; set 'at_time' to accept it") as caught:
        take(darkroom, recorded(tmp_path, RECORDING))
    assert caught.value.exit_code == 4
    assert shown(take(darkroom, recorded(tmp_path, RECORDING, "at_time = 0.69")))


def test_a_world_folder_and_a_file_that_is_not_there_are_one_sentence(darkroom: SceneCapture, tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    with pytest.raises(SceneFailed, match="is not a world: it has neither"):
        take(darkroom, recorded(tmp_path, tmp_path / "world"))
    with pytest.raises(SceneFailed, match="does not exist"):
        take(darkroom, recorded(tmp_path, tmp_path / "gone.cscope"))


def test_a_source_that_does_not_settle_is_told_at_its_time_out(darkroom: SceneCapture, tmp_path: Path) -> None:
    silent = flat_scene(tmp_path, "silent", f"timeout = 2\n[[edits]]\ndrop = {UNDER_THE_EYE}\ntimes = 100")
    with pytest.raises(SceneFailed, match=r"did not settle within 2 s: .*outstanding: 0,-4,0") as caught:
        take(darkroom, silent)
    assert caught.value.exit_code == 4
