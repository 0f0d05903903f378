"""What a player who joins servers may be called. Loads nothing, for the sake of the command line."""

import re
from typing import Final

OWN: Final = "own"
"""The user's, the same at each join."""
FRESH: Final = "fresh"
"""Somebody new at each join."""
EXPECTED: Final = "own, fresh, or a name of your own of a-z, 0-9, - and _"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


def is_identity(name: str) -> bool:
    """Whether a player may have that name, which is a file's on any system."""
    return _NAME.fullmatch(name) is not None
