"""Every overlay that has a name is drawn by exactly one, has a letter of its own, an action, and a word for people."""

import numpy as np

from render.overlays.registry import REGISTRY
from render.passes.overlay.xray import XRAYS
from render.settings.actions import MEANINGS, OVERLAY_OF, Action
from render.settings.overlays import BY_LETTER, OVERLAY_TABLE, OVERLAYS, unknown_overlay
from tests.support.overlay_facts import given_facts


def test_every_name_has_marks_or_a_legend_and_nothing_without_a_name_has() -> None:
    assert set(REGISTRY) == set(OVERLAYS)
    assert [name for name in XRAYS if not REGISTRY[name].make(given_facts(np.zeros((0, 3)))).legend] == []


def test_every_overlay_has_a_letter_of_its_own_and_an_action() -> None:
    assert len(BY_LETTER) == len(OVERLAY_TABLE)
    assert all(len(letter) == 1 and letter.isascii() and letter.isalnum() for letter in BY_LETTER)
    assert {action.value: name for action, name in OVERLAY_OF.items()} == {
        name.replace("-", "_"): name for name in OVERLAYS
    }
    assert all(MEANINGS[action] for action in OVERLAY_OF)
    assert Action.STATES in OVERLAY_OF


def test_an_unknown_name_gets_the_nearest() -> None:
    assert "(did you mean 'states'?)" in unknown_overlay("stats")
    assert all(name in unknown_overlay("?") for name in OVERLAYS)
