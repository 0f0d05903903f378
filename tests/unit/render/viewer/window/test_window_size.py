"""One place knows the window's units and its pixels."""

from types import SimpleNamespace

import pytest

from render.viewer.window.window_size import Area, WindowSize


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


def test_what_lies_above_a_line_is_never_upside_down() -> None:
    area = Area(10, 20, 300, 200)
    assert area.above(0) == area
    assert area.above(80) == Area(10, 80, 300, 200)
    assert area.above(500) == Area(10, 200, 300, 200)


def test_a_window_is_small_for_its_text() -> None:
    def shown(wide: int, high: int) -> WindowSize:
        return WindowSize((wide, high), (wide, high), 1.0)

    assert not shown(1280, 720).is_small(1.0)
    assert shown(1280, 720).is_small(2.0)
    assert not shown(2560, 1440).is_small(2.0)
    assert shown(800, 700).is_small(1.0)
    assert shown(1280, 500).is_small(1.0)
