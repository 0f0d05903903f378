"""The nearest of some names to one that somebody wrote."""

import difflib
from collections.abc import Iterable
from typing import Final

NEAR: Final = 0.4


def nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    """`` (did you mean 'that'?)``, or nothing where none is near.

    Args:
        name: that somebody wrote.
        names: that there are.
        prefix: what all of them begin with, which makes none of them near.
    """
    bare = sorted(each.removeprefix(prefix) for each in names)
    found = difflib.get_close_matches(name.removeprefix(prefix), bare, 1, NEAR)
    return f" (did you mean '{prefix}{found[0]}'?)" if found else ""
