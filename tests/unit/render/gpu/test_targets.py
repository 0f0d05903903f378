"""What is drawn over a picture goes to a window of the picture's size, whatever size the window was opened with."""

from types import SimpleNamespace
from typing import Any, cast

from render.gpu.targets import Presenter


def test_the_window_is_left_with_the_size_of_the_picture() -> None:
    used: list[tuple[int, ...]] = []
    screen = SimpleNamespace(viewport=(0, 0, 640, 400))
    screen.use = lambda: used.append(screen.viewport)
    copied = SimpleNamespace()
    context = SimpleNamespace(screen=screen, framebuffer=lambda _: copied, copy_framebuffer=lambda *_: None)
    target: Any = SimpleNamespace(colour=None, size=(1280, 800))
    Presenter(cast(Any, SimpleNamespace(ctx=context)), target).present()
    assert used == [(0, 0, 1280, 800)]
    assert copied.label
