"""Every overlay that has a name is drawn by exactly one, has a letter of its own, an action, and a word for people."""

from render.overlays.registry import REGISTRY
from render.passes.xray import XRAYS
from render.settings.actions import MEANINGS, OVERLAY_OF, Action
from render.settings.overlays import BY_LETTER, OVERLAY_TABLE, OVERLAYS, unknown_overlay

PASSES = set(XRAYS)
"""Overlays that are a pass of their own."""


def test_every_name_is_drawn_and_nothing_without_a_name() -> None:
    assert set(REGISTRY) | PASSES == set(OVERLAYS)
    assert not set(REGISTRY) & PASSES


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
