"""When the panels of a window are listed anew, and when their triangles are drawn again."""

from collections.abc import Iterator

import numpy as np
import pytest

from render.gpu import Gpu
from render.panels.imgui_host import STIRRED_FRAMES
from render.panels.registry import PANELS
from render.viewer.display.panel_host import LISTED_EVERY_S
from render.viewer.window.window_size import WindowSize
from tests.support.window.panels import FRAME_S, MeasuredPanels

pytestmark = pytest.mark.gpu

SIZE = (640, 400)


class Counted(MeasuredPanels):
    """Counts how often panels are listed."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu, SIZE, radius=1)
        self.listed = 0
        begin = self.room.host.begin

        def counted(size_px: tuple[int, int], elapsed_s: float) -> None:
            self.listed += 1
            begin(size_px, elapsed_s)

        self.room.host.begin = counted

    def lists(self, frames: int = 1) -> int:
        """In so many frames."""
        before = self.listed
        for _ in range(frames):
            self.frame()
        return self.listed - before

    def rest(self) -> None:
        """Until only time makes them listed anew, and they just were."""
        self.lists(2 * STIRRED_FRAMES)
        while not self.lists():
            pass


@pytest.fixture
def window(gpu: Gpu) -> Iterator[Counted]:
    made = Counted(gpu)
    made.rest()
    yield made
    made.close()


def test_at_rest_they_are_listed_as_often_as_they_change(window: Counted) -> None:
    seconds = 3.0
    often = window.lists(round(seconds / FRAME_S)) / seconds
    assert 1 / (LISTED_EVERY_S + FRAME_S) - 0.5 < often < 1 / LISTED_EVERY_S + 0.5


def test_what_comes_in_is_listed_in_the_same_frame(window: Counted) -> None:
    room = window.room
    for happens in (
        lambda: room.host.moved(5.0, 5.0),
        lambda: room.host.key("A", True),
        lambda: room.switch(PANELS[0].name),
        lambda: room.resize_text(1),
        lambda: setattr(room, "scale", room.scale * 1.25),
        lambda: setattr(window, "extent", WindowSize(SIZE, SIZE, 2.0)),
        room.hide,
    ):
        happens()
        assert window.lists() >= 1
        window.rest()


def test_a_frame_between_shows_the_same_panels(window: Counted) -> None:
    listed = window.target.pixels()
    assert window.lists() == 0
    assert np.array_equal(window.target.pixels(), listed)
    assert listed[..., :3].max() > 0
