"""One line that a person types into, as one asks for a position or a name. Knows no window, so tests type without one.

Rules:
1. While there is one, keys that move nothing else: the window gives it all text and three keys.
2. Enter answers, Escape gives up; an empty answer is giving up.
"""

from collections.abc import Callable
from typing import Final

LONGEST: Final = 200


class Prompt:
    """A question, and what was typed so far."""

    def __init__(self, question: str, answer: Callable[[str], str]) -> None:
        """Asks.

        Args:
            question: what is shown before the text.
            answer: given the text at Enter; what it says about it is shown.
        """
        self._question = question
        self._answer = answer
        self._text = ""

    @property
    def line(self) -> str:
        """What is shown."""
        return f"{self._question} {self._text}▏   (Enter, Esc)"

    def type(self, text: str) -> None:
        """Text came; control characters, as Enter is one, are no text."""
        self._text = (self._text + "".join(sign for sign in text if sign.isprintable()))[:LONGEST]

    def erase(self) -> None:
        """Takes the last character away."""
        self._text = self._text[:-1]

    def answer(self) -> str:
        """Enter: what there is to say about the answer; nothing about none."""
        text = self._text.strip()
        return self._answer(text) if text else ""
