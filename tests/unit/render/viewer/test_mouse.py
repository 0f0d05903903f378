"""The mouse's wheel: a speed cannot be seen before one flies, so it is said."""

from typing import Any, cast

import pytest

from client.player import Eye, View
from render.viewer.control.camera_control import FASTEST_BLOCKS_S, Controls
from render.viewer.input import Mouse


class FakePanels:
    """Takes the wheel, or leaves it to the world."""

    def __init__(self) -> None:
        self.takes = False

    def wheel(self, _across: float, _up: float) -> bool:
        return self.takes


class Hand:
    """A mouse over a world, and what it told."""

    def __init__(self) -> None:
        self.panels, self.said, self.turns = FakePanels(), list[str](), 0
        self.controls = Controls(View(Eye(0.0, 64.0, 0.0)))
        self.mouse = Mouse(None, self.controls, cast(Any, self.panels), self._turned, self.said.append)

    def _turned(self) -> None:
        self.turns += 1


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_the_wheel_says_how_fast_one_flies_now(hand: Hand) -> None:
    hand.controls.speed_blocks_s = 12.0
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1.0)
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1000.0)
    assert hand.said == ["Flying: 15 blocks a second.", f"Flying: {FASTEST_BLOCKS_S:g} blocks a second."]
    assert hand.turns == 0


def test_what_shows_more_is_seen_and_not_said(hand: Hand) -> None:
    hand.controls.switch_ortho()
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1.0)
    assert (hand.said, hand.turns) == ([], 1)


def test_over_a_panel_and_sideways_it_says_nothing(hand: Hand) -> None:
    before = hand.controls.speed_blocks_s
    hand.mouse.on_mouse_scroll(0, 0, 1.0, 0.0)
    hand.panels.takes = True
    hand.mouse.on_mouse_scroll(0, 0, 0.0, 1.0)
    assert (hand.said, hand.controls.speed_blocks_s) == ([], before)
