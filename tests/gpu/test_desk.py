"""The desk: orders answered with real pictures; and a stranger's tests that talk to it as a process."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from render.studio_server import StudioServer, serve
from tests.support.data.stranger import stranger_environment

pytest_plugins = ("pytester",)
pytestmark = pytest.mark.gpu

SCENE = """
source = "embedded:flat"
radius = 1
view = [{name = "near", at = [4.5, 12, 4.5], look = [30, 40], size = [96, 64]}]
"""
LAMP = SCENE + '[[edits]]\nset = "minecraft:glowstone"\nat = [2, 6, 8]\n'


@pytest.fixture(scope="module")
def desk() -> Iterator[StudioServer]:
    desk = StudioServer()
    yield desk
    desk.release()


def asked(desk: StudioServer, **order: Any) -> dict[str, Any]:
    answer = desk.answer(json.dumps({"id": 1, **order}))
    json.dumps(answer, allow_nan=False)
    assert answer["id"] == 1
    return dict(answer)


def shot_of(desk: StudioServer, out: Path, **more: Any) -> dict[str, Any]:
    where: dict[str, Any] = {"source": "embedded:flat", "radius": 1, "at": [4.5, 12, 4.5], "size": [96, 64]}
    return asked(desk, order="shot", out=str(out), **{**where, **more})


def test_shots_are_pictures_and_arrays(desk: StudioServer, tmp_path: Path) -> None:
    done = shot_of(desk, tmp_path / "a.png", look=[30, 40])["done"]
    assert done["files"] == [str(tmp_path / "a.png")]
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (96, 64)
    shot_of(desk, tmp_path / "a.npz", look=[30, 40], channels=["block", "depth"])
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert file["block"].shape == file["depth"].shape == (64, 96)
        assert "minecraft:grass_block" in file["names"] or "minecraft:grass" in file["names"]


def test_what_goes_wrong_is_told_and_the_next_order_is_taken(desk: StudioServer, tmp_path: Path) -> None:
    error = shot_of(desk, tmp_path / "a.png", source=str(tmp_path / "gone.cscope"))["error"]
    assert (error["exit_code"], "gone.cscope does not exist" in error["words"]) == (6, True)
    error = shot_of(desk, tmp_path / "no" / "a.png")["error"]
    assert (error["exit_code"], str(tmp_path / "no") in error["words"]) == (6, True)
    (tmp_path / "bad.toml").write_text("sauce = 1\n")
    error = asked(desk, order="scene", path=str(tmp_path / "bad.toml"))["error"]
    assert (error["exit_code"], "did you mean 'source'" in error["words"]) == (2, True)
    assert "done" in shot_of(desk, tmp_path / "a.png")


def test_a_scene_is_accepted_passes_and_fails_when_a_block_changes(desk: StudioServer, tmp_path: Path) -> None:
    path = tmp_path / "lamp.toml"
    path.write_text(SCENE)
    order = {"order": "scene", "path": str(path), "artefacts": str(tmp_path / "failed")}
    (view,) = asked(desk, **order)["done"]["views"]
    assert (view["passed"], "--accept" in view["words"]) == (False, True)
    assert list((tmp_path / "failed").iterdir()), "of the view that nobody accepted yet"
    done = asked(desk, **order, accept=True)["done"]
    assert (done["passed"], done["files"]) == (True, []), "what is accepted did not fail"
    assert not list((tmp_path / "failed").glob("*.png"))
    assert {Path(file).name.partition(".")[0] for file in done["views"][0]["accepted"]} == {"near"}
    done = asked(desk, **order)["done"]
    assert (done["passed"], done["files"], done["views"][0]["accepted"]) == (True, [], [])
    path.write_text(LAMP)
    done = asked(desk, **order)["done"]
    outcomes = {layer["layer"]: layer["outcome"] for layer in done["views"][0]["layers"]}
    assert (done["passed"], outcomes["data"], outcomes["semantic"]) == (False, "failed", "failed")
    assert any(Path(file).name.endswith("near.actual.png") for file in done["files"])
    assert all(Path(file).is_file() for file in done["files"])
    report = Path(done["files"][-1])
    assert (report.name, "lamp/near" in report.read_text(encoding="utf-8")) == ("lamp.html", True)


def test_pictures_that_cannot_be_written_cost_no_verdict(desk: StudioServer, tmp_path: Path) -> None:
    path, place = tmp_path / "lamp.toml", tmp_path / "failed"
    path.write_text(SCENE)
    place.write_text("a file where the folder should be")
    done = asked(desk, order="scene", path=str(path), artefacts=str(place))["done"]
    assert (done["passed"], done["files"]) == (False, [])
    assert "This view has no baseline yet" in done["views"][0]["words"]
    assert done["unwritten"] == f"{place} cannot be written: File exists."


FAR = """
source = "embedded:flat"
radius = 1
timeout = 3
view = [{name = "near", at = [4.5, 12, 4.5], size = [96, 64]}, {name = "far", at = [804.5, 12, 4.5], size = [96, 64]}]
[[edits]]
drop = [50, -4, 0]
times = 100
"""


def test_a_view_that_fails_costs_no_other(desk: StudioServer, tmp_path: Path) -> None:
    path = tmp_path / "far.toml"
    path.write_text(FAR)
    done = asked(desk, order="scene", path=str(path), accept=True)["done"]
    near, far = done["views"]
    assert (done["passed"], near["passed"], far["passed"]) == (False, True, False)
    assert near["accepted"]
    assert near["warnings"] == []
    assert "outstanding: 50,-4,0" in far["words"]
    near, far = asked(desk, order="scene", path=str(path))["done"]["views"]
    assert (near["passed"], far["passed"]) == (True, False)


def test_serving_greets_and_answers_line_by_line() -> None:
    said: list[Any] = []
    serve(["", "hello\n", '{"id": 2, "order": "dance"}\n'], said.append)
    assert (said[0]["protocol"], said[0]["channels"][0]) == (1, "colour")
    assert [(answer["id"], "error" in answer) for answer in said[1:]] == [(None, True), (2, True)]


@pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts here")
def test_a_strangers_tests_accept_pass_and_fail_over_the_real_process(
    pytester: pytest.Pytester, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunkscope = Path(sys.executable).with_name("chunkscope")
    if not chunkscope.exists():
        pytest.skip("chunkscope is not installed beside this Python")
    python = stranger_environment(tmp_path_factory.mktemp("stranger"))
    for package in ("render", "client"):
        pytester.mkpydir(package)
    (pytester.path / "lamp.toml").write_text(SCENE)
    pytester.makepyfile(
        "import render, client\n"
        "def test_scene(assert_scene): assert_scene('lamp')\n"
        "def test_shot(chunkscope_shot):\n"
        "    shot = chunkscope_shot('embedded:flat', radius=1, size=(64, 48))\n"
        "    assert shot.read_bytes().startswith(b'\\x89PNG') and shot.renderer\n"
    )
    monkeypatch.setenv("CHUNKSCOPE", str(chunkscope))
    pytest_ = (python, "-m", "pytest", "-p", "no:cacheprovider")
    pytester.run(*pytest_, "--chunkscope-accept").assert_outcomes(passed=2)
    pytester.run(*pytest_).assert_outcomes(passed=2)
    (pytester.path / "lamp.toml").write_text(LAMP)
    result = pytester.run(*pytest_)
    result.assert_outcomes(passed=1, failed=1)
    said = "*lamp.toml: 1 view failed.*"
    result.stdout.fnmatch_lines([said, "Report: *lamp.html", "Pictures: *"])
