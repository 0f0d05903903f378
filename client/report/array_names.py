"""Which arrays a dump holds: their names, and how a command line says them. Loads no kernel."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from client.errors import UsageError

STATES: Final = ("names", "states", "runtime_ids")
"""Come with ``blocks`` and ``layer1``, whose numbers are rows of these."""
USUAL: Final = ("blocks", "layer1", "light", "lit", "biomes", "known")
"""What a dump holds unless something else is wished."""
MORE: Final = ("height", "verdict", "refusal", "since", "small_values")
"""What it holds when it is wished."""
NAMES: Final = (*USUAL, *MORE)
LIT: Final = frozenset({"light", "lit"})
"""Those for which light must be made."""


def parse_what(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Reads ``NAME[,NAME]``, any number of times; the usual ones where nothing is said.

    Returns:
        Names of arrays, each once, in the order of ``NAMES``.

    Raises:
        UsageError: naming the first that is none, and the nearest one that is.
    """
    if not texts:
        return USUAL
    wished = {name.strip() for text in texts for name in text.split(",")}
    implied = {"blocks" if name in STATES else name for name in wished}
    expect_known(sorted(implied))
    return tuple(name for name in NAMES if name in implied)


def expect_known(names: Iterable[str]) -> None:
    """Refuses names of no array.

    Raises:
        UsageError: naming the first, and the nearest one that is.
    """
    for name in names:
        if name not in NAMES:
            nearest = get_close_matches(name, NAMES, 1, 0.0)[0] if name else NAMES[0]
            raise UsageError(f"There is no array '{name}' (nearest: {nearest}); there are {', '.join(NAMES)}.")
