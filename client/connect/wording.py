"""Turns what a server or a transport says into one sentence that names the source and what to do about it.

Reasons come as the server's own words, often a translation key (``disconnectionScreen.notAuthenticated``); the known
ones are put into words, the others are quoted.
"""

import re
from collections.abc import Iterable
from typing import Final

from client.connect.source import Source

KNOWN_REASONS: Final = (
    ("disconnectionscreen.serverfull", "is full"),
    ("server is full", "is full"),
    ("disconnectionscreen.notauthenticated", "wants signed-in players; chunkscope joins offline only"),
    ("disconnectionscreen.notallowed", "does not let this player in (allow list)"),
    ("disconnectionscreen.outdatedclient", "speaks a newer version"),
    ("disconnectionscreen.outdatedserver", "speaks an older version"),
    ("disconnectionscreen.", "ended the session"),
    ("sign in", "wants signed-in players; chunkscope joins offline only"),
    ("not authenticated", "wants signed-in players; chunkscope joins offline only"),
    ("authentication error", "wants signed-in players; chunkscope joins offline only"),  # bedrock-protocol 3.59.0
    ("xbox", "wants signed-in players; chunkscope joins offline only"),
)

KNOWN_ANSWERS: Final = (
    ("commands.generic.unknown", "knows no such command, or does not let you give it"),
    ("commands.generic.permission", "does not let you give that command"),
    ("commands.generic.syntax", "reads that command otherwise"),
    ("commands.generic.usage", "reads that command otherwise"),
    ("commands.generic.disabled", "lets nobody give commands"),
)
"""Keys of what games say to commands (dragonfly says the first, too)."""
THERE_ALREADY: Final = re.compile(r"already (logged|online|connected|joined|playing|on )|other ?location")
"""How servers say that a player of this identity is on them: dragonfly, the game itself."""
COLOUR_CODE: Final = re.compile("\N{SECTION SIGN}.")
LONGEST: Final = 300


def source_sentence(source: Source, reason: str) -> str:
    """One sentence, with a full stop."""
    lowered = reason.lower()
    for key, meaning in KNOWN_REASONS:
        if key in lowered:
            return f"{source} {meaning} (it says: {one_line(reason)})."
    return f"{source}: {one_line(reason)}."


def answer_sentence(source: Source, text: str) -> str:
    """What a server answered to a command: in words where that is one of the games' keys, else as it says."""
    said = one_line(text)
    for key, meaning in KNOWN_ANSWERS:
        if key in said:
            return f"{source} {meaning}."
    return f"{source} says: {said}." if said else f"{source} answers without a word."


def is_there_already(sentence: str) -> bool:
    """Whether a server refuses somebody who is on it, as it believes: one whose line broke is, for some seconds."""
    return THERE_ALREADY.search(sentence.lower()) is not None


def other_version(source: Source, protocol: int, version: str, ours: str) -> str:
    """The sentence for a server that speaks a protocol we do not; ``ours`` names those we do."""
    named = f"{one_line(version)} (protocol {protocol})" if version else f"protocol {protocol}"
    return f"{source} speaks {named}; this version of chunkscope speaks protocols {ours}."


def absent(source: Source, timeout_s: float) -> str:
    """The sentence for nobody there."""
    return f"Nobody answered at {source} within {timeout_s:g} s."


def not_let_in(source: Source, timeout_s: float, last_fault: str) -> str:
    """The sentence for a server that answers and never lets the player in."""
    why = f"; the last packet that made no sense: {one_line(last_fault)}" if last_fault else ""
    return f"{source} did not let the player in within {timeout_s:g} s{why}."


def warning_lines(warnings: Iterable[str]) -> list[str]:
    """What a server does that is not right (``SessionStats.warnings``), a line each, for the end of a report."""
    return [f"the server: {one_line(warning)}" for warning in warnings]


def one_line(text: str) -> str:
    """A stranger's text on one line: without colour codes, without what a terminal would obey, and not too long."""
    plain = "".join(letter if letter.isprintable() else " " for letter in COLOUR_CODE.sub("", text))
    return " ".join(plain.split()).rstrip(". ")[:LONGEST]
