"""The panel of settings: fields by type, and what is wrong with what was typed."""

from itertools import count

import pytest
from imgui_bundle import imgui

from render.panels import settings
from render.panels.requests import Change, Wish
from render.panels.settings import Choice, SettingsState, SettingsView
from tests.support.window.panels import frame, hosted, text_of

VIEW = SettingsView(
    "/home/x/config.toml",
    (
        Choice("window", "hud", True, "numbers", True),
        Choice("camera", "speed", 12.0, "of flying", True),
        Choice("world", "light", "cpu", "who makes it", False),
        Choice("world", "packs", ("a", "b"), "packs", False),
    ),
)


def test_all_settings_stand_in_their_tables() -> None:
    text = text_of(lambda: settings.draw(VIEW, SettingsState()))
    for words in ("/home/x/config.toml", "window", "hud", "camera", "speed", "12", "cpu", "a, b"):
        assert words in text


def test_what_is_wrong_is_said_below_its_field() -> None:
    state = SettingsState(troubles={"light": "must be one of cpu, gpu, flat"})
    assert "must be one of cpu, gpu, flat" in text_of(lambda: settings.draw(VIEW, state))


def entered(typed: str, key: str, monkeypatch: pytest.MonkeyPatch) -> list[Wish]:
    """What a person wishes who goes to a field, types over it and presses Enter."""
    wishes: list[Wish] = []
    state, frames, field_of = SettingsState(), count(), settings.field_of

    def focused(choice: Choice, state: SettingsState) -> object:
        if choice.key == key and next(frames) == 3:
            imgui.set_keyboard_focus_here()
        return field_of(choice, state)

    monkeypatch.setattr(settings, "field_of", focused)
    with hosted() as host:

        def shown() -> None:
            wishes.extend(settings.draw(VIEW, state))

        for _ in range(8):
            frame(host, shown)
        host.text(typed)
        frame(host, shown)
        for down in (True, False):
            host.key("ENTER", down)
            for _ in range(3):
                frame(host, shown)
    return wishes


def test_a_number_that_is_typed_is_a_wish_with_no_more_digits_than_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert entered("0.15", "speed", monkeypatch) == [Change("speed", 0.15)]


@pytest.mark.parametrize(
    ("typed", "wish"), [("gpu", Change("light", "gpu")), ("one, two", Change("packs", ["one", "two"]))]
)
def test_a_text_and_a_list_are_wishes_at_enter(typed: str, wish: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    assert entered(typed, wish.key, monkeypatch) == [wish]


def test_a_setting_of_a_few_words_is_chosen_from_them() -> None:
    view = SettingsView("file", (Choice("world", "light", "cpu", "who makes it", False, ("cpu", "gpu", "flat")),))
    wishes: list[Wish] = []
    with hosted() as host:

        def press(*keys: str) -> None:
            for key in keys:
                for down in (True, False):
                    host.key(key, down)
                    for _ in range(3):
                        frame(host, lambda: wishes.extend(settings.draw(view, SettingsState())))

        press("TAB")
        host.focus("tried")
        press("DOWN", "SPACE", "DOWN", "SPACE")
    assert wishes == [Change("light", "gpu")]


def test_a_value_that_changes_elsewhere_is_shown() -> None:
    state = SettingsState()
    for scale in (1.0, 1.125):
        view = SettingsView("file", (Choice("window", "scale", scale, "of text", True),))
        assert f" {scale:g}" in text_of(lambda view=view: settings.draw(view, state))
