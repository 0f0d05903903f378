"""The picture is as large as the window's framebuffer is: resized, minimised, on screens with several pixels a point.

The window is a pair of sizes.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from render.gpu import Gpu
from render.viewer.window.screen import Screen
from render.viewer.window.window import Area

pytestmark = pytest.mark.gpu


class Window:
    """Its size in points, and the pixels a point has."""

    def __init__(self) -> None:
        self.points, self.scale = (64, 48), 1.0

    def get_size(self) -> tuple[int, int]:
        """In points."""
        return self.points

    def get_pixel_ratio(self) -> float:
        """Pixels a point."""
        return self.scale

    def get_framebuffer_size(self) -> tuple[int, int]:
        """In pixels."""
        return round(self.points[0] * self.scale), round(self.points[1] * self.scale)


@pytest.fixture
def screen(gpu: Gpu) -> Iterator[tuple[Screen, Window]]:
    window = Window()
    made = Screen(gpu, window)
    yield made, window
    made.release()


def resized(shown: tuple[Screen, Window], points: tuple[int, int], scale: float = 1.0) -> tuple[int, int] | None:
    """The new size that is told, once the picture has it."""
    screen, window = shown
    window.points, window.scale = points, scale
    told = screen.resize()
    screen.target.begin()
    height, width = screen.target.pixels().shape[:2]
    assert (width, height) == screen.target.size == (told or (width, height))
    return told


def test_a_picture_follows_its_window(screen: tuple[Screen, Window]) -> None:
    before = screen[0].target
    assert resized(screen, (64, 48)) is None
    assert screen[0].target is before, "nothing is made anew where nothing changed"
    assert resized(screen, (100, 30)) == (100, 30)
    assert screen[0].target.aspect == pytest.approx(100 / 30)


def test_a_picture_stays_when_its_window_is_resized(screen: tuple[Screen, Window], gpu: Gpu) -> None:
    """Nothing may be drawn for some frames after that, and a window must not turn black."""
    shown, window = screen
    halves = np.zeros((48, 64, 4), np.uint8)  # row 0 is the lowest
    halves[:24], halves[24:] = (200, 10, 30, 255), (20, 180, 90, 255)
    shown.target.colour.write(halves)
    window.points = 100, 96
    assert shown.resize() == (100, 96)
    pixels = shown.target.pixels()
    assert (pixels[:47] == halves[-1, 0]).all()
    assert (pixels[49:] == halves[0, 0]).all()
    shown.target.begin()
    assert not shown.target.pixels()[..., :3].any(), "it is what is drawn to, and read from"
    gpu.check()


def test_the_picture_is_as_large_as_what_panels_leave_of_the_window(screen: tuple[Screen, Window]) -> None:
    shown, window = screen
    window.points = 300, 200
    assert shown.resize(Area(0, 80, 200, 190)) == (200, 110)
    assert shown.target.aspect == pytest.approx(200 / 110)
    assert shown.area == Area(0, 80, 200, 190)
    assert shown.resize(Area(0, 80, 200, 190)) is None
    assert shown.resize(Area(0, 0, 20, 200)) == (300, 200), (
        "what is left is too little for a picture: it lies under panels"
    )
    assert shown.resize() is None


def test_a_minimised_window_keeps_its_last_picture(screen: tuple[Screen, Window]) -> None:
    for size in ((0, 0), (0, 48), (64, 0)):
        assert resized(screen, size) is None
        assert screen[0].target.size == (64, 48)
        assert not screen[0].extent.shown
    assert resized(screen, (1, 1)) == (1, 1)


def test_points_of_several_pixels_are_drawn_in_pixels(screen: tuple[Screen, Window]) -> None:
    assert resized(screen, (64, 48), 2.0) == (128, 96), "moved to another screen, as many points large"
    assert resized(screen, (64, 48), 1.5) == (96, 72)
    assert resized(screen, (64, 48), 1.0) == (64, 48)
