"""What the window says about its keys, as they are bound: one line under the numbers, all at F1, three at first.

Knows no window, so tests read it without one.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from render.settings import Action, Keyboard
from render.settings.actions import FLYING, LOOKING_BACK, OVERLAY_OF, PINNING, PLAYING, SEEING, SHOWING
from render.settings.key_names import shown
from render.settings.overlays import OVERLAY_TABLE

LONGEST_LINE: Final = 72
"""Characters: as many as a window 640 pixels wide holds (seen)."""
LONGEST_OF_ALL: Final = 92
"""Of the list of all keys, which is drawn smaller where the window is."""
BETWEEN: Final = "  ·  "
FIRST_PIN: Final = Action.PIN_HERE
MOVING: Final = (Action.FORWARD, Action.LEFT, Action.BACK, Action.RIGHT)


def hint(keyboard: Keyboard) -> str:
    """The line under the numbers."""
    key = keyboard.shown
    climbing = f"{key(Action.UP)}, {key(Action.DOWN)}"
    return (
        f"click: look · {keyboard.row(MOVING)}, {climbing}: fly · wheel: speed · {key(Action.PICTURE)} picture · "
        f"{key(Action.HUD)} numbers · {key(Action.STATES)} states · {key(Action.HELP)} all keys"
    )


def tools_hint(keyboard: Keyboard, live: bool) -> str:
    """The line below it: panels, overlays, and what leads on in a live session: its past and its first look-out."""
    key = keyboard.shown
    tools = [f"{key(Action.INSPECT)} why a hole", f"{key(Action.PANELS)} panels", f"{key(Action.OVERLAYS)} overlays"]
    past = f"{keyboard.row([Action.PAUSE, Action.SKIP_BACK])} look back"
    return " · ".join([*tools, past, f"{key(FIRST_PIN)} {PINNING[FIRST_PIN]}"] if live else tools)


def short_hint(keyboard: Keyboard) -> str:
    """The line in place of both in a small window."""
    key = keyboard.shown
    return (
        f"click: look · {key(Action.INSPECT)} why a hole · {key(Action.HELP)} all keys · {key(Action.HUD)} no numbers"
    )


def pins_hint(keyboard: Keyboard) -> str:
    """The other keys of look-outs, for who has one."""
    return " · ".join(f"{keyboard.shown(action)} {PINNING[action]}" for action in PINNING if action is not FIRST_PIN)


def playback_hint(keyboard: Keyboard) -> str:
    """The keys of a recording's time."""
    row = keyboard.row
    return (
        f"{row([Action.PAUSE])} pause · {row([Action.PACKET_BACK, Action.PACKET_ON])} packet · "
        f"{row([Action.TICK_BACK, Action.TICK_ON])} tick · {row([Action.SLOWER, Action.FASTER])} speed · "
        f"{row([Action.SKIP_BACK, Action.SKIP_ON])} 5 s · {row([Action.START, Action.END])}: start, end"
    )


def all_keys(keyboard: Keyboard, preset: str, recording: bool) -> list[str]:
    """What F1 shows: every action with its keys, by what it is about.

    Args:
        keyboard: as bound.
        preset: its name.
        recording: whether one is looked at, or the past: then there are no look-outs.
    """
    groups: list[tuple[str, Mapping[Action, str]]] = [("Move", FLYING), ("Look", SEEING), ("Show", SHOWING)]
    groups += [("Time", PLAYING)] if recording else [("Look-outs", PINNING), ("The last minutes", LOOKING_BACK)]
    lines = [f"Keys ({preset}). Mouse: look, after a click. Wheel: speed."]
    for title, meanings in groups:
        entries = [keyboard.help_line(action, meaning) for action, meaning in meanings.items()]
        lines += [f"{title}:", *(f"    {line}" for line in packed(entries, LONGEST_OF_ALL))]
    lines.append(f"Overlays ({keyboard.shown(Action.OVERLAYS)}, then the letter; a key of its own in brackets):")
    return [*lines, *(f"    {line}" for line in packed(overlay_keys(keyboard), LONGEST_OF_ALL))]


def overlay_keys(keyboard: Keyboard) -> list[str]:
    """Every overlay with its letter, and its own key where it has one."""
    own = {name: keyboard.keys(action) for action, name in OVERLAY_OF.items()}
    return [
        f"{overlay.letter}: {overlay.name}"
        + (f" ({', '.join(map(shown, own[overlay.name]))})" if own[overlay.name] else "")
        for overlay in OVERLAY_TABLE
    ]


def first_lines(keyboard: Keyboard, file: Path | None) -> list[str]:
    """What somebody sees who starts for the first time: three lines."""
    key = keyboard.shown
    flying = f"{keyboard.row(MOVING)}, {key(Action.UP)}, {key(Action.DOWN)} fly"
    return [
        f"Click and look around; {flying}; wheel: speed.",
        f"{key(Action.STATES)} states of sub-chunks, {key(Action.INSPECT)} why a hole is one, "
        f"{key(Action.HUD)} numbers, {key(Action.PICTURE)} a picture.",
        f"{key(Action.HELP)} lists all keys, {key(Action.NEXT_PRESET)} changes their layout"
        + (f"; settings: {file}" if file else "."),
    ]


def packed(entries: Iterable[str], longest: int = LONGEST_LINE) -> list[str]:
    """Entries side by side, as many as a line of so many characters holds."""
    lines: list[str] = []
    for entry in entries:
        if lines and len(lines[-1]) + len(BETWEEN) + len(entry) <= longest:
            lines[-1] += BETWEEN + entry
        else:
            lines.append(entry)
    return lines
