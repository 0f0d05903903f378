"""Turns what a server or a transport says into one sentence that names the source and what to do about it.

Reasons come as the server's own words, often a translation key (``disconnectionScreen.notAuthenticated``); the known
ones are put into words, the others are quoted.
"""

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


def source_sentence(source: Source, reason: str) -> str:
    """One sentence, with a full stop."""
    lowered = reason.lower()
    for key, meaning in KNOWN_REASONS:
        if key in lowered:
            return f"{source} {meaning} (it says: {_one_line(reason)})."
    return f"{source}: {_one_line(reason)}."


def other_version(source: Source, protocol: int, version: str, ours: int) -> str:
    """The sentence for a server that speaks another protocol."""
    named = f"{version} (protocol {protocol})" if version else f"protocol {protocol}"
    return f"{source} speaks {named}; this version of chunkscope speaks protocol {ours} (1.18.10)."


def absent(source: Source, timeout_s: float) -> str:
    """The sentence for nobody there."""
    return f"Nobody answered at {source} within {timeout_s:g} s."


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")[:300]
