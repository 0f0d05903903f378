"""Panels in tests: the text of one without a GL context, from imgui's log of a frame, and the cost of all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import thread_time
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from imgui_bundle import imgui

from client.options import Options
from client.session.config import SessionConfig
from render.gpu import Gpu, Target
from render.gpu.timers import GlClock
from render.jobs.workers import SyncRunner
from render.panels.find import FindView
from render.panels.imgui_host import ImguiHost
from render.panels.panel import Sky
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.settings import Settings
from render.viewer.control.camera_control import Controls
from render.viewer.control.timeline import Timeline
from render.viewer.display.packet_list import PacketLists
from render.viewer.display.panel_host import PanelHost
from render.viewer.frame_times import PaceMeter, Stages
from render.viewer.preferences import Preferences
from render.viewer.window.window import WindowSize
from render.viewer.window_options import WindowOptions
from tests.support.session.virtual import SWIFT, VirtualSession

# ---------------------------------------------------------------- panel text

SIZE = (900, 700)


@contextmanager
def hosted(layout: str = "") -> Iterator[ImguiHost]:
    """An imgui host without a GL context."""
    host = ImguiHost(1.0, layout)
    try:
        yield host
    finally:
        host.close()


def frame(host: ImguiHost, draw: Callable[[], None], title: str = "tried") -> bool:
    """Runs a frame with one panel; returns whether the panel stays open."""
    host.begin(SIZE, 1 / 60)
    imgui.set_next_window_pos(imgui.ImVec2(0, 30))
    imgui.set_next_window_size(imgui.ImVec2(800, 600))
    stays = host.panel(title, draw)
    end(host)
    return stays


def end(host: ImguiHost) -> None:
    """Ends a frame without drawing it or its textures."""
    host.end()
    for texture in imgui.get_platform_io().textures:
        texture.set_tex_id(1)
        texture.status = imgui.ImTextureStatus.ok


def click_last(draw: Callable[[], object]) -> None:
    """Draws some frames and clicks on the end of the last thing that the panel has drawn."""
    at: list[imgui.ImVec2] = []

    def drawn() -> None:
        imgui.begin_group()
        draw()
        imgui.end_group()
        at.append(imgui.get_item_rect_max())

    with hosted() as host:
        for _ in range(3):
            frame(host, drawn)
        host.moved(at[-1].x - 20, at[-1].y - 5)
        for down in (True, False):
            host.button(0, down)
            for _ in range(2):
                frame(host, drawn)


def text_of(draw: Callable[[], object], frames: int = 2) -> str:
    """The text of the last of some frames; in the first one sizes are not known yet."""
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


# ---------------------------------------------------------------- measured panels

RADIUS: Final = 12
FRAME_S: Final = 1 / 60
REST_TURNS: Final = 200
"""Turns of the session, 10 ms each, after which the last answers no longer flash (``overlays.waves``)."""
ROUNDS: Final = 30


class MeasuredPanels:
    """The panels of a settled world without a window."""

    def __init__(self, gpu: Gpu, size_px: tuple[int, int], radius: int = RADIUS) -> None:
        session = VirtualSession("hills:1", config=SessionConfig(radius=radius, player=SWIFT))
        self.connection = session.connection(Options(light=False, radius=radius))
        assert self.connection.wait_settled(600)
        for _ in range(REST_TURNS):
            session.turn()
        self.gpu, self.runner, store = gpu, SyncRunner(), session.session.dimension.store
        config = SceneConfig(upload_bytes=None, radius_columns=radius)
        self.scene = Scene(gpu, BlockAppearance(store.table), self.runner, config)
        self.scene.attach(store, session.session.dimension.light, session.session.anchors)
        assert self.scene.settle((0.0, 80.0, 0.0))
        self.target = Target(gpu, size_px)
        self.extent = WindowSize(size_px, size_px, 1.0)
        self.overlays = {"states"}
        self.state: Any = SimpleNamespace(
            window=None,
            gpu=gpu,
            settings=WindowOptions(),
            preferences=Preferences(Settings(), None),
            controls=Controls(session.session.movement.view),
            pacer=PaceMeter(),
            stages=Stages(),
            overlays=SimpleNamespace(on=self.overlays),
            captions=SimpleNamespace(kept=()),
            sky=Sky(None, None),
            found=FindView(),
        )
        timeline = Timeline(self.connection, Path())
        world = SimpleNamespace(connection=self.connection, scene=self.scene, timeline=timeline)
        self.session: Any = SimpleNamespace(world=world, packets=PacketLists(self.connection))
        self.room = PanelHost(self.state, self.session, self.extent)
        self.known = self.connection.statistics()
        self.now = 1000.0

    def frame(self) -> None:
        """Draws a frame of panels alone, at 60 frames a second."""
        self.now += FRAME_S
        self.target.begin()
        self.panels_frame()

    def panels_frame(self) -> None:
        """Draws panels over the content of the target."""
        self.state.pacer.frame(self.now, self.now + 0.005, 0, 0)
        self.room.frame(self.known, self.now, FRAME_S, self.extent)

    def costs_ms(self, names: set[str], frames: int) -> list[float]:
        """Processor milliseconds without GL, of each of ``frames`` frames with these panels open."""
        self.room.opened = names
        for _ in range(10):
            self.frame()
        costs = []
        with GlClock(self.gpu) as gl:
            for _ in range(frames):
                before = thread_time() - gl.processor_s
                self.frame()
                costs.append(1e3 * (thread_time() - gl.processor_s - before))
        return costs

    def close(self) -> None:
        """Releases everything."""
        self.room.close()
        self.scene.release()
        self.target.release()
        self.runner.close()


def sorting_ms() -> float:
    """Median processor milliseconds of the reference, a sort of 100,000 numbers."""
    numbers, costs = np.random.default_rng(1).random(100_000), []
    for _ in range(ROUNDS):
        start = thread_time()
        np.argsort(numbers, kind="stable")
        costs.append(1e3 * (thread_time() - start))
    return median(costs)
