"""The gate finds what a person would see, and the check that says so can fail.

``python -m tests.mutation`` plants two hundred defects in all scenes; here are a few in three of them.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from render.gpu import Gpu
from render.scene_tests.compare import compare
from render.scene_tests.suite import open_suite
from render.scene_tests.verdict import Tolerance, Verdict
from render.scene_tests.views import CapturedView
from tests.mutation import check as mutation
from tests.mutation.check import CheckReport, Crew, check_suite, told_check
from tests.mutation.defects import Defect, Sight
from tests.mutation.program import Kind, check_program, defects

pytestmark = pytest.mark.golden

SCENES = Path(__file__).parent / "scenes"
PACKED = "resource_pack"
WET, LIT = "water_from_above", "lamp_cave_at_night"
"""Two scenes that have places for every class of defects, in view and out of it."""


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    with Crew(jobs=1) as crew:
        yield crew


def check(crew: Crew, names: tuple[str, ...], mutations: int, blind: bool = False) -> CheckReport:
    scenes = [scene for scene in open_suite(SCENES).scenes if scene.name in names]
    assert len(scenes) == len(names)
    return check_suite(scenes, crew, seed=5, mutations=mutations, blind=blind)


def test_every_defect_in_view_is_told_and_none_out_of_view_shows(crew: Crew) -> None:
    report = check(crew, (WET, LIT), 25)
    assert report.passed, "\n".join(told_check(report))
    assert len(report.trials) == 25
    for defect in Defect:
        sights = {trial.sight for trial in report.trials if trial.wish.defect is defect}
        assert {Sight.VISIBLE, Sight.HIDDEN} <= sights, defect


def test_a_gate_that_sees_nothing_misses_every_defect_in_view(crew: Crew) -> None:
    report = check(crew, (LIT,), 10, blind=True)
    visible = [trial for trial in report.trials if trial.sight is Sight.VISIBLE]
    assert visible
    assert not report.passed
    assert report.missed == tuple(visible)


def test_defects_are_planted_under_the_packs_of_a_scene(
    crew: Crew, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The gate is given what the scene shows: its accepted picture, with the checkered stone of the pack."""
    expected: list[CapturedView] = []

    def watched(before: CapturedView, after: CapturedView, tolerance: Tolerance) -> Verdict:
        expected.append(before)
        return compare(before, after, tolerance)

    monkeypatch.setattr(mutation, "compare", watched)
    assert check(crew, (PACKED,), 5).passed
    (accepted,) = (SCENES / PACKED).glob("front.*.png")
    with Image.open(accepted) as image:
        difference = np.abs(np.asarray(image.convert("RGB")).astype(int) - expected[0].shot.colour[..., :3])
    assert difference.max() <= 2, "another driver rounds otherwise; without the pack it were 100 and more"
    assert not caplog.messages, "the broken picture of its pack is told where the scene is compared"


def test_no_light_is_lowered_where_none_is_compared(crew: Crew) -> None:
    (scene,) = (scene for scene in open_suite(SCENES).scenes if scene.name == LIT)
    report = check_suite([replace(scene, channels=("colour",))], crew, seed=5, mutations=5)
    assert report.passed, "\n".join(told_check(report))
    assert report.trials
    assert Defect.DARKEN not in {trial.wish.defect for trial in report.trials}


def test_a_pack_that_cannot_be_opened_is_that_scenes_trouble(crew: Crew, tmp_path: Path) -> None:
    (scene,) = (scene for scene in open_suite(SCENES).scenes if scene.name == PACKED)
    report = check_suite([replace(scene, packs=(tmp_path,))], crew, seed=5, mutations=5)
    assert not report.passed
    assert "not a resource pack: it has neither manifest.json nor textures" in "\n".join(told_check(report))


def test_the_same_seed_plants_the_same_defects(crew: Crew) -> None:
    assert check(crew, (LIT,), 5) == check(crew, (LIT,), 5)


def test_the_program_with_a_defect_of_each_class_shows_other_pictures(context: Gpu) -> None:
    """The last one of each; ``python -m tests.mutation --program`` plants all."""
    last = {defect.kind: defect for defect in defects()}
    assert set(last) == set(Kind)
    scenes = {scene.name: scene for scene in open_suite(SCENES).scenes}
    found = list(check_program(list(last.values()), scenes, context))
    assert not [one.words for one in found if one.missed]
