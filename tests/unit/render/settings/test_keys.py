"""Which key does what: presets without conflicts, and a person's own bindings over them.

Rebinding: Another key for an action: who loses it, what is told, and that the file keeps all else.
"""

import importlib.util
import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.errors import UsageError
from render.settings import Action, Keyboard, load
from render.settings.file import assign, default_file, write_setting
from render.settings.keys import KEY_NAMES, PRESETS, SHOWN, key_name, keys_of, next_preset, rebound, shown

# ---------------------------------------------------------------- keyboard

ARROWS = {"UP": Action.FORWARD, "DOWN": Action.BACK, "LEFT": Action.LEFT, "RIGHT": Action.RIGHT}


@pytest.mark.parametrize("preset", PRESETS)
def test_no_key_of_a_preset_does_two_things_and_every_action_has_one(preset: str) -> None:
    bound = [key for keys in keys_of(preset).values() for key in keys]
    assert len(bound) == len(set(bound))
    assert set(bound) <= KEY_NAMES
    assert {action for action in Action if not action.overlay} <= set(keys_of(preset)) <= set(Action)
    assert all(action.means for action in Action)


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
    assert keyboard.all_shown(Action.HUD) == "no key"


def test_an_overlay_without_a_key_may_be_given_one() -> None:
    assert Keyboard("qwerty").keys(Action("xray_air")) == ()
    assert Keyboard("qwerty", {Action("xray_air"): ("E",)}).action("E") is Action("xray_air")


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


# ---------------------------------------------------------------- rebinding

FREE = "F20"
names = st.sampled_from(sorted(KEY_NAMES))
bindings = st.lists(st.tuples(st.sampled_from(list(Action)), st.lists(names, max_size=3)), min_size=1, max_size=6)


@given(st.sampled_from(sorted(PRESETS)), bindings)
def test_after_any_bindings_each_action_has_the_keys_it_was_given_last(
    preset: str, bound: list[tuple[Action, list[str]]]
) -> None:
    own: dict[Action, tuple[str, ...]] = {}
    for action, keys in bound:
        before = Keyboard(preset, own)
        new = rebound(preset, own, action, keys)
        after = Keyboard(preset, new.own)
        assert set(after.keys(action)) == set(keys)
        for other in Action:
            if other is not action:
                assert set(after.keys(other)) == set(before.keys(other)) - set(keys)
        own = dict(new.own)


def test_whoever_loses_a_key_is_named_with_what_is_left() -> None:
    new = rebound("qwerty", {}, Action.WALK, ["W", FREE])
    assert new.changed == {Action.WALK: ("W", FREE), Action.FORWARD: ("UP",)}
    assert new.said == "walk: W, F20; taken from forward, which has ↑."
    assert rebound("qwerty", {}, Action.WALK, []).said == "walk: no key."


def test_a_line_of_words_changes_the_file_and_keeps_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\n[camera]\nfov = 60 # wide\n[keys]\n# hands off\nforward = ['I']\n")
    assert assign(load(file, {}), "camera.fov=90") == "camera.fov = 90"
    assert assign(load(file, {}), "keys.walk = i, PgUp") == (
        "walk: I, PgUp; taken from forward, which has no key; taken from skip_back, which has no key."
    )
    assert assign(load(file, {}), "window.size=640x400") == "window.size = 640x400"
    text = file.read_text()
    assert text.count("# mine") == text.count("# wide") == text.count("# hands off") == 1
    loaded = load(file, {})
    assert loaded.troubles == ()
    assert (loaded.settings.fov, loaded.settings.size) == (90.0, "640x400")
    assert loaded.settings.keys == {Action.FORWARD: (), Action.SKIP_BACK: (), Action.WALK: ("I", "PAGEUP")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("camera.fow=90", "Unknown setting 'camera.fow' (did you mean 'camera.fov'?)"),
        ("keys.forwards=W", "did you mean 'keys.forward'?"),
        ("camera.fov=wide", "camera.fov must be a number from 10 to 150"),
        ("keys.walk=LSHFIT", "unknown key LSHFIT (did you mean 'LSHIFT'?)"),
        ("camera.fov", "is not a setting with a value"),
    ],
)
def test_what_cannot_be_set_is_one_sentence_and_writes_nothing(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.toml"
    with pytest.raises(UsageError) as caught:
        assign(load(file, {}), text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not file.exists()


def test_the_default_file_keeps_all_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    write_setting(file, "keys", "preset", "dvorak")
    assert [line for line in default_file().splitlines() if line not in file.read_text().splitlines()] == []
