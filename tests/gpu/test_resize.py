"""The picture is as large as the window's framebuffer is: resized, minimised, on screens with several pixels a point.

The window is a pair of sizes; what the viewer does with its events is its own code.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from render.gpu import Gpu, Target
from render.gpu.present import Presenter
from render.viewer.app import App
from render.viewer.events import EventLog

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
def viewer(gpu: Gpu, tmp_path: Path) -> Iterator[Any]:
    """What of a viewer the event needs."""
    target = Target(gpu, (64, 48))
    events = EventLog(tmp_path / "events.jsonl")
    app = SimpleNamespace(_window=Window(), _gpu=gpu, _target=target, _presenter=Presenter(gpu, target), _events=events)
    yield app
    events.close()
    app._presenter.release()
    app._target.release()


def resized(app: Any, points: tuple[int, int], scale: float = 1.0) -> tuple[int, int]:
    """The picture's size after the event."""
    app._window.points, app._window.scale = points, scale
    App.on_resize(app, *points)
    app._gpu.check()
    app._target.begin()
    height, width = app._target.pixels().shape[:2]
    assert (width, height) == app._target.size
    size: tuple[int, int] = app._target.size
    return size


def test_a_picture_follows_its_window(viewer: Any) -> None:
    before = viewer._target
    assert resized(viewer, (64, 48)) == (64, 48)
    assert viewer._target is before, "nothing is made anew where nothing changed"
    assert resized(viewer, (100, 30)) == (100, 30)
    assert viewer._target.aspect == pytest.approx(100 / 30)


def test_a_minimised_window_keeps_its_last_picture(viewer: Any) -> None:
    for size in ((0, 0), (0, 48), (64, 0)):
        assert resized(viewer, size) == (64, 48)
    assert resized(viewer, (1, 1)) == (1, 1)


def test_points_of_several_pixels_are_drawn_in_pixels(viewer: Any, tmp_path: Path) -> None:
    assert resized(viewer, (64, 48), 2.0) == (128, 96), "moved to another screen, as many points large"
    assert resized(viewer, (64, 48), 1.5) == (96, 72)
    assert resized(viewer, (64, 48), 1.0) == (64, 48)
    viewer._events.shown()
    told = [json.loads(line)["px"] for line in (tmp_path / "events.jsonl").read_text("utf-8").splitlines()]
    assert told == [[128, 96], [96, 72], [64, 48]]
