"""The overlays by name: the letter of each in the chooser, and one line that says what it shows.

Rules:
1. An overlay is declared once, with the code that makes its marks: ``@overlay(...)`` in a module of
   ``render.overlays``. The settings file, ``--overlay``, the chooser, F1, the legend and the reference follow these
   declarations.
2. This module reads the declarations from the source text, without importing the modules, so that the command line
   knows the names before it loads anything that draws or has kernels. Importing them declares the same again, and may
   declare more.
3. Each overlay has a different letter. Each is an action too (its name with ``_``), so that ``[keys]`` can bind it.
"""

import ast
import difflib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from render.settings.actions import Action, ActionGroup

NEAR: Final = 0.4


def nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    """`` (did you mean 'that'?)``, or '' if no name is similar; all names begin with ``prefix``."""
    bare = sorted(each.removeprefix(prefix) for each in names)
    found = difflib.get_close_matches(name.removeprefix(prefix), bare, 1, NEAR)
    return f" (did you mean '{prefix}{found[0]}'?)" if found else ""


# ---------------------------------------------------------------- overlays


class Named(NamedTuple):
    """One overlay."""

    name: str  # as ``--overlay`` takes it
    letter: str  # its key while the chooser is open, as pyglet names it without ``_``
    title: str  # what it shows, in a few words
    place: int  # in the chooser
    keys: tuple[str, ...] = ()  # of its action in the preset ``qwerty``
    then: str = ""  # the overlay that its key shows in its place when pressed again; empty: none

    @property
    def action(self) -> Action:
        return Action.declare(re.sub("[-=]", "_", self.name), ActionGroup.OVERLAYS, self.title, self.keys, self.name)


OVERLAYS: Final[dict[str, Named]] = {}
"""By name, in the order of the chooser; overlays declared outside of this package follow."""


def declare(overlay: Named) -> None:
    """Makes one known, with its action. Raises ValueError: there is another of that name, or one with its letter."""
    there = OVERLAYS.get(overlay.name, overlay)
    if there != overlay or by_letter(overlay.letter) not in (None, overlay.name):
        raise ValueError(f"the overlay '{overlay.name}', or its letter {overlay.letter}, is declared twice")
    OVERLAYS[overlay.name] = overlay
    assert overlay.action


def by_letter(letter: str) -> str | None:
    """The name of the overlay with a letter."""
    return next((each.name for each in OVERLAYS.values() if each.letter == letter), None)


def unknown_overlay(name: str) -> str:
    """The sentence for a name that no overlay has, without its full stop."""
    return f"Unknown overlay '{name}'{nearest(name, OVERLAYS)}; choose from {', '.join(OVERLAYS)}"


DECLARED: Final = re.compile(r"^@overlay\((.*?)\)\n(?=@|def )", re.DOTALL | re.MULTILINE)
FOLDER: Final = Path(__file__).parents[1] / "overlays"


def declared_in(text: str) -> list[Named]:
    """The overlays that a module declares."""
    found = []
    for words in DECLARED.findall(text):
        call = ast.parse(f"overlay({words})", mode="eval").body
        assert isinstance(call, ast.Call)
        given = {each.arg: each.value for each in call.keywords if each.arg in Named._fields}
        found.append(Named(ast.literal_eval(call.args[0]), **{str(n): ast.literal_eval(v) for n, v in given.items()}))
    return found


for _overlay in sorted(
    (each for module in FOLDER.glob("*.py") for each in declared_in(module.read_text("utf-8"))),
    key=lambda each: each.place,
):
    declare(_overlay)
