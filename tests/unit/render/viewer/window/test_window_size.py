"""One place knows the window's units and its pixels.

X11: What a display asks for, read without one.

Held keys: Keys that went up unheard, on a window that is none.

Clipboard: Wishes of panels: the way to a block, and the clipboard, which may not be there.
"""

from types import SimpleNamespace

import pytest

from client.player import Eye, View
from net.space import BlockPos
from render.viewer.control.travel import near
from render.viewer.input import copied, pasted
from render.viewer.picking import blocks_along
from render.viewer.window.window import WindowSize
from render.viewer.window.x11 import dots_of, enlarged, let_go

# ---------------------------------------------------------------- window size


@pytest.mark.parametrize(("ratio", "pixel"), [(1.0, (100.0, 150.0)), (1.25, (125.0, 187.5)), (2.0, (200.0, 300.0))])
def test_the_mouse_is_told_in_pixels_from_the_top(ratio: float, pixel: tuple[float, float]) -> None:
    extent = WindowSize((400, 200), (round(400 * ratio), round(200 * ratio)), ratio)
    assert extent.pixel(100, 50) == pixel
    assert extent.shown


def test_an_icon_shows_nothing() -> None:
    assert not WindowSize((0, 0), (0, 0), 1.0).shown
    assert WindowSize((0, 0), (0, 0), 1.0).pixel(3, 4) == (0.0, 0.0)


@pytest.mark.parametrize(("ratio", "dpi", "scale"), [(1.0, 96, 1.0), (1.0, 120, 1.25), (1.0, 192, 2.0), (2.0, 96, 2.0)])
def test_text_is_as_large_as_pixels_and_resolution_ask_for(ratio: float, dpi: int, scale: float) -> None:
    size = SimpleNamespace(get_size=lambda: (40, 30), get_framebuffer_size=lambda: (40, 30), dpi=dpi)
    size.get_pixel_ratio = lambda: ratio
    assert WindowSize.of(size).scale == scale


def test_a_window_is_small_for_its_text() -> None:
    def shown(wide: int, high: int) -> WindowSize:
        return WindowSize((wide, high), (wide, high), 1.0)

    assert not shown(1280, 720).is_small(1.0)
    assert shown(1280, 720).is_small(2.0)
    assert not shown(2560, 1440).is_small(2.0)
    assert shown(800, 700).is_small(1.0)
    assert shown(1280, 500).is_small(1.0)


# ---------------------------------------------------------------- x11

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


# ---------------------------------------------------------------- clipboard


class Clipboard:
    """A window with one."""

    def __init__(self) -> None:
        self.text = ""

    def set_clipboard_text(self, text: str) -> None:
        self.text = text

    def get_clipboard_text(self) -> str:
        return self.text


def test_one_is_taken_to_where_the_block_lies_under_the_crosshair() -> None:
    view = near(BlockPos(100, 60, -40), View(Eye(0.0, 0.0, 0.0), 33.0, 41.0))
    assert BlockPos(100, 60, -40) in blocks_along(view)
    assert (view.yaw_deg, view.pitch_deg) == (33.0, 41.0)


def test_one_is_not_taken_into_rock_where_another_way_sees_the_place() -> None:
    rock, view = 64, View(Eye(0.0, 0.0, 0.0), 33.0, -60.0)
    buried = near(BlockPos(100, 60, -40), view, lambda _at: False)
    assert (buried.yaw_deg, buried.pitch_deg) == (33.0, -60.0), "all is rock: as one looks now"
    hole = BlockPos(100, 70, -40)
    view = near(hole, view, lambda at: at.y >= rock and at.subchunk != hole.subchunk)
    assert view.eye.y > rock
    assert view.eye.block.subchunk != hole.subchunk


def test_where_no_way_sees_the_place_one_is_taken_where_least_lies_between() -> None:
    place, rock = BlockPos(104, 8, -40), 20
    view = near(place, View(Eye(0.0, 0.0, 0.0), 33.0, -60.0), lambda at: at.y >= rock)
    assert view.eye.y > rock
    assert view.pitch_deg == 75.0, "the shortest way through the rock"
    pocket = near(place, View(Eye(0.0, 0.0, 0.0), 0.0, 0.0), lambda at: at.y >= 30)
    assert pocket.eye.block.y >= 30, "not into rock, where an eye outside of it can be had"


def test_what_is_copied_can_be_pasted() -> None:
    window = Clipboard()
    assert copied(window, "twelve chars") == "Copied 12 characters."
    assert pasted(window) == "twelve chars"


def test_a_window_without_a_clipboard_says_so() -> None:
    assert copied(object(), "x").startswith("Nothing was copied: ")
    assert pasted(object()) == ""
