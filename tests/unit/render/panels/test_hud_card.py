"""What stands over the picture beside the panels: nothing is cut off, and what has its room first keeps it."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from imgui_bundle import imgui

from client.world.lifecycle import SubChunkState
from render.overlays.marks import LegendRow
from render.overlays.registry import OverlayLegend
from render.panels import hud_card
from render.panels.hud import Banner, BannerKind, HudView, Room
from render.panels.imgui_host import ImguiHost
from render.panels.widgets import ImguiDrawing
from render.passes.overlay.boxes import STYLES
from render.settings import Keyboard
from render.settings.keys import PRESETS
from render.viewer.display.captions import all_keys
from render.viewer.display.overlay_switches import OverlayChooser
from tests.support.window.panels import end

SIZES = ((640, 360), (800, 500), (1280, 720), (1600, 1000))
SCALES = (1.0, 1.25, 2.0)
ROWS = (LegendRow(STYLES[SubChunkState.REFUSED], 7), LegendRow(STYLES[SubChunkState.DATA], 0))
LEGEND = (OverlayLegend("states", "states: of all", ROWS),)
LOST = Banner(BannerKind.LOST, "Connection lost", "The server is closed.", "R: join again")

Box = tuple[float, float, float, float]


@contextmanager
def boxes() -> Iterator[list[Box]]:
    """Boxes that are drawn meanwhile."""
    drawn: list[Box] = []
    box = ImguiDrawing.box

    def note(pen: ImguiDrawing, x0: float, y0: float, x1: float, y1: float, *rest: Any) -> None:
        drawn.append((x0, y0, x1, y1))
        box(pen, x0, y0, x1, y1, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ImguiDrawing, "box", note)
        yield drawn


def drawn(view: HudView, size: tuple[int, int] = (1280, 720), scale: float = 1.0) -> tuple[Room, list[Box]]:
    """One frame: what is left of the room, and its boxes."""
    host = ImguiHost(scale, "[Docking][Data]")
    try:
        host.begin(size, 1 / 60)
        with boxes() as found:
            left = hud_card.draw(view, Room(0, 0, *size), scale, lambda _style: 1)
        end(host)
    finally:
        host.close()
    return left, found


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("size", SIZES)
def test_all_keys_and_the_list_of_overlays_fit_the_window(size: tuple[int, int], scale: float) -> None:
    lists = [OverlayChooser(frozenset()).lines("O")]
    lists += [
        all_keys(Keyboard(preset), preset, recording) for preset, recording in itertools.product(PRESETS, (False, True))
    ]
    for lines in lists:
        _, (box, *_) = drawn(HudView(tuple(lines)), size, scale)
        assert 0 <= box[1] < box[3] <= size[1], lines[0]
        assert 0 <= box[0] < box[2] <= size[0]


def test_numbers_legend_and_banner_have_each_their_room() -> None:
    view = HudView(("a line", "another"), LEGEND, "1 pinned", LOST)
    left, found = drawn(view)
    banner, numbers, legend = found[0], found[2], found[3]
    assert numbers[3] <= left.top < legend[1]
    assert legend[3] <= left.bottom == banner[1]
    assert banner[0] > legend[0]
    assert abs(banner[0] + banner[2] - 1280) < 40, "in the middle"


def test_a_legend_is_smaller_where_the_window_is() -> None:
    (_, (usual,)), (_, (small,)) = drawn(HudView(legend=LEGEND)), drawn(HudView(legend=LEGEND, small=True))
    assert small[3] - small[1] < 0.8 * (usual[3] - usual[1])


def test_a_legend_has_no_more_rows_than_there_is_room() -> None:
    many = tuple(OverlayLegend(f"{number}", f"{number}: of all", ROWS) for number in range(30))
    left, found = drawn(HudView(("a line",), many))
    assert left.top < found[1][1]


def test_a_join_and_the_past_have_a_bar() -> None:
    for share in (0.0, 0.5, 1.0):
        _, (card, _, bar) = drawn(HudView(banner=Banner(BannerKind.JOINING, "Joining", "waiting", "Esc", share)))
        assert bar[2] - bar[0] == pytest.approx(share * (card[2] - card[0]), abs=1)
        assert bar[3] == card[3]


def test_long_words_of_a_banner_are_wrapped() -> None:
    _, (short, *_) = drawn(HudView(banner=LOST), (640, 360))
    _, (long, *_) = drawn(HudView(banner=Banner(BannerKind.LOST, "Lost", "It is closed. " * 30, "R")), (640, 360))
    assert long[3] - long[1] > short[3] - short[1] + 40
    assert long[2] <= 640


def test_it_takes_no_mouse() -> None:
    host = ImguiHost(1.0, "[Docking][Data]")
    for _ in range(3):
        host.moved(40.0, 40.0)
        host.begin((1280, 720), 1 / 60)
        hud_card.draw(HudView(("a line",) * 9), Room(0, 0, 1280, 720), 1.0, lambda _style: 1)
        end(host)
    assert not host.wants_mouse
    assert not imgui.get_io().want_capture_mouse
    host.close()


def test_letters_of_our_own_are_in_the_font() -> None:
    host = ImguiHost(1.0, "[Docking][Data]")
    host.begin((1280, 720), 1 / 60)
    missing = [sign for sign in "·█░↑↓←→…▏" if not imgui.get_font().is_glyph_in_font(ord(sign))]
    end(host)
    host.close()
    assert missing == []
