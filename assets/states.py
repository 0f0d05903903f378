"""The block states of a protocol, in the order of their runtime ids.

A list is a text file, one line a block:

    stone stone_type:s=stone,granite,granite_smooth
    lever lever_direction:s=down_east_west,east open_bit:b=0,1

Rules:
1. A line stands for all combinations of its values; the first property changes slowest. Letters: b byte (a yes or no),
   i int, s string.
2. Names get the ``minecraft:`` namespace; properties of a state are given sorted by name.
3. Where the lists come from and how they are made: README.md, Provenance.
"""

import itertools
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Final

StateValue = int | str | bool
StateRow = tuple[str, tuple[tuple[str, StateValue], ...]]
"""(name with namespace, properties sorted by name); a byte is a bool, so that its tag can be told from an int's."""


def _byte(text: str) -> bool:
    if text not in {"0", "1"}:
        raise ValueError(f"a byte of a block state is 0 or 1, not {text}")
    return text == "1"


KINDS: Final[dict[str, tuple[str, Callable[[str], StateValue]]]] = {
    "b": ("byte", _byte),
    "i": ("int", int),
    "s": ("string", str),
}
"""Letter -> (name of the tag, how a value is read)."""

PROTOCOLS: Final = frozenset({486})
"""Protocols whose lists are here."""


def load(protocol: int) -> tuple[StateRow, ...]:
    """All states of a protocol; a state's index is its runtime id.

    Raises:
        KeyError: no list for that protocol.
    """
    if protocol not in PROTOCOLS:
        raise KeyError(f"no block states for protocol {protocol}")
    text = resources.files("assets").joinpath(f"states-{protocol}.txt").read_text(encoding="utf-8")
    return expand(text)


def expand(text: str) -> tuple[StateRow, ...]:
    """The states a list's text stands for.

    Raises:
        ValueError: it does not follow the format.
    """
    return tuple(row for line in text.splitlines() for row in _states_of(line))


def _states_of(line: str) -> Iterator[StateRow]:
    name, *words = line.split(" ")
    keys: list[str] = []
    values: list[list[StateValue]] = []
    for word in words:
        head, _, listed = word.partition("=")
        key, _, letter = head.partition(":")
        if letter not in KINDS or not listed:
            raise ValueError(f"{name}: {word!r} is no property")
        keys.append(key)
        values.append([KINDS[letter][1](value) for value in listed.split(",")])
    order = sorted(range(len(keys)), key=keys.__getitem__)
    for combination in itertools.product(*values):
        yield f"minecraft:{name}", tuple((keys[at], combination[at]) for at in order)
