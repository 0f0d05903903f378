"""The nearest of some names to one that somebody wrote."""

import difflib
from collections.abc import Iterable
from typing import Final

NEAR: Final = 0.4


def nearest(name: str, names: Iterable[str]) -> str:
    """``; did you mean 'that'?``, or nothing where none is near."""
    found = difflib.get_close_matches(name, sorted(names), 1, NEAR)
    return f" (did you mean '{found[0]}'?)" if found else ""
