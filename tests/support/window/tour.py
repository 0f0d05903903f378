"""A tour of all features of the window: connect, look, walk, every overlay, every panel, playback, a picture.

One list of steps for two drivers: real keys on a virtual screen (``tests/gpu/test_window_tour.py``), and dispatched
events without a display (``tests.support.window.headless``). Each step saves a picture, NN-NAME.png, in ``shots/tour``,
which git ignores. Look at them after a change: tests do not judge them.
"""

from itertools import count
from pathlib import Path
from typing import Any, Protocol

from render.panels.panel import all_panels
from render.settings.overlays import OVERLAYS
from render.viewer.display.panel_host import panels_by_digit

ROOT = Path(__file__).parents[3] / "shots" / "tour"
SIZE = (800, 500)
Event = dict[str, Any]


class Hand(Protocol):
    """A driver of the window."""

    def press(self, *keys: str) -> None:
        """Presses and releases keys, by pyglet's names, one after the other; ``CTRL+NAME`` with Control held."""
        ...

    def hold(self, key: str, kind: str) -> None:
        """Holds a key until an event of that kind came."""
        ...

    def turn(self) -> None:
        """Captures the mouse with a click and looks around."""
        ...

    def wait(self, kind: str, **facts: object) -> Event:
        """Waits for the first event of that kind with these facts since the last action."""
        ...

    def keep(self, name: str) -> None:
        """Saves a picture of the window."""
        ...


class Album:
    """Numbers the pictures of one tour."""

    def __init__(self, name: str) -> None:
        """Starts empty; old pictures of the tour are deleted."""
        self._folder = ROOT / name
        self._folder.mkdir(parents=True, exist_ok=True)
        for old in self._folder.glob("*.png"):
            old.unlink()
        self._numbers = count(1)

    def path(self, name: str) -> Path:
        """The path of the next picture."""
        return self._folder / f"{next(self._numbers):02}-{name}.png"


def tour(hand: Hand) -> Path:
    """Runs the tour without closing the window; returns the recording that was saved."""
    connect(hand)
    move(hand)
    overlays(hand)
    panels(hand)
    saved = past(hand)
    picture(hand)
    return saved


def picture(hand: Hand) -> Path:
    """Takes a picture; returns its path."""
    hand.press("F2")
    return Path(hand.wait("picture")["path"])


def connect(hand: Hand) -> None:
    """Joins the LAN's server from the connect screen."""
    hand.wait("listed", servers=1)
    hand.keep("screen")
    hand.press("DOWN", "RETURN")
    hand.wait("world")
    hand.wait("settled")
    hand.keep("world")


def move(hand: Hand) -> None:
    """Looks around and walks."""
    hand.turn()
    hand.wait("view")
    hand.keep("look")
    hand.press("F4")
    hand.wait("travel", said="Walking.")
    hand.hold("W", "view")
    hand.keep("walk")
    hand.press("F4")
    hand.wait("travel")


def overlays(hand: Hand) -> None:
    """Shows each overlay by its letter, with the list closed."""
    hand.press("O")
    hand.keep("chooser")
    for overlay in OVERLAYS.values():
        letter = f"_{overlay.letter}" if overlay.letter.isdigit() else overlay.letter
        hand.press(letter)
        hand.wait("overlay", name=overlay.name, on=True)
        hand.press("O")
        hand.keep(f"overlay-{overlay.name}")
        hand.press("O", letter)
        hand.wait("overlay", name=overlay.name, on=False)
    hand.press("V", "O", "F")
    hand.wait("debug", action="freeze")
    hand.hold("S", "view")
    hand.keep("frozen-culling")
    hand.press("F", "O", "V", "O")
    hand.wait("overlay", name="verdict", on=False)


def panels(hand: Hand) -> None:
    """Shows each panel by its digit; switching the keys to the world and back tells when it is shown."""
    hand.press("F7")
    hand.wait("panels", on=True, keys=True)
    digits = {panel.name: f"CTRL+_{digit}" for digit, panel in panels_by_digit().items()}
    assert [*digits] == [panel.name for panel in all_panels()][: len(digits)]
    hand.press(*(digits[panel.name] for panel in all_panels() if panel.opened))
    for name, digit in digits.items():
        hand.press(digit, "TAB")
        hand.wait("panels", keys=False)
        hand.keep(f"panel-{name}")
        hand.press("TAB")
        hand.wait("panels", keys=True)
        if name != "events":
            hand.press(digit)


def past(hand: Hand) -> Path:
    """Looks back with the panel of events open, returns, and saves."""
    hand.press("TAB")
    hand.wait("panels", keys=False)
    hand.press("P")
    hand.wait("time")
    hand.wait("rest")
    hand.press("PAGEUP")
    hand.wait("time")
    hand.wait("rest")
    hand.keep("past")
    hand.press("END")
    hand.wait("time", said="This is the live session.")
    hand.keep("present")
    hand.press("Y")
    said = str(hand.wait("time")["said"])
    hand.press("F7")
    hand.wait("panels", keys=True)
    hand.press("F7")
    hand.wait("panels", on=False)
    return Path(said.partition("of the session saved: ")[2])
