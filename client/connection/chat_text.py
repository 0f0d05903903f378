"""Converts chat lines to plain text: without colour codes, JSON as its text, keys with their parameters.

The games' language files are not ours to copy, so a key stays a key, except for the few that every server sends.
"""

import json
import re
from typing import Any, Final

from client.session.chat import ChatLine
from client.source import one_line

SENTENCES: Final = {
    "multiplayer.player.joined": "{} joins",
    "multiplayer.player.left": "{} leaves",
    "chat.type.text": "{}: {}",
    "chat.type.announcement": "{}: {}",
    "chat.type.emote": "{} {}",
}
"""Key -> our own sentence with its parameters."""
TEXT_OBJECTS: Final = ("json", "json_whisper", "json_announcement")
MOST_PARTS: Final = 64
KEY_SIGN: Final = re.compile(r"%(?=[A-Za-z_]+\.\w)")


def said_in_words(line: ChatLine) -> str:
    """A chat line as one line of text: author, then message; empty if it has no readable text."""
    text = _text_of_object(line.message) if line.kind in TEXT_OBJECTS else _filled(line.message, line.parameters)
    told = one_line(text)
    return f"{one_line(line.source)}: {told}" if told and line.source else told


def _filled(message: str, parameters: tuple[str, ...]) -> str:
    text, filled = _without_signs(message), tuple(map(_without_signs, parameters))
    sentence = SENTENCES.get(text)
    if sentence and len(filled) >= sentence.count("{}") and all(filled):
        return sentence.format(*filled)
    return " ".join(part for part in (text, *filled) if part)


def _without_signs(text: str) -> str:
    """Without colour codes, and without the % before a key inside a text; ``100 %`` keeps its own."""
    return KEY_SIGN.sub("", one_line(text))


def _text_of_object(message: str) -> str:
    """The text of ``{"rawtext": [{"text": "..."}, {"translate": "key", "with": [...]}]}``; other JSON as it is."""
    try:
        told = json.loads(message)
    except (ValueError, RecursionError):  # cut off, or no JSON, or nested a thousand deep
        return message
    parts = told.get("rawtext") if isinstance(told, dict) else None
    if not isinstance(parts, list):
        return message
    return "".join(map(_part, parts[:MOST_PARTS]))


def _part(part: Any) -> str:  # Any: JSON of the server
    if not isinstance(part, dict):
        return ""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    key, inserted = part.get("translate"), part.get("with")
    if not isinstance(key, str):
        return ""
    filled = inserted if isinstance(inserted, list) else []
    return _filled(key, tuple(one for one in filled[:MOST_PARTS] if isinstance(one, str)))
