"""The connect screen by keys alone, without a window.

Sources: What the connect screen's rows say.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.connection.connection import Spoken
from client.lan import GONE_S, Neighbour
from client.source import Embedded, Remote, Source, WorldFile
from render.panels.connect import FIELD, ConnectRow, ConnectSection, Underway, choosing
from render.panels.hud import Banner, BannerKind, banner_of
from render.viewer.connect.recent import Recent
from render.viewer.connect.screen_state import (
    ConnectScreen,
    Forget,
    Join,
    Leave,
    Retry,
)
from render.viewer.connect.sources import (
    FAINTEST,
    Found,
    ago,
    embedded_section,
    lan_section,
    places_section,
    recent_section,
)

# ---------------------------------------------------------------- screen state

MILL, TOWER, FLAT = Remote("10.0.0.1"), Remote("10.0.0.2"), Embedded("flat")


def section(title: str, *sources: Source, forgettable: bool = False) -> ConnectSection:
    rows = tuple(ConnectRow(each, str(each), "", forgettable=forgettable) for each in sources)
    return ConnectSection(title, rows, "none")


def screen(text: str = "", pasted: str = "") -> ConnectScreen:
    made = ConnectScreen(lambda: pasted)
    made.begin(text)
    made.show(
        (section("LAN", MILL, TOWER), section("Empty"), section("Recent", MILL, forgettable=True), section("Own", FLAT))
    )
    return made


def selected(made: ConnectScreen) -> int:
    return made.view(None, "", "").selected


def press(made: ConnectScreen, *names: str) -> object:
    return [made.key(name) for name in names][-1]


def test_arrows_go_through_all_rows_round_and_round() -> None:
    made = screen()
    seen = []
    for _ in range(6):
        seen.append(selected(made))
        press(made, "DOWN")
    assert seen == [FIELD, 1, 2, 3, 4, FIELD]
    press(made, "UP")
    assert selected(made) == FIELD
    assert press(made, "END") is None
    assert selected(made) == FIELD, "End belongs to the text while one types"
    press(made, "DOWN", "END")
    assert press(made, "ENTER") == Join(FLAT)


def test_tab_goes_from_section_to_section_and_skips_empty_ones() -> None:
    made = screen()
    seen = []
    for _ in range(4):
        press(made, "TAB")
        seen.append(selected(made))
    assert seen == [1, 3, 4, FIELD]
    press(made, "LSHIFT", "TAB")
    assert selected(made) == 4
    made.key("LSHIFT", down=False)
    press(made, "TAB")
    assert selected(made) == FIELD


def test_the_selection_stays_with_its_source() -> None:
    made = screen()
    press(made, "DOWN", "DOWN")
    made.show((section("LAN", TOWER), section("Own", FLAT)))
    assert selected(made) == 1
    assert press(made, "ENTER") == Join(TOWER)
    made.show((section("LAN"), section("Own", FLAT)))
    assert press(made, "ENTER") == Join(FLAT), "what stands in its place"
    made.show(())
    assert selected(made) == FIELD


def test_an_address_is_typed_corrected_and_joined() -> None:
    made = screen()
    press(made, "DOWN")
    made.text("h")
    for letter in "ost:190":
        made.text(letter)
    press(made, "LEFT", "BACKSPACE", "HOME", "DELETE", "END")
    made.text("0")
    assert made.field.text == "ost:100"
    assert made.meaning() == ("the server ost, port 100", False)
    assert press(made, "ENTER") == Join(Remote("ost", 100))
    press(made, "LCTRL", "U")
    assert made.field.text == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Type an address, or choose a row with the arrow keys."),
        ("host:0", "The port '0' of 'host:0' must be a number from 1 to 65535."),
        ("embedded:hils", "Unknown embedded world 'hils': choose from hills, bench, flat."),
        ("/no/such.mcworld", "/no/such.mcworld does not exist."),
    ],
)
def test_what_cannot_be_joined_is_said_under_the_address(text: str, sentence: str) -> None:
    made = screen(text)
    assert press(made, "ENTER") is None
    assert made.meaning() == (sentence, True)
    made.text("x")
    assert made.meaning()[0] != sentence or text, "a new letter is a new try"


def test_paths_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "level.dat").write_bytes(b"")
    (tmp_path / "a.cscope").write_bytes(b"")
    assert screen(str(tmp_path / "world")).meaning() == ("a world folder", False)
    assert screen(str(tmp_path / "a.cscope")).meaning() == ("a recording", False)
    assert press(screen(str(tmp_path / "world")), "ENTER") == Join(WorldFile(tmp_path / "world"))
    assert screen(str(tmp_path)).meaning()[1]


def test_an_address_that_begins_with_a_digit_is_typed_whichever_row_is_selected() -> None:
    made = screen()
    press(made, "DOWN")
    for letter in "127.0.0.1:5":
        press(made, f"_{letter}" if letter.isdigit() else "PERIOD")
        made.text(letter)
    assert made.field.text == "127.0.0.1:5"
    assert press(made, "ENTER") == Join(Remote("127.0.0.1", 5))


@pytest.mark.parametrize("kind", ["_", "NUM_"])
def test_ctrl_and_a_digit_join_a_row_and_type_nothing(kind: str) -> None:
    made = screen("host")
    press(made, "LCTRL")
    assert press(made, f"{kind}2") == Join(TOWER)
    made.text("2")
    assert press(made, f"{kind}9") is None, "there is no such row"
    made.key("LCTRL", down=False)
    assert press(made, f"{kind}2") is None
    assert made.field.text == "host"


def test_the_keys_are_said_where_they_do_something() -> None:
    made = screen()
    assert "Ctrl+digit: join that row" in choosing(made.view(None, "", ""))
    assert "Del" not in choosing(made.view(None, "", "")), "it belongs to the text while one types"
    press(made, "DOWN")
    assert "Del" not in choosing(made.view(None, "", "")), "a server of the network comes back by itself"
    press(made, "DOWN", "DOWN")
    assert "Del: forget" in choosing(made.view(None, "", ""))
    made.show(())
    assert "digit" not in choosing(made.view(None, "", ""))


def test_other_keys_of_the_screen() -> None:
    made = screen(pasted=" 10.0.0.9:7\n")
    assert press(made, "ESCAPE") is None
    assert press(made, "F5") == Retry()
    press(made, "LCTRL", "V")
    assert press(made, "Q") == Leave()
    made.key("LCTRL", down=False)
    assert press(made, "Q") is None, "a letter of an address"
    assert press(made, "ENTER") == Join(Remote("10.0.0.9", 7))
    press(made, "DOWN")
    assert press(made, "DELETE") is None
    press(made, "DOWN", "DOWN")
    assert press(made, "DELETE") == Forget(MILL)
    assert made.field.text == "10.0.0.9:7"


KEYS = [
    "UP",
    "DOWN",
    "TAB",
    "PAGEUP",
    "PAGEDOWN",
    "HOME",
    "END",
    "DELETE",
    "BACKSPACE",
    "LEFT",
    "ENTER",
    "LSHIFT",
    "F5",
]


@given(st.lists(st.one_of(st.sampled_from(KEYS), st.text(max_size=2), st.integers(0, 3)), max_size=60))
def test_whatever_is_pressed_and_comes_and_goes_something_is_selected(steps: list[object]) -> None:
    made = screen()
    rows = [MILL, TOWER, FLAT]
    for step in steps:
        if isinstance(step, int):
            made.show((section("LAN", *rows[:step]), section("Own", *rows[step:])))
        elif step in KEYS:
            made.key(str(step))
        else:
            made.text(str(step))
        view = made.view(None, "", "")
        assert 0 <= view.selected <= sum(len(each.rows) for each in view.sections)
        assert 0 <= view.caret <= len(view.text)


# ---------------------------------------------------------------- sources


def neighbour(silent_s: float, name: str = "The mill") -> Neighbour:
    return Neighbour(Remote("10.0.0.1"), name, "1.18.12", 486, 1, 10, 0.0042, silent_s)


def test_a_server_says_version_players_and_ping_and_fades_when_it_falls_silent() -> None:
    there, silent, nearly = lan_section(map(neighbour, (0.4, 5.0, GONE_S)), "").rows
    assert (there.title, there.detail, there.status, there.strength) == (
        "The mill", "10.0.0.1:19132   raknet   1.18.12 (486)", "1/10 players   4 ms", 1.0,
    )  # fmt: skip
    assert silent.status == "no reply for 5 s"
    assert FAINTEST == nearly.strength < silent.strength < 1.0
    assert lan_section([neighbour(0.0, "")], "").rows[0].title == "10.0.0.1:19132"


def test_a_lan_game_and_a_recent_server_say_their_transport() -> None:
    game = Neighbour(Remote("10.0.0.1", 7551, "lan"), "", "", 0, 1, 10, 0.004, 0.0, "nethernet")
    (row,) = lan_section([game], "").rows
    assert (row.title, row.detail) == ("lan://10.0.0.1:7551", "lan://10.0.0.1:7551   nethernet   protocol unknown")
    joined = [
        Recent(Remote("10.0.0.1"), "Mill", 100.0, Spoken("https://10.0.0.1", 2193, "1.26.51")),
        Recent(Remote("10.0.0.2"), "", 100.0, Spoken("raknet", 486)),
    ]
    details = [entry.detail for entry in recent_section(joined, "", 100.0, {}).rows]
    assert details == ["10.0.0.1:19132   nethernet   1.26.51 (2193)", "10.0.0.2:19132   raknet   protocol 486"]


def test_a_recent_server_says_what_it_is_now_or_that_it_does_not_answer() -> None:
    mill, tower = Remote("10.0.0.1"), Remote("10.0.0.2")
    joined = [Recent(mill, "Mill", 100.0, Spoken("raknet", 486)), Recent(tower, "Tower", 100.0, Spoken("raknet", 486))]
    answer = Neighbour(mill, "New name", "1.26.51", 2193, 2, 10, 0.012, 0.0, "nethernet")
    rows = recent_section(joined, "", 160.0, {mill: answer, tower: None}).rows
    assert [(row.title, row.detail, row.status) for row in rows] == [
        ("Mill", "10.0.0.1:19132   nethernet   1.26.51 (2193)", "2/10 players   12 ms"),
        ("Tower", "10.0.0.2:19132   raknet   protocol 486", "no answer   1 minute ago"),
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5.0, "just now"), (59.0, "just now"), (60.0, "1 minute ago"), (7200.0, "2 hours ago"), (1e9, "31 years ago")],
)
def test_how_long_ago_something_was(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_recent_ones_can_be_forgotten_and_the_home_folder_is_short() -> None:
    world = WorldFile(Path.home() / "worlds" / "mine")
    (entry,) = recent_section([Recent(world, "Mine", 100.0)], "", 4000.0, {}).rows
    assert (entry.title, entry.detail, entry.status) == ("Mine", str(Path("~/worlds/mine")), "1 hour ago")
    assert entry.forgettable
    (found,) = places_section([Found(Path.home() / "a.cscope", "a.cscope", "recording", 0.0)], "").rows
    assert (found.detail, found.status) == ("~", "recording")
    assert [entry.title for entry in embedded_section().rows] == ["hills", "bench", "flat"]


def test_a_banner_says_what_was_lost_and_what_can_be_done() -> None:
    assert banner_of("", None, True, "F12") is None
    lost = banner_of("The server is closed.", None, True, "F12")
    assert lost is not None
    assert lost.words == "The server is closed."
    assert lost.keys.startswith("R or Enter: join again   F12: other worlds")
    flying = banner_of("The server is closed.", None, False, "F12")
    assert flying is not None
    assert flying.keys.startswith("Enter: join again")
    joining = banner_of("lost", Underway("here", "waiting", 0.5, 2.0), True, "F12")
    assert joining is not None
    assert (joining.title, joining.share) == ("Joining here, 2.0 s", 0.5)


def test_a_banner_says_that_it_is_the_past_and_how_long_ago() -> None:
    past = Banner(BannerKind.PAST, "Rewound 12.4 s", "paused; live session continues", "End: live", 0.25)
    shown = banner_of("", None, True, "F12", past)
    assert shown is not None
    assert (shown.title, shown.words) == ("Rewound 12.4 s", "paused; live session continues")
    assert (shown.share, shown.keys, shown.kind) == (0.25, "End: live", BannerKind.PAST)
    over = banner_of("The server is closed.", None, True, "F12", past)
    assert over is not None
    assert (over.title, over.words) == ("Rewound 12.4 s", "Connection lost: The server is closed.")
    joining = banner_of("", Underway("here", "waiting", 0.5, 2.0), True, "F12", past)
    assert joining is not None
    assert joining.title.startswith("Joining")
