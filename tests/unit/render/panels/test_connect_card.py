"""The connect screen by mouse and as it is written: what is clicked, what is wrapped, what keeps its place."""

from collections.abc import Iterator
from typing import Any

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from client.source import Embedded
from render.panels import connect_card
from render.panels.connect import FIELD, Click, ConnectButton, ConnectRow, ConnectSection, ConnectView, Underway
from render.panels.imgui_host import ImguiHost
from render.panels.widgets import ImguiDrawing
from tests.support.window.panels import SIZE, hosted

HERE = Embedded()
ROWS = (
    ConnectRow(HERE, "The mill", "10.0.0.1:19132", "3 ms"),
    ConnectRow(HERE, "The tower", "10.0.0.2:19132", "40 ms"),
)
VIEW = ConnectView("", 0, "an address", False, "", (ConnectSection("LAN", ROWS),), FIELD, False, None, "", "")
LONG = "/home/somebody/worlds/" + "a-folder-with-a-long-name/" * 8 + " does not exist."


class Desk:
    """A mouse over the screen."""

    def __init__(self, host: ImguiHost) -> None:
        self.host = host

    def frame(self, view: ConnectView, size: tuple[int, int] = SIZE) -> list[Click]:
        self.host.begin(size, 1 / 60)
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
    assert list(places) == [ConnectButton.FIELD, 1, 2], "from top to bottom"
    assert desk.click(VIEW, SIZE[0] / 2, places[2] + 4) == [2]
    assert desk.click(VIEW, 2.0, places[2] + 4) == [], "beside the card"
    assert desk.click(VIEW, SIZE[0] / 2, places[1] - 15) == [], "the title of the list"


def test_the_foot_has_a_button_for_each_way_on(desk: Desk) -> None:
    view = replace(VIEW, retry="10.0.0.1:19132", beneath="hills")
    desk.frame(view)
    foot = SIZE[1] - 2 * 15
    told = [click for x in range(SIZE[0] // 2, SIZE[0], 8) for click in desk.click(view, x, foot)]
    assert list(dict.fromkeys(told)) == [ConnectButton.RETRY, ConnectButton.BACK]


def test_a_long_error_takes_the_lines_it_needs_and_rows_make_room(desk: Desk) -> None:
    short = desk.places(replace(VIEW, meaning="No.", wrong=True))
    long = desk.places(replace(VIEW, meaning=LONG, wrong=True))
    assert long[ConnectButton.FIELD] == short[ConnectButton.FIELD]
    em = 15
    assert long[1] - short[1] >= 2 * em, "several lines"
    assert long[2] - long[1] == pytest.approx(short[2] - short[1], abs=5)


def words_of(desk: Desk, view: ConnectView, size: tuple[int, int] = SIZE) -> list[tuple[str, float, float]]:
    """What is written, with where it begins and ends across."""
    told: list[tuple[str, float, float]] = []
    text, fitted = ImguiDrawing.text, ImguiDrawing.wrapped

    def status(pen: ImguiDrawing, x: float, y: float, words: str, colour: Any, size: float | None = None) -> None:
        told.append((words, x, x + imgui.calc_text_size(words).x * (size or pen.em) / pen.em))
        text(pen, x, y, words, colour, size)

    def note_wrapped(pen: ImguiDrawing, x: float, y: float, words: str, colour: Any, room: float) -> float:
        told.append((words, x, x + min(imgui.calc_text_size(words, wrap_width=room).x, room)))
        return fitted(pen, x, y, words, colour, room)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ImguiDrawing, "text", status)
        patch.setattr(ImguiDrawing, "wrapped", note_wrapped)
        desk.frame(view, size)
        told.clear()
        desk.frame(view, size)
    return told


def test_rows_keep_their_ping_at_the_right_edge_whatever_stands_before_it(desk: Desk) -> None:
    rows = (
        *ROWS,
        ConnectRow(HERE, "A name " * 20, "somewhere.example:19132", "7 ms"),
        ConnectRow(HERE, "Fades", "", "9 ms", 0.5),
    )
    view = replace(VIEW, sections=(ConnectSection("LAN", rows),))
    for wide in (400, 600, 900):
        told = words_of(desk, view, (wide, SIZE[1]))
        notes = [(words, end) for words, _, end in told if words.endswith(" ms")]
        assert [words for words, _ in notes] == ["3 ms", "40 ms", "7 ms", "9 ms"]
        ends = [end for _, end in notes]
        assert max(ends) - min(ends) <= 1 < wide - max(ends)
        (long,) = ((words, end) for words, _, end in told if words.startswith("A name"))
        assert long[0].endswith("…")
        assert long[1] < min(ends)


def test_the_selected_row_is_scrolled_into_sight(desk: Desk) -> None:
    rows = tuple(ConnectRow(HERE, f"row {number}", "", "") for number in range(1, 40))
    view = replace(VIEW, sections=(ConnectSection("LAN", rows),), selected=38, moved=True)
    for _ in range(3):
        desk.frame(view)
    assert 38 in desk.places(replace(view, moved=False))


def test_keys_that_lead_on_are_told_with_their_buttons(desk: Desk) -> None:
    view = replace(VIEW, retry="10.0.0.1:19132", beneath="hills", trouble="It was lost.")
    told = [words for words, _, _ in words_of(desk, view)]
    assert {"It was lost.", "Again (F5)", "Back (Esc)"} <= {*told}
    assert any(words.startswith("Arrows, Tab: choose   Enter: join   Ctrl+digit") for words in told)
    way = Underway("10.0.0.1:19132", "waiting for StartGame, 2.1 s", 0.5, 3.0)
    told = [words for words, _, _ in words_of(desk, replace(VIEW, underway=way))]
    assert {"10.0.0.1:19132", "waiting for StartGame, 2.1 s", "3.0 s", "Cancel (Esc)"} <= {*told}


def test_the_caret_of_a_long_address_stays_in_sight(desk: Desk) -> None:
    text = "".join(chr(97 + at % 26) for at in range(200))
    for caret in (0, 20, 100, 200):
        desk.frame(replace(VIEW, text=text, caret=caret))
        ((_, begin, _),) = (each for each in words_of(desk, replace(VIEW, text=text, caret=caret)) if each[0] == text)
        at = begin + imgui.calc_text_size(text[:caret]).x
        assert 0 < at < SIZE[0] - 5 * imgui.get_font_size()


def test_sentences_are_wrapped_and_never_cut(desk: Desk) -> None:
    view = replace(VIEW, meaning=LONG, wrong=True, trouble="It was lost. " * 9)
    told = words_of(desk, view, (480, SIZE[1]))
    for words in (LONG, "It was lost. " * 9):
        ((_, _, end),) = (each for each in told if each[0] == words)
        assert end < 480
