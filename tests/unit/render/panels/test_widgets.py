"""What stands beside each other, and what does not fit there."""

from imgui_bundle import imgui

from render.panels.imgui_host import ImguiHost
from render.panels.widgets import cell, flows
from tests.support.window.panels import frame, hosted


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
        host = ImguiHost(scale)
        for _ in range(2):
            lines.clear()
            ends.clear()
            frame(host, many)
        host.close()
        assert len({*lines}) >= least
        assert lines[0] == lines[1], "the first two fit"
        assert max(ends) <= 800, "none is cut"


def test_what_a_column_cuts_is_whole_under_the_mouse() -> None:
    where: list[imgui.ImVec2] = []

    def table(width: float) -> None:
        imgui.begin_table("narrow", 1, imgui.TableFlags_.none, imgui.ImVec2(width, 0.0))
        imgui.table_next_column()
        cell("requested > known air \udcff")
        where.append(imgui.get_item_rect_min())
        imgui.end_table()

    with hosted() as host:
        for width, is_cut in ((60.0, True), (400.0, False)):
            frame(host, lambda width=width: table(width))
            host.moved(where[-1].x + 5.0, where[-1].y + 5.0)
            for _ in range(3):
                frame(host, lambda width=width: table(width))
            tips = [window for window in imgui.get_current_context().windows if "Tooltip" in window.name]
            assert any(window.active for window in tips) == is_cut
