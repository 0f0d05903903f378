"""The gate finds what a person would see, and the check that says so can fail.

``chunkscope test --mutate`` plants two hundred defects in all scenes; here are a few in three of them.
"""

from pathlib import Path

import pytest

from render.capture.mutation import CheckReport, Defect, Sight, check_suite, told_check
from render.capture.scenarios.scene import Scene
from render.capture.scenarios.suite import open_suite

pytestmark = pytest.mark.golden

SCENES = Path(__file__).parent / "scenes"
TRIED = ("lamp_cave_at_night", "stained_glass_row", "water_from_above")


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    found = [scene for scene in open_suite(SCENES).scenes if scene.name in TRIED]
    assert len(found) == len(TRIED)
    return found


def check(scenes: list[Scene], mutations: int, blind: bool = False) -> CheckReport:
    return check_suite(scenes, seed=5, mutations=mutations, blind=blind)


def test_every_defect_in_view_is_told_and_none_out_of_view_shows(scenes: list[Scene]) -> None:
    report = check(scenes, 25)
    assert report.passed, "\n".join(told_check(report))
    assert len(report.trials) == 25
    for defect in Defect:
        sights = {trial.sight for trial in report.trials if trial.wish.defect is defect}
        assert {Sight.VISIBLE, Sight.HIDDEN} <= sights, defect


def test_a_gate_that_sees_nothing_misses_every_defect_in_view(scenes: list[Scene]) -> None:
    report = check(scenes[:1], 10, blind=True)
    visible = [trial for trial in report.trials if trial.sight is Sight.VISIBLE]
    assert visible
    assert not report.passed
    assert report.missed == tuple(visible)


def test_the_same_seed_plants_the_same_defects(scenes: list[Scene]) -> None:
    first, again = check(scenes[:1], 5), check(scenes[:1], 5)
    assert first == again
