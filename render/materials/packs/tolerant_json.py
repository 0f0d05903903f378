"""JSON as packs have it: comments, a byte order mark, a comma too many.

Theory: one pass replaces what plain JSON does not know by blanks and keeps every line where it was, so that an error
names the right one. It never goes back, so it is linear in any text; one regular expression for strings with escapes
was not (Python's engine takes a quadratic time for a string that never ends).
"""

import codecs
import json
import re
from typing import Any, Final

from render.materials.packs.limits import MOST_JSON_BYTES
from render.materials.packs.troubles import FileTrouble

_OUTSIDE: Final = re.compile(r'"|//|/\*|,')
_INSIDE: Final = re.compile(r'\\.|"', re.DOTALL)
_LINE_END: Final = re.compile(r"[\r\n]")
_NEXT: Final = re.compile(r"\S")
_NO_BREAK: Final = re.compile(r"[^\r\n]")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip


def loads(raw: bytes) -> Any:
    """What a file holds; Any, as JSON is whatever its writer liked.

    Raises:
        FileTrouble: it is too large, no text, or no JSON; says where.
    """
    if len(raw) > MOST_JSON_BYTES:
        raise FileTrouble(f"{len(raw)} bytes of JSON are too many, {MOST_JSON_BYTES} are read")
    try:
        text = _text(raw)
        return json.loads(_plain(text))
    except UnicodeDecodeError as error:
        raise FileTrouble(f"no text in {error.encoding} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise FileTrouble(f"no JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise FileTrouble("no JSON: nested too deeply") from None
    except ValueError as error:
        raise FileTrouble(f"no JSON: {error}") from None


def _text(raw: bytes) -> str:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding)
    return raw.decode("utf-8")


def _plain(text: str) -> str:
    """A text without comments, and without commas in front of a closing bracket."""
    parts: list[str] = []
    comma = -1  # the part that is a comma with nothing but space and comments behind it
    at = 0
    while found := _OUTSIDE.search(text, at):
        between = text[at : found.start()]
        comma = _settled(parts, comma, between)
        parts.append(between)
        word, begin = found[0], found.start()
        if word == '"':
            at = _string_end(text, found.end())
            comma = -1
            parts.append(text[begin:at])
        elif word == ",":
            at, comma = found.end(), len(parts)
            parts.append(",")
        else:
            at = _comment_end(text, found.end(), word)
            parts.append(_NO_BREAK.sub(" ", text[begin:at]))
    _settled(parts, comma, text[at:])
    parts.append(text[at:])
    return "".join(parts)


def _settled(parts: list[str], comma: int, between: str) -> int:
    """Blanks the waiting comma when a bracket closes behind it; which comma waits then."""
    if comma < 0 or not (behind := _NEXT.search(between)):
        return comma
    if behind[0] in "}]":
        parts[comma] = " "
    return -1


def _string_end(text: str, at: int) -> int:
    while found := _INSIDE.search(text, at):
        at = found.end()
        if found[0] == '"':
            return at
    return len(text)


def _comment_end(text: str, at: int, opened: str) -> int:
    if opened == "//":
        end = _LINE_END.search(text, at)
        return end.start() if end else len(text)
    close = text.find("*/", at)
    return close + 2 if close >= 0 else len(text)
