"""What the connect screen's rows say."""

from pathlib import Path

import pytest

from client.lan import GONE_S, Neighbour
from client.source import Remote, WorldFile
from render.panels.connect import Underway
from render.panels.hud import BannerKind
from render.viewer.connect.plan import Found
from render.viewer.connect.recent import Recent
from render.viewer.connect.sources import FAINTEST, ago, embedded_section, lan_section, places_section, recent_section
from render.viewer.display.banner import PastView, banner_of


def neighbour(silent_s: float, name: str = "The mill") -> Neighbour:
    return Neighbour(Remote("10.0.0.1"), name, "1.18.12", 486, 1, 10, 0.0042, silent_s)


def test_a_server_says_version_players_and_ping_and_fades_when_it_falls_silent() -> None:
    there, silent, nearly = (entry.row for entry in lan_section(map(neighbour, (0.4, 5.0, GONE_S)), "").entries)
    assert (there.title, there.detail, there.note, there.strength) == (
        "The mill", "10.0.0.1:19132   1.18.12 (486)", "1/10 players   4 ms", 1.0,
    )  # fmt: skip
    assert silent.note == "silent for 5 s"
    assert FAINTEST == nearly.strength < silent.strength < 1.0
    assert lan_section([neighbour(0.0, "")], "").entries[0].row.title == "10.0.0.1:19132"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5.0, "just now"), (59.0, "just now"), (60.0, "1 minute ago"), (7200.0, "2 hours ago"), (1e9, "31 years ago")],
)
def test_how_long_ago_something_was(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_recent_ones_can_be_forgotten_and_the_home_folder_is_short() -> None:
    world = WorldFile(Path.home() / "worlds" / "mine")
    (entry,) = recent_section([Recent(world, "Mine", 100.0)], "", 4000.0).entries
    assert (entry.row.title, entry.row.detail, entry.row.note) == ("Mine", str(Path("~/worlds/mine")), "1 hour ago")
    assert entry.forgettable
    (found,) = places_section([Found(Path.home() / "a.cscope", "a.cscope", "recording", 0.0)], "").entries
    assert (found.row.detail, found.row.note) == ("~", "recording")
    assert [entry.row.title for entry in embedded_section().entries] == ["hills", "bench", "flat"]


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
    past = PastView("12.4 s", "paused", 0.25, "End: the present")
    shown = banner_of("", None, True, "F12", past)
    assert shown is not None
    assert (shown.title, shown.words) == ("The past, 12.4 s ago", "paused; the session goes on")
    assert (shown.share, shown.keys, shown.kind) == (0.25, "End: the present", BannerKind.PAST)
    over = banner_of("The server is closed.", None, True, "F12", past)
    assert over is not None
    assert (over.title, over.words) == ("The past, 12.4 s ago", "Connection lost: The server is closed.")
    joining = banner_of("", Underway("here", "waiting", 0.5, 2.0), True, "F12", past)
    assert joining is not None
    assert joining.title.startswith("Joining")
