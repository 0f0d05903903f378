"""``chunkscope test`` before anything is drawn; ``tests/golden/test_scenes.py`` runs it whole."""

from pathlib import Path

import numpy as np
import pytest

from client.player import Eye, View
from render.capture.channels import Shot
from render.cli import app
from render.cli.console import reported
from render.scene_tests import SceneFile
from render.scene_tests import suite as suites
from render.scene_tests.scene import NOTHING_ACCEPTED, SceneResult
from render.scene_tests.views import CapturedView, Renderer
from tests.support.data.scene_suites import write_scene


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["test", "."], "contains no scenes"),
        (["test", "suite", "--only", "b*"], "has no scene 'b*'"),
        (["test", "suite", "--accept", "--repeat", "3"], "--accept and --repeat exclude each other"),
        (["test", "suite", "--accept", "--report", "a.html"], "--report needs a comparison"),
        (["test", "suite", "--junit", "nowhere/a.xml"], "The folder"),
        (["test", "suite", "--only", "a", "--only", "b*"], "has no scene 'b*'"),
        (["test", "suite", "--mutate"], "No such option: --mutate"),
        (["test", "suite", "--jobs", "0"], "jobs"),
        (["test", "suite", "--part", "3/2"], "'3/2' is not a part: write K/N, K from 1 to N"),
        (["test", "suite", "--cluster", "http://127.0.0.1:1"], "is not the address of a Dask scheduler"),
        (["test", "suite", "--cluster", "tcp://127.0.0.1:1", "--jobs", "2"], "leave out --jobs and --repeat"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_scene(tmp_path / "suite", "a")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path if arguments[1] != "." else tmp_path / "empty")
    assert reported(app, arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


@pytest.mark.parametrize("accept", [False, True])
def test_results_are_told_where_their_pictures_cannot_be_written(
    accept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_scene(tmp_path, "a")
    (tmp_path / "chunkscope-failed").write_text("a file where the folder should be")
    monkeypatch.setattr("render.cli.test.compile_kernels", lambda **_: None)
    monkeypatch.setattr(suites, "run_scenes", lambda scenes, *_: [one_take(scene) for scene in scenes])
    out = tmp_path / "junit.xml"
    code = reported(app, ["test", str(tmp_path), "--junit", str(out), *(["--accept"] if accept else [])])
    said = capsys.readouterr()
    assert code == (6 if accept else 1)
    assert ("1 view accepted" if accept else "FAILED a/front: This view has no baseline yet") in said.out
    assert f"{tmp_path / 'chunkscope-failed'} cannot be written: File exists." in said.out
    assert out.exists()
    assert not said.err.count("Traceback")


def one_take(scene: SceneFile) -> SceneResult:
    shot = Shot(View(Eye(0, 0, 0)), (3, 2), None, np.zeros((2, 3, 4), np.uint8), face=np.zeros((2, 3), np.uint8))
    return SceneResult(
        scene,
        scene.views[0],
        None,
        NOTHING_ACCEPTED,
        1,
        None,
        CapturedView(shot, None, Renderer("llvmpipe-avx2", 25, "none")),
    )
