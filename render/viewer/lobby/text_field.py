"""One line that is typed into, with a caret. Knows no window and no imgui, so both ways of showing it behave alike."""

from typing import Final

LONGEST: Final = 400


class TextField:
    """A text and where in it one types.

    Attributes:
        text: as typed so far.
        caret: characters before it.
    """

    def __init__(self, text: str = "") -> None:
        """The caret is at the end."""
        self.text = text
        self.caret = len(text)

    def set(self, text: str) -> None:
        """Another text; the caret is at its end."""
        self.text = text[:LONGEST]
        self.caret = len(self.text)

    def type(self, typed: str) -> bool:
        """Text came, or was pasted; control characters, as line ends are, are none. Whether anything changed."""
        plain = "".join(sign for sign in typed if sign.isprintable())[: LONGEST - len(self.text)]
        self.text = self.text[: self.caret] + plain + self.text[self.caret :]
        self.caret += len(plain)
        return bool(plain)

    def key(self, name: str) -> bool:
        """A key, by its name; whether it is one of the field's."""
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
