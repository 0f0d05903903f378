"""The chooser of overlays: closed it takes no key, open it takes its letters and says what is on."""

from render.settings.overlays import OVERLAY_TABLE
from render.viewer.display.overlay_switches import Chooser


def test_closed_it_takes_no_key() -> None:
    chooser = Chooser(set())
    assert [chooser.overlay_of(overlay.letter) for overlay in OVERLAY_TABLE] == [None] * len(OVERLAY_TABLE)
    assert not chooser.closes("ESCAPE")


def test_open_every_letter_and_digit_is_an_overlay() -> None:
    chooser = Chooser(set())
    chooser.turn()
    for overlay in OVERLAY_TABLE:
        key = f"_{overlay.letter}" if overlay.letter.isdigit() else overlay.letter  # as pyglet names keys
        assert chooser.overlay_of(key) == overlay.name
    assert chooser.overlay_of("F1") is None


def test_escape_closes_it_and_nothing_else_does_but_its_key() -> None:
    chooser = Chooser(set())
    chooser.turn()
    assert not chooser.closes("S")
    assert chooser.closes("ESCAPE")
    assert not chooser.is_open


def test_del_clears_while_it_is_open_and_alone() -> None:
    chooser = Chooser({"states"})
    assert not chooser.clears("DELETE")
    chooser.turn()
    assert chooser.clears("DELETE")
    assert not chooser.clears("S")


def test_it_says_what_each_shows_and_which_are_on() -> None:
    on = {"states"}
    lines = Chooser(on).lines("O")
    assert "O or Esc closes" in lines[0]
    assert lines[1] == "  S\t[x]\tstates: the state of every sub-chunk"
    assert {line.count("\t") for line in lines[1:]} == {2}, "columns, however wide a letter is"
    on.clear()
    assert "[  ]\tstates" in Chooser(on).lines("O")[1]
