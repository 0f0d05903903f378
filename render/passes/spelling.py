"""Texts as the characters that shaders draw, all in one array, each text once.

What is said in one frame is said in the next one, too, and by many places at once: spelling it costs more than all the
rest of drawing it.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from render.materials import font

MOST_CHARACTERS: Final = 1 << 16
"""Beyond which all is forgotten when texts are laid out the next time; a megabyte."""
FIRST_CHARACTERS: Final = 4096

Characters = npt.NDArray[np.int32]
"""[n, 4]: column | columns << 8, row, the two words of the font's bits."""


class Spelt(NamedTuple):
    """One text: the most characters of its rows, its rows, its first character's number, how many it has."""

    columns: int
    rows: int
    begin: int
    length: int


class Spelling:
    """Characters of all texts that were wanted.

    Attributes:
        characters: int32[k, 4], of which the first ones are in use.
        edition: another one when all was forgotten.
    """

    def __init__(self) -> None:
        """Nothing is spelt."""
        self.characters: Characters = np.zeros((FIRST_CHARACTERS, 4), np.int32)
        self.edition = 0
        self._used = 0
        self._spelt: dict[str, Spelt] = {}

    def of(self, text: str) -> Spelt:
        """Where a text's characters are."""
        found = self._spelt.get(text)
        if found is None:
            found = self._spelt[text] = self._spell(text)
        return found

    def trim(self) -> None:
        """Forgets all, where it is much: numbers that count seconds never end."""
        if self._used > MOST_CHARACTERS:
            self._spelt.clear()
            self._used, self.edition = 0, self.edition + 1

    def _spell(self, text: str) -> Spelt:
        lines = text.split("\n")
        words = [
            (column | len(line) << 8, row, *font.bits(character))
            for row, line in enumerate(lines)
            for column, character in enumerate(line)
        ]
        begin, end = self._used, self._used + len(words)
        while end > len(self.characters):
            self.characters = np.concatenate([self.characters, np.zeros_like(self.characters)])
        if words:
            self.characters[begin:end] = words
        self._used = end
        return Spelt(max(map(len, lines)), len(lines), begin, len(words))
