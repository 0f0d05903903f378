"""What the panel of the legend is shown: made anew where rows or switches are other ones, for there are eighty of them.

Rows are known again by identity: the painter of overlays makes new ones with new marks, and else gives the same.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from client.session.stats import SessionStats
from render.gpu.targets import Pixels
from render.overlays.marks import LegendRow as Row
from render.overlays.registry import OverlayLegend, legend_title, sections_of, shape_of
from render.panels.legend import LegendBox, LegendSection, LegendView
from render.panels.swatch import Swatches
from render.settings.overlays import OVERLAYS

Legend = Callable[[str], tuple[Row, ...]]
Show = Callable[[str, Pixels], int]


class LegendViews:
    """Of one window."""

    def __init__(self) -> None:
        self._swatches = Swatches()
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._sections: tuple[OverlayLegend, ...] = ()
        self._listed: dict[str, tuple[tuple[Row, ...], LegendSection]] = {}
        self._switches: tuple[tuple[str, str, str, bool], ...] = ()
        self._switched: frozenset[str] | None = None

    def view(self, on: AbstractSet[str], legend: Legend, session: SessionStats, opener: str, show: Show) -> LegendView:
        """One moment.

        Args:
            on: names of overlays that are.
            legend: what the marks of one mean (``Scene.legend``).
            session: of the moment.
            opener: the key that opens the chooser.
            show: gives a picture of a name to imgui.
        """
        if self._switched != on:
            self._switched = frozenset(on)
            self._switches = tuple((each.letter, each.name, each.title, each.name in on) for each in OVERLAYS.values())
        rows = {name: legend(name) for name in on}
        if rows.keys() != self._rows.keys() or any(rows[name] is not kept for name, kept in self._rows.items()):
            self._rows, self._sections = rows, sections_of(on, rows.__getitem__)
        more = legend_title(self._sections, session.pins, session.terrain.stale_columns)
        return LegendView(more, tuple(self._list(each, show) for each in self._sections), self._switches, opener)

    def _list(self, section: OverlayLegend, show: Show) -> LegendSection:
        kept = self._listed.get(section.name)
        if kept is None or kept[0] is not section.rows:
            rows = tuple(
                LegendBox(self._swatches.of(row.style, show), row.style.label, shape_of(row.style), row.count)
                for row in section.rows
            )
            self._listed[section.name] = kept = section.rows, LegendSection(section.title, rows)
        return kept[1]
