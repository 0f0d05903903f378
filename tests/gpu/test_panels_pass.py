"""The pass that draws what imgui lists.

Panels listed: When the panels of a window are listed anew, and when their triangles are drawn again.

The window finds what has no light and no mesh by itself.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from imgui_bundle import imgui

from net.space import ColumnPos
from render.gpu import Gpu, Target
from render.panels import slice_map
from render.panels.hud import HudView
from render.panels.imgui_host import STIRRED_FRAMES, ImguiHost
from render.panels.panel import all_panels
from render.panels.slice_map import NOTHING, Ring, RingKind, SliceState, SliceView
from render.passes.imgui import PanelsPass
from render.viewer.display.interface import Interface
from render.viewer.display.panel_data import PanelFrame, PanelViews
from render.viewer.display.panel_host import LISTED_EVERY_S
from render.viewer.window.window import Area, WindowSize
from tests.support.window.panels import FRAME_S, MeasuredPanels

# ---------------------------------------------------------------- panels pass

pytestmark = pytest.mark.gpu

SIZE = (320, 200)


@pytest.fixture
def drawn(gpu: Gpu) -> Iterator[tuple[ImguiHost, PanelsPass, Target]]:
    host, target = ImguiHost(), Target(gpu, SIZE)
    pass_ = PanelsPass(gpu)
    yield host, pass_, target
    pass_.release()
    host.close()
    target.release()


def show(drawn: tuple[ImguiHost, PanelsPass, Target], size: float = 64.0) -> np.ndarray:
    """A window with a picture in it, at a place that is known."""
    host, pass_, target = drawn
    checks = np.zeros((4, 4, 4), np.uint8)
    checks[..., 3] = 255
    checks[::2, ::2, 0] = 200
    name = pass_.picture("checks", checks)
    host.begin(SIZE, 1 / 60)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0, 0))
    imgui.set_next_window_pos(imgui.ImVec2(16, 24))
    imgui.set_next_window_size(imgui.ImVec2(100, 120))
    imgui.begin("tried", None, imgui.WindowFlags_.no_decoration)
    imgui.image(imgui.ImTextureRef(name), imgui.ImVec2(size, size))
    imgui.text("words")
    imgui.end()
    imgui.pop_style_var()
    target.begin()
    pass_.draw(host.end(), SIZE)
    return target.pixels()


def test_a_picture_is_shown_texel_by_texel_at_its_place(drawn: tuple[ImguiHost, PanelsPass, Target]) -> None:
    show(drawn)
    pixels = show(drawn)
    texels = pixels[24 + 8 : 24 + 64 : 16, 16 + 8 : 16 + 64 : 16, 0]
    assert texels.tolist() == [[200, 0, 200, 0], [0, 0, 0, 0]] * 2


def test_what_does_not_fit_its_window_is_cut_off(drawn: tuple[ImguiHost, PanelsPass, Target]) -> None:
    show(drawn, 400.0)
    pixels = show(drawn, 400.0)
    assert pixels[:, 116:].max(axis=(0, 1)).tolist() == [0, 0, 0, 255]
    assert pixels[24:140, 16:110, 0].max() == 200


def test_text_brings_its_texture_and_nothing_is_left_bound(
    drawn: tuple[ImguiHost, PanelsPass, Target], gpu: Gpu
) -> None:
    show(drawn)
    pixels = show(drawn)
    assert pixels[24 + 64 : 24 + 84, 16:60].min(axis=2).max() > 150, "white letters"
    gpu.check()
    assert gpu.ctx.fbo.scissor == (0, 0, *SIZE)


def test_a_picture_of_another_size_takes_the_place_of_the_one_before(
    drawn: tuple[ImguiHost, PanelsPass, Target],
) -> None:
    pass_ = drawn[1]
    first = pass_.picture("one", np.zeros((8, 8, 4), np.uint8))
    assert pass_.picture("one", np.zeros((8, 8, 4), np.uint8)) == first
    assert pass_.picture("one", np.zeros((8, 16, 4), np.uint8)) != first
    assert pass_.picture("two", np.zeros((8, 8, 4), np.uint8)) != first


def test_larger_lists_than_the_buffers_hold_make_them_grow(drawn: tuple[ImguiHost, PanelsPass, Target]) -> None:
    host, pass_, target = drawn
    for _ in range(2):
        host.begin(SIZE, 1 / 60)
        imgui.begin("many")
        draws = imgui.get_foreground_draw_list()
        for index in range(20_000):
            draws.add_rect_filled(imgui.ImVec2(index % 320, 0), imgui.ImVec2(index % 320 + 1, 200), 0xFF00FF00)
        imgui.end()
        target.begin()
        pass_.draw(host.end(), SIZE)
    assert (target.pixels()[:, :, 1] == 255).mean() > 0.95


def test_what_was_drawn_is_drawn_again_without_lists(drawn: tuple[ImguiHost, PanelsPass, Target]) -> None:
    _, pass_, target = drawn
    show(drawn)
    pixels = show(drawn)
    target.begin()
    draws = pass_.draw_again(SIZE)
    assert draws > 0
    assert np.array_equal(target.pixels(), pixels)


def test_an_interface_that_is_closed_leaves_no_freed_context_current(gpu: Gpu) -> None:
    """It would go on in memory that imgui gave back."""
    interface, target = Interface(gpu, 1.0), Target(gpu, SIZE)
    target.begin()
    interface.draw_hud(HudView(("words",)), Area(0, 0, *SIZE), WindowSize(SIZE, SIZE, 1.0), 1 / 60)
    assert imgui.get_current_context() is not None
    interface.close()
    target.release()
    assert imgui.get_current_context() is None


def test_rings_are_drawn_in_their_colours_and_those_that_coincide_beside_each_other(
    drawn: tuple[ImguiHost, PanelsPass, Target],
) -> None:
    host, pass_, target = drawn
    square = (-7.0, -7.0, 8.0, 8.0)
    rings = (
        Ring(RingKind.REQUESTED, "9 columns", (-9.0, -9.0, 10.0, 10.0)),
        Ring(RingKind.GRANTED, "7 columns", square),
        Ring(RingKind.RECEIVED, "7 columns", square),
        Ring(RingKind.PUBLISHED, "64 blocks", (-3.5, -3.5, 4.5, 4.5), is_round=True),
    )
    empty = pass_.picture("slice", np.zeros((1, 1, 4), np.uint8))
    view = SliceView(empty, (0, 0), np.full((1, 1), NOTHING, np.uint8), (0.5, 0.5), (1.0, 0.0), 70, (-64, 319), rings)
    for _ in range(3):
        host.begin(SIZE, 1 / 60)
        imgui.set_next_window_pos(imgui.ImVec2(0, 0))
        imgui.set_next_window_size(imgui.ImVec2(*SIZE))
        imgui.begin("map", None, imgui.WindowFlags_.no_decoration)
        slice_map.chart(view, SliceState(px=10.0))
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.end()
        target.begin()
        pass_.draw(host.end(), SIZE)
    row = target.pixels()[round((low.y + high.y) / 2) + 8, round((low.x + high.x) / 2) :, :3].astype(int)

    def at(kind: RingKind) -> list[int]:
        return np.flatnonzero(np.abs(row - slice_map.RING_COLOURS[kind]).max(axis=1) < 40).tolist()

    for kind, blocks in ((RingKind.REQUESTED, 95), (RingKind.GRANTED, 75), (RingKind.RECEIVED, 71)):
        assert at(kind), kind
        assert all(abs(x - blocks) <= 2 for x in at(kind)), kind
    assert at(RingKind.PUBLISHED) == pytest.approx([39, 39], abs=2)


# ---------------------------------------------------------------- panels listed

PANELS_LISTED_SIZE = (640, 400)


class Counted(MeasuredPanels):
    """Counts how often panels are listed."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__(gpu, PANELS_LISTED_SIZE, radius=1)
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
        lambda: room.switch(all_panels()[0].name),
        lambda: room.resize_text(1),
        lambda: window.state.preferences.change("scale", 1.25),
        lambda: setattr(window, "extent", WindowSize(PANELS_LISTED_SIZE, PANELS_LISTED_SIZE, 2.0)),
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


# --------------------------------------------------------------------- test problems


def test_the_window_finds_nothing_wrong_in_a_world_that_is_whole_and_names_meshes_that_failed() -> None:
    gpu = Gpu.standalone()
    try:
        panels = MeasuredPanels(gpu, (320, 200), radius=2)
        panels.room.opened = {"problems"}
        panels.frame()
        views = PanelViews(panels.state, panels.session)
        moment = PanelFrame(panels.known, 1.0, lambda _name, _picture: 0)
        assert views.snapshot("problems", moment, None) == ()
        undrawn = panels.scene.attached.undrawn_places()
        assert undrawn is not None
        assert not len(undrawn.unmeshed)
        assert not len(undrawn.unlit)
        attached = panels.scene._attached
        assert attached is not None
        row = attached.world.row_of[ColumnPos(0, 0)]
        attached.state.lighting._given_up[row] = True
        (problem,) = PanelViews(panels.state, panels.session).snapshot("problems", moment, None)
        assert problem.kind == "unlit"
        assert problem.sentence.startswith("Unlit: ")
    finally:
        gpu.release()
