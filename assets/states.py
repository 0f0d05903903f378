"""The block states of a protocol, in the order of their runtime ids, and its biomes: ``load_climates``.

The list of 486 is a text file, one line a block; a second file holds what later protocols changed:

    stone stone_type:s=stone,granite,granite_smooth             @630
    lever lever_direction:s=down_east_west,east open_bit:b=0,1  stone
                                                                granite
                                                                -planks

Rules:
1. A line means all combinations of its values; the first property changes slowest. Letters: b byte (a boolean), i int,
   s string.
2. Names get the ``minecraft:`` namespace; properties of a state are sorted by name.
3. ``@N`` begins the changes of protocol N: a line adds a block or replaces that of its name, ``-name`` removes one.
4. A protocol without changes of its own has the states of the nearest lower one that has.
5. The protocol defines the order of blocks (``order_of``); the states of one block are consecutive.
6. For the sources of the lists, and how they are made, see docs/develop/assets.md.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple

StateValue = int | str | bool
StateRow = tuple[str, tuple[tuple[str, StateValue], ...]]
"""(name with namespace, properties sorted by name); a byte is a bool, so that its tag differs from an int's."""


def _byte(text: str) -> bool:
    if text not in {"0", "1"}:
        raise ValueError(f"a byte of a block state must be 0 or 1, not {text}")
    return text == "1"


KINDS: Final[dict[str, tuple[str, Callable[[str], StateValue]]]] = {
    "b": ("byte", _byte),
    "i": ("int", int),
    "s": ("string", str),
}
"""Letter -> (name of the tag, how a value is read)."""

FIRST_PROTOCOL: Final = 486
HASHED_ORDER_FIRST: Final = 503
"""From this protocol on blocks are in the order of hashed names, before it in that of names (wire.md 6.1)."""


def load(protocol: int) -> tuple[StateRow, ...]:
    """All states of a protocol; a state's index is its runtime id.

    Raises KeyError: the protocol is older than the oldest list.
    """
    lines = blocks(protocol)
    key = order_of(protocol)
    return expand("\n".join(lines[name] for name in sorted(lines, key=lambda name: key(f"minecraft:{name}"))))


def order_of(protocol: int) -> Callable[[str], int | str]:
    """The key by which a protocol sorts blocks: of a name with its namespace."""
    return fnv1_64 if protocol >= HASHED_ORDER_FIRST else str.lower


def fnv1_64(name: str) -> int:
    """The vendor's hash of a name: multiply, then xor."""
    value = 0xCBF29CE484222325
    for byte in name.encode(errors="surrogateescape"):
        value = value * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF ^ byte
    return value


def blocks(protocol: int) -> dict[str, str]:
    """Each block's line, by its name without namespace, in undefined order.

    Raises KeyError: the protocol is older than the oldest list.
    """
    if protocol < FIRST_PROTOCOL:
        raise KeyError(f"no block states for protocol {protocol}")
    lines = {line.partition(" ")[0]: line for line in _text(f"states-{FIRST_PROTOCOL}.txt").splitlines()}
    for line in _text("states-changes.txt").splitlines():
        if line.startswith("@"):
            if int(line[1:]) > protocol:
                break
        elif line.startswith("-"):
            del lines[line[1:]]
        else:
            lines[line.partition(" ")[0]] = line
    return lines


@cache
def protocols() -> tuple[int, ...]:
    """Protocols with a list of their own, ascending."""
    heads = (line[1:] for line in _text("states-changes.txt").splitlines() if line.startswith("@"))
    return (FIRST_PROTOCOL, *map(int, heads))


def _text(name: str) -> str:
    return resources.files("assets").joinpath(name).read_text(encoding="utf-8")


def expand(text: str) -> tuple[StateRow, ...]:
    """The states of a list's text. Raises ValueError: it does not follow the format."""
    return tuple(row for line in text.splitlines() for row in _states_of(line))


def properties_of(line: str) -> list[tuple[str, list[StateValue]]]:
    """Each property of a block's line with its values, the slowest-changing one first.

    Raises ValueError: the line does not follow the format.
    """
    name, *words = line.split(" ")
    found: list[tuple[str, list[StateValue]]] = []
    for word in words:
        head, _, listed = word.partition("=")
        key, _, letter = head.rpartition(":")
        if letter not in KINDS or not key or not listed:
            raise ValueError(f"{name}: {word!r} is not a property")
        found.append((key, [KINDS[letter][1](value) for value in listed.split(",")]))
    return found


def _states_of(line: str) -> Iterator[StateRow]:
    name = line.partition(" ")[0]
    found = properties_of(line)
    full = f"minecraft:{name}"
    order = sorted(range(len(found)), key=lambda at: found[at][0])
    pairs = [[(key, value) for value in values] for key, values in found]
    if order == list(range(len(order))):
        for combination in itertools.product(*pairs):
            yield full, combination
    else:  # at least two
        by_name = itemgetter(*order)
        for combination in itertools.product(*pairs):
            yield full, by_name(combination)


class Climate(NamedTuple):
    """A biome's name without prefix, and the game's values of its temperature and downfall (-0.7 to 2, 0 to 1)."""

    name: str
    temperature: float
    downfall: float


@cache
def load_climates() -> Mapping[int, Climate]:
    """The climates by biome number; reads the file once."""
    lines = resources.files("assets").joinpath("climates.txt").read_text("utf-8").splitlines()
    fields = (line.split() for line in lines if not line.startswith("#"))
    return MappingProxyType({int(number): Climate(name, float(warm), float(wet)) for number, name, warm, wet in fields})
