"""What stands beside each other, and what does not fit there."""

from imgui_bundle import imgui

from render.panels.host import Host
from render.panels.rows import flows
from tests.support.panel_text import frame


def test_buttons_stand_beside_each_other_as_far_as_there_is_room() -> None:
    lines, ends = [], []

    def many() -> None:
        for number in range(12):
            words = f"button {number}"
            if number:
                flows(words)
            imgui.button(words)
            lines.append(imgui.get_item_rect_min().y)
            ends.append(imgui.get_item_rect_max().x)

    for scale, least in ((1.0, 1), (3.0, 3)):
        host = Host(scale)
        for _ in range(2):
            lines.clear()
            ends.clear()
            frame(host, many)
        host.close()
        assert len({*lines}) >= least
        assert lines[0] == lines[1], "the first two fit"
        assert max(ends) <= 800, "none is cut"
