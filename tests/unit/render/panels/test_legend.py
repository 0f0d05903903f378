"""The legend: rows with their numbers, overlays with their switches."""

from render.panels import legend
from render.panels.legend import LegendRow, LegendSection, LegendView
from render.panels.wishes import Overlay, Wish
from tests.support.panel_text import frame, hosted, text_of

VIEW = LegendView(
    "2 pinned",
    (LegendSection("by state", (LegendRow(1, "refused", "big X", 1234),)),),
    (("S", "states", "what is known", True), ("X", "xray-air", "air", False)),
    "O",
)


def test_rows_and_overlays_are_told() -> None:
    text = text_of(lambda: legend.draw(VIEW))
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


def test_the_space_bar_switches_an_overlay() -> None:
    wishes: list[Wish] = []
    with hosted() as host:
        frame(host, lambda: wishes.extend(legend.draw(VIEW)))
        host.focus("tried")
        for key in ("DOWN", "DOWN", "SPACE"):
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, lambda: wishes.extend(legend.draw(VIEW)))
    assert wishes == [Overlay("xray-air")]
