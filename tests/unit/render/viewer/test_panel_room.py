"""The menu of panels."""

from render.panels.registry import PANELS
from render.viewer.panel_room import menu_labels
from tests.support.panel_text import frame, hosted


def test_the_menu_names_panels_where_there_is_room_and_keeps_their_digits_where_there_is_none() -> None:
    rooms: list[list[str]] = []
    with hosted() as host:
        frame(host, lambda: rooms.extend(map(menu_labels, (2000.0, 300.0))))
    assert rooms == [
        [f"{number} {panel.title}" for number, panel in enumerate(PANELS, 1)],
        [str(number) for number in range(1, len(PANELS) + 1)],
    ]
