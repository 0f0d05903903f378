"""Which key does what: presets without conflicts, and a person's own bindings over them."""

import importlib.util
import runpy
from pathlib import Path

import pytest

from render.settings import Action, Keyboard
from render.settings.actions import MEANINGS, OVERLAY_OF
from render.settings.keys import KEY_NAMES, PRESETS, SHOWN, key_name, next_preset, shown

ARROWS = {"UP": Action.FORWARD, "DOWN": Action.BACK, "LEFT": Action.LEFT, "RIGHT": Action.RIGHT}


@pytest.mark.parametrize("preset", PRESETS)
def test_no_key_of_a_preset_does_two_things_and_every_action_has_one(preset: str) -> None:
    bound = [key for keys in PRESETS[preset].values() for key in keys]
    assert len(bound) == len(set(bound))
    assert set(bound) <= KEY_NAMES
    assert set(Action) - set(OVERLAY_OF) <= set(PRESETS[preset]) <= set(Action) == set(MEANINGS)
    assert all(PRESETS[preset].values())


@pytest.mark.parametrize("preset", PRESETS)
def test_arrows_always_fly(preset: str) -> None:
    assert {key: Keyboard(preset).action(key) for key in ARROWS} == ARROWS


def test_flying_keys_lie_where_the_layout_has_them() -> None:
    flying = (Action.FORWARD, Action.LEFT, Action.BACK, Action.RIGHT)
    rows = {name: Keyboard(name).row(flying) for name in PRESETS}
    assert rows == {
        "qwerty": "W A S D",
        "azerty": "Z Q S D",
        "dvorak": ", A O E",
        "colemak": "W A R S",
        "left-handed": "I J K L",
    }


def test_an_own_binding_takes_the_key_from_whatever_had_it() -> None:
    keyboard = Keyboard("qwerty", {Action.HELP: ("K", "F1"), Action.HUD: ()})
    assert keyboard.action("K") is Action.HELP
    assert keyboard.keys(Action.PIN_HERE) == ()
    assert keyboard.keys(Action.HELP) == ("K", "F1")
    assert keyboard.action("F3") is None
    assert keyboard.help_line(Action.HUD, "numbers") == "no key: numbers"


def test_an_overlay_without_a_key_may_be_given_one() -> None:
    assert Keyboard("qwerty").keys(Action.XRAY_AIR) == ()
    assert Keyboard("qwerty", {Action.XRAY_AIR: ("E",)}).action("E") is Action.XRAY_AIR


def test_own_bindings_hold_in_every_preset() -> None:
    own = {Action.FORWARD: ("E",)}
    for preset in PRESETS:
        keyboard = Keyboard(preset, own)
        assert keyboard.action("E") is Action.FORWARD
        assert keyboard.keys(Action.FORWARD) == ("E",)


def test_presets_go_round() -> None:
    seen, name = [], "qwerty"
    for _ in PRESETS:
        name = next_preset(name)
        seen.append(name)
    assert sorted(seen) == sorted(PRESETS)
    assert seen[-1] == "qwerty"


@pytest.mark.parametrize(
    ("text", "name"),
    [("w", "W"), ("8", "_8"), (",", "COMMA"), ("PgUp", "PAGEUP"), ("lshift", "LSHIFT"), (" f1 ", "F1")],
)
def test_keys_are_named_as_people_do(text: str, name: str) -> None:
    assert key_name(text) == name
    assert name in KEY_NAMES


def test_every_shown_name_reads_back() -> None:
    assert set(SHOWN) <= KEY_NAMES
    assert all(key_name(shown(key)) == key for key in KEY_NAMES if not key.startswith("NUM_"))


def test_pyglet_knows_every_key() -> None:
    place = importlib.util.find_spec("pyglet")
    assert place is not None
    assert place.origin is not None
    # its package asks for a display when it is imported; the table of keys needs none
    key = runpy.run_path(str(Path(place.origin).parent / "window" / "key.py"))
    assert [name for name in sorted(KEY_NAMES) if name not in key] == []
    spoken = {name: key["symbol_string"](key[name]) for name in KEY_NAMES}
    assert {name: text for name, text in spoken.items() if name != text} == {}


def test_digits_are_chosen_by_the_keypad_and_on_a_french_keyboard_by_its_row() -> None:
    row = ["AMPERSAND", "user_key(b)", "DOUBLEQUOTE", "APOSTROPHE", "PARENLEFT", "MINUS", "user_key(10)", "UNDERSCORE"]
    digits = [f"_{digit}" for digit in (1, 2, 3, 4, 5, 6, 7, 8, 9, 0)]
    french, english = Keyboard("azerty"), Keyboard()
    assert [french.choice(key) for key in (*row, "user_key(12)", "user_key(13)")] == digits
    assert [english.choice(key) for key in (*row, "A", "_1")] == [*row, "A", "_1"]
    assert english.choice("NUM_7") == french.choice("NUM_7") == "_7"
    assert french.action("MINUS") is Action.SLOWER, "where nothing is chosen it does what it does"
