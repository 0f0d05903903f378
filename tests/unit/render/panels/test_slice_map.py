"""The slice map: what the mouse does on it, and what it says."""

import numpy as np
import pytest
from imgui_bundle import imgui

from client.world.lifecycle import SubChunkState
from net.space.positions import BlockPos
from render.panels import slice_map
from render.panels.imgui_host import ImguiHost
from render.panels.requests import Go, Inspect, Wish
from render.panels.slice_map import NOTHING, Paint, SliceState, SliceView
from tests.support.window.panels import frame, hosted, text_of

STATES = np.full((10, 12), int(SubChunkState.DATA), np.uint8)
STATES[:, 0] = NOTHING
STATES[3, 5:8] = int(SubChunkState.REFUSED)
VIEW = SliceView(1, (-6, -5), STATES, (0.5, 0.5), (1.0, 0.0), 70, (-64, 319))


def test_totals_count_what_is_selected_and_nothing_beside_the_map() -> None:
    assert VIEW.totals((-100, -100, 100, 100)) == {SubChunkState.DATA: 107, SubChunkState.REFUSED: 3}
    assert VIEW.totals((-6, -5, -5, 5)) == {}
    assert VIEW.totals((-1, -2, 2, -1)) == {SubChunkState.REFUSED: 3}
    assert VIEW.state_at(-6, 0) is None
    assert VIEW.state_at(0, 99) is None
    assert VIEW.state_at(0, -2) is SubChunkState.REFUSED


def test_what_is_selected_is_counted_in_words() -> None:
    text = text_of(lambda: slice_map.draw(VIEW, SliceState(selected=(-1, -2, 2, 0))))
    assert "6 selected: received 3, refused by the server 3" in text


def test_colours_are_told_beside_the_map_those_that_occur() -> None:
    states = text_of(lambda: slice_map.draw(VIEW, SliceState()))
    assert "received 107" in states
    assert "refused by the server 3" in states
    assert "cannot be decoded" not in states
    for paint, words in ((Paint.AGE, "3.2 s"), (Paint.PRIORITY, "asked for next"), (Paint.LIGHT, "daylight in grey")):
        assert words in text_of(lambda paint=paint: slice_map.draw(VIEW, SliceState(paint=paint)))  # type: ignore[misc]


class Desk:
    """A map with a mouse over it."""

    def __init__(self, host: ImguiHost) -> None:
        self.state, self.wishes, self.host = SliceState(px=20.0), list[Wish](), host
        self.middle = (0.0, 0.0)
        for _ in range(2):
            self.frame()

    def frame(self) -> None:
        def shown() -> None:
            self.wishes.extend(slice_map.draw(VIEW, self.state))
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.middle = (low.x + high.x) / 2, (low.y + high.y) / 2

        frame(self.host, shown)

    def to(self, a: float, b: float) -> None:
        """The mouse, in the map's coordinates."""
        centre = self.state.centre or VIEW.eye
        self.host.moved(
            self.middle[0] + (a - centre[0]) * self.state.px, self.middle[1] + (b - centre[1]) * self.state.px
        )
        self.frame()

    def button(self, number: int, down: bool) -> None:
        self.host.button(number, down)
        self.frame()
        self.frame()  # a map sees of a button that goes up one frame later


def test_a_click_selects_one_and_inspects_it() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(2.5, -1.5)
        desk.button(0, True)
        desk.button(0, False)
        assert desk.state.selected == (2, -2, 3, -1)
        assert desk.wishes == [Inspect(BlockPos(16 * 2 + 8, 70 // 16 * 16 + 8, 16 * -2 + 8))]


def test_a_drag_selects_many() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(2.5, 1.5)
        desk.button(0, True)
        desk.to(-0.5, -1.5)
        desk.button(0, False)
        assert desk.state.selected == (-1, -2, 3, 2)
        assert desk.wishes == []


def test_the_right_button_pans_and_the_wheel_zooms() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(0.5, 0.5)
        desk.button(1, True)
        where = desk.middle[0] + 40.0, desk.middle[1]
        host.moved(*where)
        desk.frame()
        desk.button(1, False)
        assert desk.state.centre == pytest.approx((0.5 - 2.0, 0.5))
        host.wheel(0.0, 1.0)
        desk.frame()
        assert desk.state.px == pytest.approx(24.0)


def test_a_double_click_goes_there() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(0.5, 0.5)
        for down in (True, False, True, False):
            desk.button(0, down)
        assert [wish for wish in desk.wishes if isinstance(wish, Go)] == [Go(BlockPos(8, 72, 8))]


def test_the_keyboard_alone_selects_inspects_and_goes_there() -> None:
    with hosted() as host:
        desk = Desk(host)

        def press(*names: str) -> None:
            for name in names:
                host.key(name, True)
                desk.frame()
            for name in reversed(names):
                host.key(name, False)
                desk.frame()

        host.focus("tried")
        for _ in range(12):
            press("TAB")
            press("RIGHT")
            if desk.state.mark is not None:
                break
        assert desk.state.mark == (1, 0), "Tab leads to the map, an arrow moves its mark from the eye"
        press("DOWN")
        assert desk.state.selected == (1, 1, 2, 2)
        press("LSHIFT", "RIGHT")
        press("LSHIFT", "UP")
        assert desk.state.selected == (1, 0, 3, 2), "with Shift from where it was"
        desk.wishes.clear()
        press("SPACE")
        press("ENTER")
        block = BlockPos(16 * 2 + 8, 70 // 16 * 16 + 8, 8)
        assert desk.wishes == [Inspect(block), Go(block)]
        centre = desk.state.centre or VIEW.eye
        press("LCTRL", "LEFT")
        assert desk.state.centre == (centre[0] - 1, centre[1])
        assert desk.state.mark == (2, 0)
        px = desk.state.px
        press("EQUAL")
        assert desk.state.px > px
        for _ in range(30):
            press("DOWN")
        assert desk.state.centre is not None
        assert desk.state.centre[1] > 15, "the map follows the mark"
        press("HOME")
        assert desk.state.mark is desk.state.selected is desk.state.centre is None
