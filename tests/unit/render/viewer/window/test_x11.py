"""What a display asks for, read without one.

Held keys: Keys that went up unheard, on a window that is none.
"""

from types import SimpleNamespace

import pytest

from render.viewer.window.x11 import dots_of, enlarged, let_go

# ---------------------------------------------------------------- dots


@pytest.mark.parametrize(
    ("resources", "environment", "dots"),
    [
        ("", {}, 96),
        ("Xcursor.size:\t24\nXft.dpi:\t192\nXft.antialias:\t1\n", {}, 192),
        ("Xft.dpi: 120.0", {}, 120),
        ("*Xft.dpi: 300", {}, 96),
        ("Xft.dpi: large", {}, 96),
        ("Xft.dpi: 0", {}, 48),
        ("Xft.dpi: 96000", {}, 384),
        ("", {"GDK_SCALE": "2"}, 192),
        ("", {"GDK_SCALE": "two"}, 96),
        ("Xft.dpi: 120", {"GDK_SCALE": "2"}, 120),
    ],
)
def test_dots_are_those_of_the_display_else_of_the_environment(
    resources: str, environment: dict[str, str], dots: int
) -> None:
    assert dots_of(resources, environment) == dots


def test_a_window_grows_with_its_text_and_stays_on_its_screen() -> None:
    def screen(dots: int) -> SimpleNamespace:
        return SimpleNamespace(get_dpi=lambda: dots, width=1920, height=1080)

    assert enlarged((1280, 720), screen(96)) == (1280, 720)
    assert enlarged((1280, 720), screen(48)) == (1280, 720)
    assert enlarged((1280, 720), screen(120)) == (1600, 900)
    assert enlarged((1280, 720), screen(192)) == (1920, 1080)
    assert enlarged((2560, 1440), screen(192)) == (2560, 1440), "as large as was asked for in any case"


# ---------------------------------------------------------------- held keys

W, S, F11 = 119, 115, 0xFFC8


def test_only_what_went_up_unheard_is_told_and_can_be_pressed_again() -> None:
    told: list[tuple[object, ...]] = []
    window = SimpleNamespace(pressed_keys={W, S, F11}, dispatch_event=lambda *event: told.append(event))
    let_go(window, lambda symbol: symbol == S)
    assert window.pressed_keys == {S}
    assert sorted(told) == [("on_key_release", W, 0), ("on_key_release", F11, 0)]


def test_a_window_that_believes_nothing_is_told_nothing() -> None:
    let_go(SimpleNamespace(), lambda _symbol: False)
