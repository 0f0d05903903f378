"""What the window says about its keys: as they are bound, and three lines at first."""

from pathlib import Path

import pytest

from render.settings import Action, Keyboard
from render.settings.actions import LOOKING_BACK, MEANINGS, OVERLAY_OF, PINNING, PLAYING
from render.settings.keys import PRESETS
from render.settings.overlays import OVERLAY_TABLE
from render.viewer.display.captions import (
    LONGEST_LINE,
    LONGEST_OF_ALL,
    all_keys,
    first_lines,
    hint,
    packed,
    pins_hint,
    playback_hint,
    short_hint,
    tools_hint,
)


@pytest.mark.parametrize("preset", PRESETS)
def test_help_lists_every_action_once(preset: str) -> None:
    for recording, left_out in ((False, PLAYING.keys() - LOOKING_BACK.keys()), (True, PINNING)):
        lines = all_keys(Keyboard(preset), preset, recording)
        text = "\n".join(lines)
        assert preset in lines[0]
        entries = {action: Keyboard(preset).help_line(action, meaning) for action, meaning in MEANINGS.items()}
        listed = {action for action, entry in entries.items() if entry in text}
        assert listed == set(MEANINGS) - set(left_out) - set(OVERLAY_OF)
        assert all(f"{overlay.letter}: {overlay.name}" in text for overlay in OVERLAY_TABLE)
        assert "states (F6)" in text
        assert len(lines) <= 32, "drawn smaller it fits a window of 400 lines of pixels"
        assert all(len(line) <= LONGEST_OF_ALL + 4 for line in lines)


def test_a_first_start_shows_three_lines_and_help_is_one_of_them() -> None:
    lines = first_lines(Keyboard("azerty"), Path("/a/config.toml"))
    assert len(lines) == 3
    assert "Z Q S D, space, shift fly" in lines[0]
    assert all(len(line) <= LONGEST_LINE for line in lines)
    assert "F1 lists all keys" in lines[2]
    assert "/a/config.toml" in lines[2]


def test_hints_name_keys_as_bound() -> None:
    keyboard = Keyboard("qwerty", {Action.PICTURE: ("X",), Action.HUD: ()})
    assert "X picture" in hint(keyboard)
    assert "- numbers" in hint(keyboard)
    assert "I why a hole · " in short_hint(keyboard)
    assert "W A S D, space, shift: fly" in hint(keyboard)
    assert (
        tools_hint(keyboard, live=True)
        == "I why a hole · F7 panels · O overlays · P PgUp look back · K keep this place loaded"
    )
    assert tools_hint(keyboard, live=False) == "I why a hole · F7 panels · O overlays"
    assert pins_hint(keyboard).startswith("J keep loaded what you look at · ")
    assert playback_hint(keyboard) == (
        "P pause · , . packet · [ ] tick · - + speed · PgUp PgDn 5 s · Home End: start, end"
    )


def test_entries_lie_side_by_side_as_far_as_they_fit() -> None:
    assert packed(["a", "b", "c" * LONGEST_LINE, "d"]) == ["a  ·  b", "c" * LONGEST_LINE, "d"]
