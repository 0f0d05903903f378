"""A view as one line of text, for bookmarks, the labels of pictures, and ``--view``.

    --at 8.500,90.000,8.000 --look 30.00,20.00 --fov 70 --dimension overworld
    --at 8.500,90.000,8.000 --look 0.00,90.00 --ortho 96 --dimension overworld

Rules:
1. The words are options of ``chunkscope view`` and ``shot``, so a line can also be appended to a command.
2. It contains no source, so the same place can be viewed on another server, or in a recording.
3. Only ``--at`` is required. Values that a line lacks stay as they are; but a line with ``--fov`` and without
   ``--ortho`` is a view in perspective.
"""

import difflib
import math
import shlex
from typing import Final

import msgspec

from client.errors import UsageError
from client.options import parse_at, parse_look
from client.player import HIGHEST_ORTHO_BLOCKS, LOWEST_ORTHO_BLOCKS, NARROWEST_FOV, WIDEST_FOV, Eye, View
from net.space import VANILLA

AT, LOOK, FOV, ORTHO, DIMENSION = WORDS = ("--at", "--look", "--fov", "--ortho", "--dimension")
LONGEST: Final = 400
"""Longest line, in characters; a line has five short values."""


class ViewLine(msgspec.Struct, frozen=True):
    """The values of a line."""

    at: Eye  # the eye, in blocks
    look_deg: tuple[float, float] | None = None  # yaw and pitch; None: as it was
    fov_deg: float | None = None  # vertical; None: as it was
    # height of an orthographic picture; None: in perspective, or as it was if ``fov_deg`` is None too
    ortho_blocks: float | None = None
    dimension: int | None = None  # its number; None: the current one

    @classmethod
    def of(cls, view: View, dimension: int | None = None) -> "ViewLine":
        fov_deg = view.fov_deg if view.ortho_blocks is None else None
        return cls(view.eye, (view.yaw_deg, view.pitch_deg), fov_deg, view.ortho_blocks, dimension)

    @property
    def options(self) -> dict[str, str]:
        """The values by the options of the command line."""
        words = {AT: ",".join(f"{axis:.3f}" for axis in self.at)}
        if self.look_deg is not None:
            words[LOOK] = ",".join(f"{angle:.2f}" for angle in self.look_deg)
        if self.fov_deg is not None:
            words[FOV] = f"{self.fov_deg:g}"
        if self.ortho_blocks is not None:
            words[ORTHO] = f"{self.ortho_blocks:g}"
        if self.dimension is not None:
            words[DIMENSION] = dimension_name(self.dimension)
        return words

    def __str__(self) -> str:
        return " ".join(f"{word} {value}" for word, value in self.options.items())

    def view(self, now: View) -> View:
        """The view of the line. ``now``: supplies the values that the line lacks."""
        yaw, pitch = self.look_deg or (now.yaw_deg, now.pitch_deg)
        said = self.fov_deg is not None or self.ortho_blocks is not None
        fov_deg = self.fov_deg if self.fov_deg is not None else now.fov_deg
        return View(self.at, yaw, pitch, fov_deg, self.ortho_blocks if said else now.ortho_blocks)


def parse_view_line(text: str) -> ViewLine:
    """Reads a line. Raises UsageError: the message names the invalid word or value."""
    if len(text) > LONGEST:
        raise UsageError(f"{len(text)} characters are too long for a view: the limit is {LONGEST}.")
    try:
        words = shlex.split(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a view: a quotation mark is not closed.") from None
    if not words or len(words) % 2:
        raise UsageError(
            f"'{text}' is not a view: write {AT} X,Y,Z {LOOK} YAW,PITCH {FOV} DEGREES {ORTHO} BLOCKS {DIMENSION} NAME."
        )
    values: dict[str, str] = {}
    for word, value in zip(words[::2], words[1::2], strict=True):
        if word not in WORDS:
            near = difflib.get_close_matches(word, WORDS, 1, 0.0)[0]
            raise UsageError(f"Unknown word '{word}' in a view (nearest: {near}).")
        if word in values:
            raise UsageError(f"'{text}' contains {word} twice.")
        values[word] = value
    if AT not in values:
        raise UsageError(f"'{text}' is not a view: it has no {AT} X,Y,Z.")
    return ViewLine(
        parse_at(values[AT]),
        parse_look(values[LOOK]) if LOOK in values else None,
        _fov(values[FOV]) if FOV in values else None,
        parse_ortho(values[ORTHO]) if ORTHO in values else None,
        parse_dimension(values.get(DIMENSION)),
    )


def parse_dimension(text: str | None) -> int | None:
    """Reads a dimension's name or number; None for no text. Raises UsageError: it is neither."""
    if text is None:
        return None
    by_name = {dimension.name: dimension.number for dimension in VANILLA.values()}
    if text in by_name:
        return by_name[text]
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 12):
        raise UsageError(f"Unknown dimension '{text}'; write {', '.join(by_name)} or a number.")
    return int(text)


def dimension_name(number: int) -> str:
    """A dimension's name in the game, or its number if it has none."""
    dimension = VANILLA.get(number)
    return dimension.name if dimension else str(number)


def _number(text: str, low: float, high: float, what: str, unit: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        raise UsageError(f"The {what} must be {low:g} to {high:g} {unit}, not {text}.")
    return number


def parse_ortho(text: str) -> float:
    """Reads the height of an orthographic picture in blocks. Raises UsageError: not a number, or out of range."""
    return _number(text, LOWEST_ORTHO_BLOCKS, HIGHEST_ORTHO_BLOCKS, "height of an orthographic picture", "blocks")


def _fov(text: str) -> float:
    return _number(text, NARROWEST_FOV, WIDEST_FOV, "field of view", "degrees")
