"""F1: all keys and commands, filtered by typed text, and the command of the selected row. Independent of the window.

Rules:
1. While it is open it uses letters, arrows and Enter; function keys are the window's and close it.
2. Every typed word must occur in a row's group, keys, name or meaning.
3. Enter closes it and runs the selected command; commands that last while their key is held cannot be run, and a
   message says so.
"""

from typing import Final

from render.panels.hud import KeyRow, KeyTableView
from render.settings import Action, Keyboard
from render.settings.actions import LOOKING_BACK, ActionGroup, actions_of
from render.settings.keys import ENTER, FUNCTION, shown
from render.settings.overlays import OVERLAYS

STEPS: Final = {"UP": -1, "DOWN": 1, "PAGEUP": -10, "PAGEDOWN": 10, "HOME": -1000, "END": 1000}


def commands(keyboard: Keyboard, recording: bool) -> list[tuple[Action, KeyRow]]:
    """Every command with its keys, by group: pins and looking back in the present, all time commands in a recording."""
    groups = {group: actions_of(group) for group in ActionGroup}
    if recording:
        del groups[ActionGroup.LOOK_OUTS]
    else:
        groups[ActionGroup.TIME] = LOOKING_BACK
    opener = keyboard.shown(Action.OVERLAYS)
    letters = {overlay.action: overlay for overlay in OVERLAYS.values()}
    rows = []
    for group, actions in groups.items():
        for action in actions:
            caps = [cap for key in keyboard.keys(action) for cap in ("or", shown(key))][1:]
            means = action.means
            if overlay := letters.get(action):
                caps = [*caps, "or", opener, overlay.letter] if caps else [opener, overlay.letter]
                means = f"{overlay.name}: {overlay.title}"
            rows.append((action, KeyRow(group.value, tuple(caps), means)))
    return rows


class KeyTable:
    """The table of one window."""

    def __init__(self) -> None:
        self.opened = False  # whether it is shown
        self._text = ""
        self._selected = 0

    def turn(self) -> bool:
        """Opens or closes it; returns whether it is open now."""
        self.opened, self._text, self._selected = not self.opened, "", 0
        return self.opened

    def type(self, text: str) -> None:
        self._text += "".join(sign for sign in text if sign.isprintable())
        self._selected = 0

    def move(self, rows: int) -> None:
        """Moves the selection down, or up."""
        self._selected += rows

    def view(self, keyboard: Keyboard, preset: str, recording: bool) -> KeyTableView:
        rows = tuple(row for _, row in self._found(keyboard, recording))
        self._selected = min(max(self._selected, 0), max(len(rows) - 1, 0))
        return KeyTableView(rows, self._selected, self._text, preset)

    def take(self, name: str, keyboard: Keyboard, recording: bool) -> tuple[Action | None, str] | None:
        """Handles a key, by its name: the command to run and a message; None if it does not use the key."""
        if not self.opened:
            return None
        if name in FUNCTION:
            self.opened &= keyboard.action(name) is Action.HELP  # that command closes it itself
            return None
        if name in ENTER:
            found = self._found(keyboard, recording)
            selected = min(max(self._selected, 0), len(found) - 1)
            self.turn()
            return _run(*found[selected]) if found else (None, "")
        if name == "ESCAPE":
            self.turn()
        elif name == "BACKSPACE":
            self._text, self._selected = self._text[:-1], 0
        elif name in STEPS:
            self.view(keyboard, "", recording)  # keeps the selection on a row
            self.move(STEPS[name])
        return None, ""

    def _found(self, keyboard: Keyboard, recording: bool) -> list[tuple[Action, KeyRow]]:
        words = self._text.casefold().split()
        return [
            (action, row)
            for action, row in commands(keyboard, recording)
            if all(word in _searched(action, row) for word in words)
        ]


def _searched(action: Action, row: KeyRow) -> str:
    return f"{row.group} {' '.join(row.caps)} {action.value.replace('_', ' ')} {row.means}".casefold()


def _run(action: Action, row: KeyRow) -> tuple[Action | None, str]:
    if action.group is ActionGroup.MOVE:
        return None, f"Hold {' '.join(row.caps) or 'a key of your own'}: {row.means}."
    return (None, "") if action is Action.HELP else (action, "")
