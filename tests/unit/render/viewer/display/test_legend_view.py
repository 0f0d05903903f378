"""Snapshots for the panel of the legend: the same ones while nothing changed."""

from types import SimpleNamespace
from typing import Any

from render.overlays.overlay import LegendRow
from render.panels.legend import LegendView
from render.passes.overlay.boxes import Hatch, Outline, Style
from render.viewer.display.panel_data import LegendViews

STYLE = Style("some", (1.0, 1.0, 1.0), Outline.THIN, Hatch.DOTS, 0.5)
SESSION: Any = SimpleNamespace(pins=2, terrain=SimpleNamespace(stale_columns=0))


class Told:
    """Legends of two overlays, and the snapshots made of them."""

    def __init__(self) -> None:
        self.views, self.shown = LegendViews(), 0
        self.rows = {"states": (LegendRow(STYLE, 1),), "age": (LegendRow(STYLE, 2),)}

    def view(self) -> LegendView:
        return self.views.view(self.rows.keys(), self.rows.__getitem__, SESSION, "O", self.show)

    def show(self, _name: str, _pixels: object) -> int:
        self.shown += 1
        return self.shown


def test_what_did_not_change_is_not_listed_again() -> None:
    told = Told()
    before = told.view()
    assert all(a is b for a, b in zip(before.sections, told.view().sections, strict=True))
    assert [section.rows[0].number for section in before.sections] == [1, 2]
    assert told.shown == 1  # both rows have one style


def test_new_marks_list_their_own_section_alone() -> None:
    told = Told()
    before = told.view()
    told.rows["age"] = (LegendRow(STYLE, 3),)
    after = told.view()
    assert after.sections[0] is before.sections[0]
    assert after.sections[1].rows[0].number == 3


def test_an_overlay_that_went_off_is_told_no_more() -> None:
    told = Told()
    told.view()
    del told.rows["states"]
    view = told.view()
    assert [section.name for section in view.sections] == ["age"]
    assert {name: on for _, name, _, on in view.overlays}["states"] is False
    assert "2 pinned" in view.more
