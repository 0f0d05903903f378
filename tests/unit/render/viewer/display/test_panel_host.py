"""The menu of panels, and the size of their text."""

from render.panels.registry import PANELS
from render.panels.requests import Change, Wish
from render.settings import Settings
from render.viewer.display.panel_host import PanelHost, menu_labels
from render.viewer.preferences import Preferences
from tests.support.window.panels import frame, hosted


def test_the_menu_names_panels_where_there_is_room_and_keeps_their_digits_where_there_is_none() -> None:
    rooms: list[list[str]] = []
    with hosted() as host:
        frame(host, lambda: rooms.extend(map(menu_labels, (2000.0, 300.0))))
    assert rooms == [
        [f"{number} {panel.title}" for number, panel in enumerate(PANELS, 1)],
        [str(number) for number in range(1, len(PANELS) + 1)],
    ]


def test_presses_for_larger_text_within_one_frame_add_up() -> None:
    room = PanelHost.__new__(PanelHost)  # without a GPU: nothing is drawn
    room._preferences, room._asked = Preferences(Settings(), None), list[Wish]()
    for steps in (1, 1, -1, 0, -1):
        room.resize_text(steps)
    assert [wish.value for wish in room._asked if isinstance(wish, Change)] == [1.12, 1.26, 1.12, 1.0, 0.89]
