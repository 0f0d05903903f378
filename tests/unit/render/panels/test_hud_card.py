"""What stands over the picture beside the panels: nothing is cut off, and what has its room first keeps it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from client.world.lifecycle import SubChunkState
from render.overlays.legend import OverlayLegend
from render.overlays.overlay import LegendRow
from render.panels import hud_card
from render.panels.hud import (
    HUD_COLUMNS_EM,
    HUD_WIDE_EM,
    Banner,
    BannerKind,
    HudArea,
    HudView,
    KeyRow,
    KeyTableView,
)
from render.panels.hud_card import table_lines
from render.panels.imgui_host import ImguiHost
from render.panels.widgets import ImguiDrawing
from render.passes.overlay.boxes import STYLES
from render.settings import Keyboard
from render.viewer.display.captions import first_keys
from render.viewer.display.key_table import KeyTable
from render.viewer.display.overlay_switches import listed
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


def drawn(view: HudView, size: tuple[int, int] = (1280, 720), scale: float = 1.0) -> tuple[HudArea, list[Box]]:
    """One frame: what is left of the room, and its boxes."""
    host = ImguiHost(scale, "[Docking][Data]")
    try:
        host.begin(size, 1 / 60)
        with boxes() as found:
            left = hud_card.draw(view, HudArea(0, 0, *size), scale, lambda _style: 1)
        end(host)
    finally:
        host.close()
    return left, found


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("size", SIZES)
def test_the_list_of_overlays_fits_the_window(size: tuple[int, int], scale: float) -> None:
    lines = listed(frozenset(), "O")
    _, (box, *_) = drawn(HudView(tuple(lines)), size, scale)
    assert 0 <= box[1] < box[3] <= size[1], lines[0]
    assert 0 <= box[0] < box[2] <= size[0]


HUD = (
    "where\t-29999.5 -63.5 -29999.5\tchunk -1875 -1875 (15 15 in it)\tsouth (+Z)\toverworld\tplains",
    "missing\tnothing",
    "frame\t60 fps\t16.7 ms, worst 48 ms\tA world (embedded:hills:1)",
)


def hud(lines: tuple[str, ...] = HUD, size: tuple[int, int] = (1280, 720), scale: float = 1.0) -> tuple[HudArea, Box]:
    left, (box, *_) = drawn(HudView(lines, HUD_COLUMNS_EM, HUD_WIDE_EM), size, scale)
    return left, box


def test_the_hud_covers_little_of_the_picture() -> None:
    _, (x0, y0, x1, y1) = hud()
    assert (x1 - x0) * (y1 - y0) <= 0.08 * 1280 * 720


def test_the_huds_width_does_not_change_with_its_numbers() -> None:
    short = ("where\t0.0 0.0 0.0\tchunk 0 0 (0 0 in it)\teast (+X)\tnether\t", "missing\t1 refused", "frame\t9 fps")
    long = (HUD[0], "missing\t" + "12 refused by the server · " * 20, HUD[2], "problem\t" + "too many packets " * 30)
    boxes_of = [hud(lines)[1] for lines in (HUD, short, long)]
    assert len({(box[0], box[2]) for box in boxes_of}) == 1
    assert boxes_of[0][3] == boxes_of[1][3] < boxes_of[2][3]


@pytest.mark.parametrize("scale", [*SCALES, 4.0])
@pytest.mark.parametrize("size", [(320, 200), *SIZES])
def test_columns_of_the_hud_that_find_no_room_go_on_below(size: tuple[int, int], scale: float) -> None:
    host = ImguiHost(scale, "[Docking][Data]")
    host.begin(size, 1 / 60)
    view, em = HudView(HUD, HUD_COLUMNS_EM, HUD_WIDE_EM), imgui.get_font_size()
    letters, cells, wide, high = hud_card.fitted(view, em, (size[0] - 2.2 * em, size[1] - 2.2 * em), 0.5 / scale)
    end(host)
    host.close()
    assert letters > 0
    assert sorted(cell.words for cell in cells) == sorted(word for line in HUD for word in line.split("\t"))
    assert all(cell.x < wide for cell in cells)
    assert len({(cell.x, cell.y) for cell in cells}) == len(cells)
    assert all(cell.y < high for cell in cells)


@pytest.mark.parametrize("scale", [*SCALES, 4.0])
@pytest.mark.parametrize("size", [(320, 200), *SIZES])
def test_the_table_of_keys_lies_within_the_window_and_shows_the_selected_row(
    size: tuple[int, int], scale: float
) -> None:
    table = KeyTable()
    table.turn()
    for move in (0, 30, 1000):
        table.move(move)
        _, found = drawn(HudView(table=table.view(Keyboard(), "qwerty", False)), size, scale)
        assert all(0 <= x0 <= x1 <= size[0] and 0 <= y0 <= y1 <= size[1] for x0, y0, x1, y1 in found)
        assert len(found) == 3, "card, field, and the selected row"


def test_lines_of_the_table_are_those_around_the_selected_row() -> None:
    rows = tuple(KeyRow("one" if number < 5 else "two", (), f"{number}") for number in range(10))
    table = KeyTableView(rows, 0, "", "qwerty")
    assert table_lines(table, 100) == ["one", 0, 1, 2, 3, 4, "two", 5, 6, 7, 8, 9]
    assert table_lines(table, 4) == ["one", 0, 1, 2]
    assert table_lines(replace(table, selected=9), 4) == [6, 7, 8, 9]
    assert 5 in table_lines(replace(table, selected=5), 1)
    assert table_lines(KeyTableView((), 0, "x", "qwerty"), 4) == []


def test_a_card_of_keys_and_the_sign_of_a_recording_leave_the_numbers_alone() -> None:
    view = HudView(HUD, HUD_COLUMNS_EM, HUD_WIDE_EM, legend=LEGEND, keys=first_keys(Keyboard()), recorded=3)
    for size in ((320, 200), *SIZES):
        left, (card, numbers, sign, *_) = drawn(view, size)
        assert numbers[3] <= card[1] or size[1] < 360
        assert sign[0] >= numbers[2] or sign[1] >= numbers[3]
        assert left.bottom <= card[1]
        assert 0 <= card[0] < card[2] <= size[0]
        assert sign[2] <= size[0]


def test_numbers_legend_and_banner_have_each_their_room() -> None:
    view = HudView(("a line", "another"), legend=LEGEND, more="1 pinned", banner=LOST)
    left, found = drawn(view)
    banner, numbers, legend = found[0], found[2], found[3]
    assert numbers[3] <= left.top < legend[1]
    assert legend[3] <= left.bottom == banner[1]
    assert left.left == legend[2], "what is said stands beside the legend"
    assert banner[0] > legend[0]
    assert abs(banner[0] + banner[2] - 1280) < 40, "in the middle"


def test_a_legend_is_smaller_where_the_window_is() -> None:
    (_, (usual,)), (_, (small,)) = drawn(HudView(legend=LEGEND)), drawn(HudView(legend=LEGEND, small=True))
    assert small[3] - small[1] < 0.8 * (usual[3] - usual[1])


@pytest.mark.parametrize("wide", [600, 320, 200])
def test_no_line_of_a_legend_is_cut_off_at_the_rooms_right_end(wide: int) -> None:
    ends: list[float] = []
    text = ImguiDrawing.text

    def note(pen: ImguiDrawing, x: float, y: float, words: str, tone: Any, size: float) -> None:
        ends.append(x + hud_card.measured(words, size)[0])
        text(pen, x, y, words, tone, size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ImguiDrawing, "text", note)
        drawn(HudView(legend=LEGEND, small=True), (wide, 360))
    assert ends
    assert max(ends) <= wide


def test_a_legend_has_no_more_rows_than_there_is_room() -> None:
    many = tuple(OverlayLegend(f"{number}", f"{number}: of all", ROWS) for number in range(30))
    left, found = drawn(HudView(("a line",), legend=many))
    assert left.top < found[1][1]


def test_a_join_and_the_past_have_a_bar() -> None:
    for share in (0.0, 0.5, 1.0):
        _, (card, _, bar) = drawn(HudView(banner=Banner(BannerKind.JOINING, "Joining", "waiting", "Esc", share)))
        assert bar[2] - bar[0] == pytest.approx(share * (card[2] - card[0]), abs=1)
        assert bar[3] == card[3]


def test_a_recording_has_a_bar_below_the_lines() -> None:
    _, (numbers, bar) = drawn(HudView(HUD, HUD_COLUMNS_EM, HUD_WIDE_EM, share=0.25))
    assert bar[2] - bar[0] == pytest.approx((numbers[2] - numbers[0]) / 4)
    assert (bar[0], bar[3]) == (numbers[0], numbers[3])


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
        hud_card.draw(HudView(("a line",) * 9), HudArea(0, 0, 1280, 720), 1.0, lambda _style: 1)
        end(host)
    assert not host.wants_mouse
    assert not imgui.get_io().want_capture_mouse
    host.close()


def test_letters_of_our_own_are_in_the_font() -> None:
    host = ImguiHost(1.0, "[Docking][Data]")
    host.begin((1280, 720), 1 / 60)
    missing = [sign for sign in "·↑↓←→…▏" if not imgui.get_font().is_glyph_in_font(ord(sign))]
    end(host)
    host.close()
    assert missing == []
