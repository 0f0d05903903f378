"""Each shape that the table of models knows stands in a golden scene."""

import tomllib
from itertools import islice
from pathlib import Path

from assets import models, renames

SCENES = Path(__file__).parent / "scenes"


def test_each_rule_of_the_models_stands_in_a_scene() -> None:
    rules = models.load().rules
    shown = set()
    for file in SCENES.glob("*.toml"):
        for edit in tomllib.loads(file.read_text("utf-8")).get("edits", ()):
            if "set" in edit:
                name, states = renames.load().of(edit["set"], edit.get("states", {}))
                of_name = (k for k, rule in enumerate(rules) if rule.names.fullmatch(name) and rule.fits(states))
                shown |= {*islice(of_name, 1)}
    without = [rule.entry["names"] for k, rule in enumerate(rules) if k not in shown and rule.draws]
    assert not without, "no golden scene shows these"
