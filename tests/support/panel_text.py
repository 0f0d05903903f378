"""What a panel writes, without a context to draw in: imgui's own log of a frame."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from imgui_bundle import imgui

from render.panels.imgui_host import ImguiHost

SIZE = (900, 700)


@contextmanager
def hosted(layout: str = "") -> Iterator[ImguiHost]:
    """A host whose textures nobody draws."""
    host = ImguiHost(1.0, layout)
    try:
        yield host
    finally:
        host.close()


def frame(host: ImguiHost, draw: Callable[[], None], title: str = "tried") -> bool:
    """One frame of one panel; whether it stays open."""
    host.begin(SIZE, 1 / 60)
    imgui.set_next_window_pos(imgui.ImVec2(0, 30))
    imgui.set_next_window_size(imgui.ImVec2(800, 600))
    stays = host.panel(title, draw)
    end(host)
    return stays


def end(host: ImguiHost) -> None:
    """Ends a frame that nobody draws, textures included."""
    host.end()
    for texture in imgui.get_platform_io().textures:
        texture.set_tex_id(1)
        texture.status = imgui.ImTextureStatus.ok


def text_of(draw: Callable[[], object], frames: int = 2) -> str:
    """What it writes in the last of some frames; the first has no sizes yet."""
    copied: list[str] = []

    def logged() -> None:
        imgui.log_to_clipboard()
        draw()
        imgui.log_finish()

    with hosted() as host:
        host.clipboard(lambda: "", copied.append)
        for _ in range(frames):
            frame(host, logged)
    return copied[-1] if copied else ""
