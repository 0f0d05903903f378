"""The connect screen by mouse, and as plain lines: what is clicked, what is wrapped, what keeps its place."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from imgui_bundle import imgui

from render.panels import connect_card
from render.panels.connect import FIELD, Click, ConnectRow, ConnectSection, ConnectView, Press, as_text
from render.panels.imgui_host import Host
from tests.support.panel_text import SIZE, hosted

ROWS = (ConnectRow("The mill", "10.0.0.1:19132", "3 ms"), ConnectRow("The tower", "10.0.0.2:19132", "40 ms"))
VIEW = ConnectView("", 0, "an address", False, "", (ConnectSection("LAN", ROWS),), FIELD, False, None, "", "")
LONG = "/home/somebody/worlds/" + "a-folder-with-a-long-name/" * 8 + " does not exist."


class Desk:
    """A mouse over the screen."""

    def __init__(self, host: Host) -> None:
        self.host = host

    def frame(self, view: ConnectView) -> list[Click]:
        self.host.begin(SIZE, 1 / 60)
        clicks = connect_card.draw(view, 0.0)
        self.host.end()
        for texture in imgui.get_platform_io().textures:
            texture.set_tex_id(1)
            texture.status = imgui.ImTextureStatus.ok
        return clicks

    def click(self, view: ConnectView, x: float, y: float) -> list[Click]:
        """Moves there, presses and lets go; what came of it."""
        self.host.moved(x, y)
        told = self.frame(view)
        for down in (True, False):
            self.host.button(0, down)
            told += self.frame(view)
        return told

    def places(self, view: ConnectView) -> dict[Click, int]:
        """What can be clicked in the middle, each with its topmost pixel, as the mouse finds it."""
        self.frame(view)
        found: dict[Click, int] = {}
        for y in range(0, SIZE[1] - 60, 5):
            for click in self.click(view, SIZE[0] / 2, y):
                found.setdefault(click, y)
        return found


@pytest.fixture
def desk() -> Iterator[Desk]:
    with hosted() as host:
        yield Desk(host)


def test_a_click_says_which_row_it_hit_and_nothing_between_them(desk: Desk) -> None:
    places = desk.places(VIEW)
    assert list(places) == [Press.FIELD, 1, 2], "from top to bottom"
    assert desk.click(VIEW, SIZE[0] / 2, places[2] + 4) == [2]
    assert desk.click(VIEW, 2.0, places[2] + 4) == [], "beside the card"
    assert desk.click(VIEW, SIZE[0] / 2, places[1] - 15) == [], "the title of the list"


def test_the_foot_has_a_button_for_each_way_on(desk: Desk) -> None:
    view = replace(VIEW, retry="10.0.0.1:19132", beneath="hills")
    desk.frame(view)
    foot = SIZE[1] - 2 * 15
    told = [click for x in range(SIZE[0] // 2, SIZE[0], 8) for click in desk.click(view, x, foot)]
    assert list(dict.fromkeys(told)) == [Press.RETRY, Press.BACK]


def test_a_long_error_takes_the_lines_it_needs_and_rows_make_room(desk: Desk) -> None:
    short = desk.places(replace(VIEW, meaning="No.", wrong=True))
    long = desk.places(replace(VIEW, meaning=LONG, wrong=True))
    assert long[Press.FIELD] == short[Press.FIELD]
    em = 15
    assert long[1] - short[1] >= 2 * em, "several lines"
    assert long[2] - long[1] == pytest.approx(short[2] - short[1], abs=5)


def test_plain_rows_keep_their_ping_at_the_right_edge_whatever_stands_before_it() -> None:
    rows = (*ROWS, ConnectRow("A name " * 20, "somewhere.example:19132", "7 ms"), ConnectRow("Fades", "", "9 ms", 0.5))
    view = replace(VIEW, sections=(ConnectSection("LAN", rows),))
    for wide in (40, 60, 100):
        lines = [line for line in as_text(view, 40, wide) if " ms" in line]
        assert len(lines) == 4
        assert {len(line) for line in lines} == {wide}
        assert [line.split("  ")[-1].strip() for line in lines] == ["3 ms", "40 ms", "7 ms", "…"]
        assert lines[3].endswith("9 ms  …")
        assert "…  " in lines[2]


def test_plain_hints_are_parted_between_each_other_alone() -> None:
    view = replace(VIEW, retry="10.0.0.1:19132", beneath="hills")
    assert as_text(view, 40, 48)[-3:] == [
        "Arrows, Tab: choose   Enter: join",
        "Ctrl+digit: join that row   Ctrl+Q: end",
        "F5: again 10.0.0.1:19132   Esc: back to hills",
    ]


def test_the_caret_of_a_long_plain_address_stays_in_sight() -> None:
    text = "".join(chr(97 + at % 26) for at in range(200))
    for caret in (0, 20, 100, 200):
        (line,) = (line for line in as_text(replace(VIEW, text=text, caret=caret), 40, 50) if "address: " in line)
        assert len(line) <= 50
        before, after = line.split("address: ")[1].split("▏")
        assert text[:caret].endswith(before)
        assert text[caret:].startswith(after)
        assert before or caret == 0


def test_plain_sentences_are_wrapped_and_never_cut() -> None:
    view = replace(VIEW, meaning=LONG, wrong=True, trouble="It was lost. " * 9)
    lines = as_text(view, 40, 50)
    assert all(len(line) <= 50 for line in lines)
    together = "".join("".join(lines).split())
    assert "".join(LONG.split()) in together
    assert together.count("Itwaslost.") == 9
