"""The legend: rows with their numbers, overlays with their switches."""

from imgui_bundle import imgui

from render.panels import legend
from render.panels.legend import LegendBox, LegendSection, LegendState, LegendView
from render.panels.requests import Overlay, Wish
from tests.support.window.panels import frame, hosted, text_of

VIEW = LegendView(
    "2 pinned",
    (LegendSection("by state", (LegendBox(1, "refused", "big X", 1234),)),),
    (("S", "states", "what is known", True), ("X", "xray-air", "air", False)),
    "O",
)


def test_rows_and_overlays_are_told() -> None:
    text = text_of(lambda: legend.draw(VIEW, LegendState()))
    for words in (
        "overlays (O, then the letter)",
        "S",
        "X",
        "by state",
        "refused",
        "big X",
        "1 234",
        "[x] states",
        "[ ] xray-air",
        "what is known",
        "2 pinned",
    ):
        assert words in text


def test_what_is_scrolled_out_of_sight_keeps_its_height() -> None:
    sections = tuple(
        LegendSection(f"section {number}", (LegendBox(1, "kind", "dots", number),) * 6) for number in range(9)
    )
    view, state, heights = LegendView("", sections, (), "O"), LegendState(), []

    def listed() -> None:
        legend.draw(view, state)
        heights.append(imgui.get_cursor_pos_y())

    with hosted() as host:
        for _ in range(4):
            frame(host, listed)
    text = text_of(lambda: legend.draw(view, state), frames=3)
    assert "section 0" in text
    assert "section 8" not in text
    assert len({round(height, 3) for height in heights}) == 1


def test_the_space_bar_switches_an_overlay() -> None:
    wishes: list[Wish] = []
    with hosted() as host:
        frame(host, lambda: wishes.extend(legend.draw(VIEW, LegendState())))
        host.focus("tried")
        for key in ("DOWN", "DOWN", "SPACE"):
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, lambda: wishes.extend(legend.draw(VIEW, LegendState())))
    assert wishes == [Overlay("xray-air")]
