"""All panels, in the order of the menu."""

from typing import Final

from net.frozen import frozen
from render.panels import event_log, graphs, inspector, invariants, legend, pipeline, settings, slice_map


@frozen
class Panel:
    """One of them.

    Attributes:
        name: in the file of the layout, and in tests.
        title: imgui's name of its window.
    """

    name: str
    title: str


PANELS: Final = (
    Panel("pipeline", pipeline.TITLE),
    Panel("inspector", inspector.TITLE),
    Panel("graphs", graphs.TITLE),
    Panel("slice", slice_map.TITLE),
    Panel("events", event_log.TITLE),
    Panel("invariants", invariants.TITLE),
    Panel("settings", settings.TITLE),
    Panel("legend", legend.TITLE),
)
FIRST_OPEN: Final = ("pipeline", "inspector")
"""Those that are open until somebody closes them."""
