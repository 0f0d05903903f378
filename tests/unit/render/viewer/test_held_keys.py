"""Keys that went up unheard, on a window that is none."""

from types import SimpleNamespace

from render.viewer.window.x11 import let_go

W, S, F11 = 119, 115, 0xFFC8


def test_only_what_went_up_unheard_is_told_and_can_be_pressed_again() -> None:
    told: list[tuple[object, ...]] = []
    window = SimpleNamespace(pressed_keys={W, S, F11}, dispatch_event=lambda *event: told.append(event))
    let_go(window, lambda symbol: symbol == S)
    assert window.pressed_keys == {S}
    assert sorted(told) == [("on_key_release", W, 0), ("on_key_release", F11, 0)]


def test_a_window_that_believes_nothing_is_told_nothing() -> None:
    let_go(SimpleNamespace(), lambda _symbol: False)
