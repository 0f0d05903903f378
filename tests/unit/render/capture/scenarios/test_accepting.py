from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from client.player import Eye, View
from render.capture.channels import Palette, Shot
from render.scene_tests import suite as suites
from render.scene_tests.compare_data import DataTruth, Digests
from render.scene_tests.results import SceneResult
from render.scene_tests.runner import Plan
from render.scene_tests.scene import Scene
from render.scene_tests.suite import accept_suite, differences, open_suite
from render.scene_tests.views import Renderer, Take
from tests.support.scene_files import write_scene

RENDERER = Renderer("llvmpipe-avx2", 25, "none")


def take(shade: int = 10, name: str = "minecraft:stone") -> Take:
    colour = np.full((2, 3, 4), 255, np.uint8)
    colour[0, 0, 0] = shade
    palette = Palette(np.array([name]), np.array(["{}"]), np.zeros(1, np.uint32), np.zeros(0, np.uint32))
    face = np.full((2, 3), 5, np.uint8)
    return Take(Shot(View(Eye(0, 0, 0)), (3, 2), palette, colour, face=face), None, RENDERER)


def test_takes_differ_by_a_single_pixel_or_a_name() -> None:
    assert differences(take(), take()) == ()
    assert differences(take(), take(11)) == ("colour in 1 pixel",)
    assert differences(take(), take(name="minecraft:dirt")) == ("blocks have other names",)
    without = replace(take(), shot=replace(take().shot, face=None))
    assert differences(take(), without) == ("face has another shape",)


def test_takes_differ_by_a_digest_that_no_pixel_shows() -> None:
    def digests(light: int) -> DataTruth:
        parts = [Digests.of(np.array([[0, 4, 0], [1, 4, 0]]), np.array([7, of], np.uint64)) for of in (1, light, 1, 1)]
        return DataTruth(*parts)

    same, other = (replace(take(), data=digests(light)) for light in (1, 2))
    assert differences(same, replace(take(), data=digests(1))) == ()
    assert differences(same, other) == ("light in 1 place",)


def test_an_unstable_view_is_named_and_refused_and_the_others_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("even", "odd", "gone"):
        write_scene(tmp_path, name)
    orders: list[list[str]] = []

    def run(scenes: Sequence[Scene], plan: Plan, told: object) -> tuple[SceneResult, ...]:
        del told
        assert not plan.judge
        orders.append([scene.name for scene in scenes])
        shade = {"even": 10, "odd": 10 + len(orders)}
        return tuple(
            SceneResult(scene, scene.views[0], None, "absent", 3)
            if scene.name == "gone"
            else SceneResult(scene, scene.views[0], None, actual=take(shade[scene.name]))
            for scene in scenes
        )

    monkeypatch.setattr(suites, "run_scenes", run)
    accepted = accept_suite(open_suite(tmp_path), 2)
    assert orders[1] == orders[0][::-1]
    assert {result.scene.name: result.error for result in accepted.refused} == {
        "gone": "absent",
        "odd": "Two runs do not show the same, so it is not accepted: colour in 1 pixel.",
    }
    (odd,) = (result for result in accepted.refused if result.scene.name == "odd")
    assert odd.expected is not None, "the other run, to look at"
    assert list(accepted.changed) == ["even/front"]
    assert sorted(path.name for path in tmp_path.rglob("*.npz")) == ["front.truth.npz"]
    assert accept_suite(open_suite(tmp_path), 2).changed["even/front"] == ()


def test_what_cannot_be_written_is_refused_and_the_others_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        write_scene(tmp_path, name)
    (tmp_path / "b").write_text("a file where the folder should be")
    monkeypatch.setattr(
        suites,
        "run_scenes",
        lambda scenes, *_: tuple(SceneResult(scene, scene.views[0], None, actual=take()) for scene in scenes),
    )
    accepted = accept_suite(open_suite(tmp_path), 2)
    assert [result.error for result in accepted.refused] == [f"{tmp_path / 'b'} cannot be written: File exists."]
    assert list(accepted.changed) == ["a/front", "c/front"]
