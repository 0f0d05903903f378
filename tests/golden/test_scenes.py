"""The project's own scenes, whole; each file's ``shows`` lists what a person must see in it."""

import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from assets import renames
from client.source import WorldFile
from net.kernels.place import is_checked
from render.capture.channels import CHANNELS
from render.scene_tests import SceneFile
from render.scene_tests.suite import format_results, open_suite, run_suite
from render.scene_tests.worker import SuitePlan, default_jobs
from tests.support.data.shared import shared_data

pytestmark = pytest.mark.golden

SCENES = Path(__file__).parent / "scenes"
LEAST_SCENES = 30
MOST_BYTES = 30 << 19


def lent(scene: SceneFile) -> bool:
    """Whether its world is one of the shared data, which may be absent."""
    return isinstance(scene.source, WorldFile) and "shared" in scene.source.path.parts


def of_a_run(scenes: Sequence[SceneFile]) -> tuple[SceneFile, ...]:
    """The first of each source, and every fifth."""
    sources = {str(scene.source): scene for scene in reversed(scenes)}
    return tuple(scene for at, scene in enumerate(scenes) if at % 5 == 0 or sources[str(scene.source)] is scene)


def test_every_scene_shows_what_was_accepted(pytestconfig: pytest.Config) -> None:
    """``./check`` runs all with the product's kernels, and some again with those that look at every index."""
    suite = open_suite(SCENES)
    scenes = tuple(scene for scene in suite.scenes if not lent(scene))
    suite = replace(
        suite, scenes=of_a_run(scenes) if is_checked() and pytestconfig.getoption("examples") < 1 else scenes
    )
    results = run_suite(suite, SuitePlan(default_jobs()))
    assert not [result.name for result in results if not result.passed], "\n".join(format_results(results, suite.bad))


def test_a_packed_world_shows_what_was_accepted() -> None:
    suite = open_suite(SCENES)
    scenes = [scene for scene in suite.scenes if lent(scene)]
    assert scenes
    found = [
        replace(scene, source=WorldFile(shared_data(f"worlds/{Path(str(scene.source)).name}"))) for scene in scenes
    ]
    results = run_suite(replace(suite, scenes=tuple(found)), SuitePlan(1))
    assert not [result.name for result in results if not result.passed], "\n".join(format_results(results, ()))


def test_there_are_enough_of_them_and_each_says_what_it_shows() -> None:
    suite = open_suite(SCENES)
    assert not suite.bad
    assert len(suite.scenes) >= LEAST_SCENES
    assert not [scene.name for scene in suite.scenes if not scene.shows]


def test_every_scene_compares_all_channels_but_those_of_overlays() -> None:
    """By day colours do not tell a level of lamp light: a mutation passed a scene that compared them alone.

    What an overlay draws is in no other channel, and the ground below it stands in other scenes.
    """
    scenes = [scene for scene in open_suite(SCENES).scenes if not scene.name.startswith("overlay_")]
    assert not [scene.name for scene in scenes if set(scene.channels) != set(CHANNELS)]


def test_no_baseline_is_left_over_and_all_are_small() -> None:
    assert not open_suite(SCENES).unused
    size = sum(
        path.stat().st_size for path in SCENES.rglob("*") if path.is_file() and "chunkscope-failed" not in path.parts
    )
    assert size < MOST_BYTES


def test_every_model_stands_in_some_scene() -> None:
    """A rule of models.toml that no scene shows could break unseen."""
    rules = tomllib.loads(resources.files("assets").joinpath("models.toml").read_text("utf-8"))["model"]
    drawn = {number for number, rule in enumerate(rules) if rule.keys() - {"names"}}
    old = renames.load()
    shown = set()
    for scene in open_suite(SCENES).scenes:
        for edit in scene.edits:
            shown.add(first_rule(rules, *old.of(edit.name.removeprefix("minecraft:"), edit.states)))
    assert drawn - shown == set()


def first_rule(rules: list[dict[str, Any]], name: str, states: Mapping[str, Any]) -> int | None:
    for number, rule in enumerate(rules):
        named = any(fnmatchcase(name, pattern) for pattern in rule["names"])
        if named and all(states.get(key, 0) in values for key, values in rule.get("where", {}).items()):
            return number
    return None
