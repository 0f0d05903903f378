"""The connect screen's state: typed text, selection, meaning of keys. Independent of window and imgui.

Rules:
1. The address field and all rows are one cyclic list: up and down move through it, Tab from section to section.
2. The selection follows its source while rows come and go; if the source disappears, the row at its position is
   selected.
3. Typed text always goes to the address; Ctrl with a digit joins the row of that number. (Without Ctrl, typing "127"
   would join row 1.)
4. During a join only Escape has an effect.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from client.errors import UsageError
from client.source import Embedded, Remote, Source, WorldFile, parse_source
from render.panels.connect import FIELD, ConnectSection, ConnectView, Underway
from render.settings.keys import ENTER, FRENCH_DIGITS, KEYPAD_DIGITS

LONGEST: Final = 400


class TextField:
    """A text with a caret."""

    def __init__(self, text: str = "") -> None:
        self.text = text  # the text
        self.caret = len(text)  # characters before it

    def set(self, text: str) -> None:
        self.text = text[:LONGEST]
        self.caret = len(self.text)

    def type(self, typed: str) -> bool:
        """Inserts typed or pasted text without control characters (line ends); returns whether anything changed."""
        plain = "".join(sign for sign in typed if sign.isprintable())[: LONGEST - len(self.text)]
        self.text = self.text[: self.caret] + plain + self.text[self.caret :]
        self.caret += len(plain)
        return bool(plain)

    def key(self, name: str) -> bool:
        """Handles a key, by its name; returns whether the field uses it."""
        match name:
            case "BACKSPACE" if self.caret:
                self.text = self.text[: self.caret - 1] + self.text[self.caret :]
                self.caret -= 1
            case "DELETE":
                self.text = self.text[: self.caret] + self.text[self.caret + 1 :]
            case "LEFT":
                self.caret = max(0, self.caret - 1)
            case "RIGHT":
                self.caret = min(len(self.text), self.caret + 1)
            case "HOME":
                self.caret = 0
            case "END":
                self.caret = len(self.text)
        return name in ("BACKSPACE", "DELETE", "LEFT", "RIGHT", "HOME", "END")


# ---------------------------------------------------------------- screen

PAGE_ROWS: Final = 6
CONTROL: Final = frozenset({"LCTRL", "RCTRL", "LCOMMAND", "RCOMMAND"})
DIGITS: Final = {
    **{f"_{number}": number for number in range(1, 10)},
    **{name: int(key[1:]) for name, key in (KEYPAD_DIGITS | FRENCH_DIGITS).items() if key != "_0"},
}
"""Keys to the numbers of rows, also on a French keyboard: with Ctrl they have no other meaning."""


class Join(msgspec.Struct, frozen=True):
    """Join a source."""

    source: Source


class Forget(msgspec.Struct, frozen=True):
    """Remove a source from the recent ones."""

    source: Source


class Leave(msgspec.Struct, frozen=True):
    """End the program; needed where the window has no close button."""


class Retry(msgspec.Struct, frozen=True):
    """Join the last source again."""


ScreenCommand = Join | Forget | Leave | Retry
"""A command for the window."""


class ConnectScreen:
    """The state of one window's screen."""

    def __init__(self, paste: Callable[[], str] = str) -> None:
        self.field = TextField()
        self.sections: tuple[ConnectSection, ...] = ()
        self.trouble = ""
        self.typed: Source | None = None  # the source of the address that ``meaning`` has read last; None if it is none
        self._paste = paste
        self._selected = FIELD
        self._held: tuple[str, Source] | None = None
        self._control = self._shift = False
        self._refused = ""
        self._meant: tuple[str, str] | None = None
        self._moved = False

    def begin(self, text: str) -> None:
        """Resets it when it is opened: the address is selected, with this text."""
        self.field.set(text)
        self._edited()

    # ------------------------------------------------------------ what is there

    def show(self, sections: tuple[ConnectSection, ...]) -> None:
        """Sets the rows; the selection stays with its source."""
        self.sections = sections
        rows = self._rows()
        if self._held in rows:
            self._selected = 1 + rows.index(self._held)
        elif self._selected != FIELD:
            self._select(min(self._selected, len(rows)))

    def view(self, underway: Underway | None, beneath: str, retry: str, answer: str = "") -> ConnectView:
        """The content of the screen. ``answer``: what the ``typed`` server says of itself, in words."""
        meaning, wrong = self.meaning()
        if answer and not wrong:
            meaning = f"{meaning}: {answer}"
        moved, self._moved = self._moved, False
        return ConnectView(
            self.field.text, self.field.caret, meaning, wrong, self.trouble, self.sections, self._selected, moved,
            underway, beneath, retry, self._forgettable is not None,
        )  # fmt: skip

    def meaning(self) -> tuple[str, bool]:
        """The meaning of the present address, and whether it is an error."""
        if self._refused:
            return self._refused, True
        text = self.field.text.strip()
        if self._meant is None or self._meant[0] != text:  # a path is checked once, not every frame
            words, self.typed = read(text)
            self._meant = text, words
        return self._meant[1], bool(text) and self.typed is None

    # ------------------------------------------------------------ what comes in

    def text(self, typed: str) -> None:
        if not self._control and self.field.type(typed):
            self._edited()

    def key(self, name: str, down: bool = True) -> ScreenCommand | None:
        if name in CONTROL:
            self._control = down
        if name in ("LSHIFT", "RSHIFT"):
            self._shift = down
        if not down:
            return None
        if name in ENTER or (self._control and name in DIGITS):
            return self.join(DIGITS.get(name, self._selected))
        match name:
            case "F5":
                return Retry()
            case "Q" if self._control:
                return Leave()
            case "DELETE" if self._selected != FIELD:
                return Forget(self._forgettable) if self._forgettable else None
            case "UP" | "DOWN" | "PAGEUP" | "PAGEDOWN" | "TAB":
                self._move(name)
            case "HOME" | "END" if self._selected != FIELD:
                self._select(FIELD if name == "HOME" else len(self._rows()))
            case _:
                self._edit(name)
        return None

    def _edit(self, name: str) -> None:
        if (name == "V" and self._control) or (name == "INSERT" and self._shift):
            changed = self.field.type(self._paste().strip())
        elif name == "U" and self._control:
            self.field.set("")
            changed = True
        else:
            changed = self.field.key(name)
        if changed:
            self._edited()

    def join(self, number: int) -> ScreenCommand | None:
        """Joins a row by its number, or the address; an error is shown under it."""
        if number != FIELD:
            rows = self._rows()
            return Join(rows[number - 1][1]) if number <= len(rows) else None
        text = self.field.text.strip()
        words, source = read(text)
        if source is not None:
            return Join(source)
        self._refused = words if text else "Type an address, or choose a row with the arrow keys."
        self._select(FIELD)
        return None

    def select_field(self) -> None:
        self._select(FIELD)

    def release_keys(self) -> None:
        """Releases all keys: releases that happen elsewhere are not reported."""
        self._control = self._shift = False

    # ------------------------------------------------------------

    def _rows(self) -> list[tuple[str, Source]]:
        return [(section.title, row.source) for section in self.sections for row in section.rows]

    def _edited(self) -> None:
        self._refused = ""
        self._select(FIELD)

    def _select(self, number: int) -> None:
        rows = self._rows()
        self._selected = min(max(number, FIELD), len(rows))
        self._held = rows[self._selected - 1] if self._selected != FIELD else None
        self._moved = True

    def _move(self, name: str) -> None:
        rows = len(self._rows()) + 1
        match name:
            case "UP" | "DOWN":
                self._select((self._selected + (1 if name == "DOWN" else -1)) % rows)
            case "PAGEUP" | "PAGEDOWN":
                self._select(self._selected + (PAGE_ROWS if name == "PAGEDOWN" else -PAGE_ROWS))
            case _:
                starts, before = [FIELD], 1
                for section in self.sections:
                    starts += [before] if section.rows else []
                    before += len(section.rows)
                here = max(index for index, start in enumerate(starts) if start <= self._selected)
                self._select(starts[(here + (-1 if self._shift else 1)) % len(starts)])

    @property
    def _forgettable(self) -> Source | None:
        """The source that Delete would remove now."""
        rows = [row for section in self.sections for row in section.rows]
        row = rows[self._selected - 1] if self._selected != FIELD else None
        return row.source if row is not None and row.forgettable else None


def read(text: str) -> tuple[str, Source | None]:
    """The meaning of an address in words, and its source; None if it cannot be joined."""
    if not text:
        return "HOST[:PORT], a world folder, a file (.mcworld, .cscope), or embedded:hills", None
    try:
        source = parse_source(text)
    except UsageError as error:
        return str(error), None
    match source:
        case Remote(host, port):
            return f"the server {host}, port {port}", source
        case Embedded(world, seed):
            return f"built-in world '{world}', seed {seed}", source
        case WorldFile(path):
            words, wrong = describe_path(path)
            return words, None if wrong else source


def describe_path(path: Path) -> tuple[str, bool]:
    """A path in words, and whether it cannot be read."""
    try:
        if path.is_dir():
            next(path.iterdir(), None)
            if (path / "level.dat").is_file() or (path / "db").is_dir():
                return "a world folder", False
            return f"{path} is not a world: it has neither level.dat nor a folder 'db'.", True
        if not path.exists():
            return f"{path} does not exist.", True
        path.open("rb").close()
    except OSError as error:
        return f"{path}: {error.strerror}.", True
    return "a recording" if path.suffix.lower() == ".cscope" else "a packed world", False
