"""Shapes of blocks that fill no cube: typed access to ``models.toml``.

Rules:
1. Lengths are sixteenths of a block. Shapes are authored looking south (+z) and turned here: what leaves is final.
2. Faces and directions are numbered -x, +x, -z, +z, -y, +y.
3. A box without thickness is a sheet, seen from both sides.
"""

import fnmatch
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from assets import ancestors

StateValue = int | str | bool
Corner = tuple[int, int, int]

ALWAYS: Final = 7
SOUTH, UP, DOWN = 3, 5, 4
BENDS: Final = (0b00110, 0b11101, 0b11011, 0b10111, 0b01111)
"""In which bends each box of ``bends`` is left out: straight, outer left, outer right, inner left, inner right."""
QUARTER: Final = (2, 3, 1, 0, 4, 5)
"""Where a quarter turn south -> west -> north -> east takes each direction."""
FACE_BITS: Final = (4, 5, 3, 0, 2, 1)
"""Direction of each bit of multi_face_direction_bits: down, up, south, west, north, east."""


class Box(NamedTuple):
    """A box, low and high corner x, y, z.

    ``link``: drawn only if the neighbour there connects (7: always). ``middle``: it shows the part of the texture that
    it would show standing in the middle of the floor, wherever it stands. ``hidden``: bit c: not drawn in bend c of
    stairs. ``like``: what it links to must be of its group, opaque blocks do not do. ``spin``: quarters that its
    horizontal pictures are turned by.
    """

    low: Corner
    high: Corner
    link: int = ALWAYS
    middle: bool = False
    hidden: int = 0
    like: bool = False
    spin: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """What a block is drawn as.

    Attributes:
        boxes: in the order of the file.
        cross: height of the crossed quads, 0 for none.
        hanging: the cross hangs from the ceiling: its picture is upside down.
        ramp: quarter turns of a sheet that rises to the south, None for none.
        group: which blocks it connects with, "" for none.
    """

    boxes: tuple[Box, ...]
    cross: int = 0
    hanging: bool = False
    group: str = ""
    ramp: int | None = None


WHOLE: Final = Shape((Box((0, 0, 0), (16, 16, 16)),))


@dataclass(frozen=True, slots=True)
class ModelRule:
    """One rule of the file: which block states, and how to make their shape."""

    names: re.Pattern[str]
    where: Mapping[str, tuple[StateValue, ...]]
    entry: Mapping[str, Any]

    def fits(self, states: Mapping[str, StateValue]) -> bool:
        """Whether the states are among those asked for; an absent state fits nothing but 0."""
        return all(states.get(key, 0) in values for key, values in self.where.items())


class ModelRules:
    """The whole file; shapes are made once for each rule and the states it looks at."""

    def __init__(self, rules: tuple[ModelRule, ...]) -> None:
        self._rules = rules
        self._ancestors = ancestors.load()
        self._of_name: dict[str, tuple[ModelRule, ...]] = {}
        self._shapes: dict[tuple[int, tuple[StateValue, ...]], Shape] = {}

    def shape_of(self, name: str, states: Mapping[str, StateValue]) -> Shape:
        """The shape of a block state, or of what it was at 486; a whole box for a name that no rule knows."""
        bare, states = self._ancestors.of(name, states)
        rules = self._of_name.get(bare)
        if rules is None:
            rules = self._of_name[bare] = tuple(rule for rule in self._rules if rule.names.fullmatch(bare))
        for rule in rules:
            if rule.fits(states):
                key = (id(rule), tuple(states.get(state, 0) for state in _looked_at(rule.entry)))
                shape = self._shapes.get(key)
                if shape is None:
                    shape = self._shapes[key] = _shape(rule.entry, states)
                return shape
        return WHOLE


@cache
def load() -> ModelRules:
    """Reads the file once.

    Raises:
        ValueError: a rule with a key nobody knows, or a box that is none.
    """
    text = resources.files("assets").joinpath("models.toml").read_text("utf-8")
    return ModelRules(tuple(_rule(entry) for entry in tomllib.loads(text)["model"]))


_KEYS: Final = {
    "names", "where", "boxes", "cross", "turn", "stand", "flip", "tops", "links", "upright", "sides", "faces", "group",
    "middle", "bends", "likes", "spin", "ramp", "heights",
}  # fmt: skip


def _rule(entry: Mapping[str, Any]) -> ModelRule:
    if not entry.keys() <= _KEYS:
        raise ValueError(f"model of {entry.get('names')}: unknown keys {sorted(entry.keys() - _KEYS)}")
    for text in (box for key in ("boxes", "links", "likes", "bends", "upright") for box in entry.get(key, ())):
        _box(text)
    pattern = "|".join(fnmatch.translate(name) for name in entry["names"])
    where = {key: tuple(values) for key, values in entry.get("where", {}).items()}
    return ModelRule(re.compile(pattern), where, entry)


def _looked_at(entry: Mapping[str, Any]) -> list[str]:
    """The states a shape depends on, in one order."""
    states = [entry[key]["state"] for key in ("turn", "tops", "sides") if key in entry]
    states += entry.get("heights", {}).get("states", ())
    return states + [entry[key] for key in ("stand", "flip", "faces") if isinstance(entry.get(key), str)]


def _box(text: str) -> Box:
    x0, y0, z0, x1, y1, z1 = (int(part) for part in text.split())
    if not (x0 <= x1 and y0 <= y1 and z0 <= z1):
        raise ValueError(f"box {text!r} has its corners the wrong way round")
    return Box((x0, y0, z0), (x1, y1, z1))


def _shape(entry: Mapping[str, Any], states: Mapping[str, StateValue]) -> Shape:
    boxes = [_box(text)._replace(middle=bool(entry.get("middle"))) for text in entry.get("boxes", ())]
    if "tops" in entry:
        top = _by_state(entry["tops"], "to", states)
        boxes = [box._replace(high=(box.high[0], top, box.high[2])) for box in boxes]
    for text in entry.get("links", ()):
        boxes += [_turned(_box(text)._replace(link=SOUTH), quarters) for quarters in range(4)]
    for text in entry.get("likes", ()):
        boxes += [_turned(_box(text)._replace(link=SOUTH, like=True), quarters) for quarters in range(4)]
    boxes += [_box(text)._replace(hidden=hidden) for text, hidden in zip(entry.get("bends", ()), BENDS, strict=False)]
    for side, state in enumerate(entry.get("heights", {}).get("states", ())):
        for text in entry["heights"].get(states.get(state, "none"), ()):
            boxes.append(_turned(_box(text), side))
    for text, link in zip(entry.get("upright", ()), (UP, DOWN), strict=False):
        boxes.append(_box(text)._replace(link=link))
    if "sides" in entry:
        bits = int(states.get(entry["sides"]["state"], 0))
        boxes += [_turned(_box(text), k) for text in entry["sides"]["boxes"] for k in range(4) if bits >> k & 1]
    if "faces" in entry:
        bits = int(states.get(entry["faces"], 0))
        boxes += [_SHEETS[FACE_BITS[k]] for k in range(6) if bits >> k & 1]
    if "turn" in entry:
        quarters = _by_state(entry["turn"], "quarters", states)
        boxes = [_turned(box, quarters) for box in boxes]
        if entry.get("spin"):
            boxes = [box._replace(spin=quarters) for box in boxes]
    facing = int(states.get(entry["stand"], 1)) % 6 if "stand" in entry else 1
    flip = entry.get("flip", False)
    upside = bool(states.get(flip, 0)) if isinstance(flip, str) else flip
    boxes = [_STAND[0 if upside else facing](box) for box in boxes]
    ramp = _by_state(entry["turn"], "quarters", states) if entry.get("ramp") else None
    return Shape(tuple(boxes), int(entry.get("cross", 0)), upside or facing == 0, entry.get("group", ""), ramp)


def _by_state(entry: Mapping[str, Any], values: str, states: Mapping[str, StateValue]) -> int:
    state = states.get(entry["state"], 0)
    if "names" in entry:
        return int(entry["names"].get(state, 0))
    table = entry[values]
    return int(table[int(state) % len(table)])


def _turned(box: Box, quarters: int) -> Box:
    for _ in range(quarters % 4):
        (x0, y0, z0), (x1, y1, z1) = box.low, box.high
        link = ALWAYS if box.link == ALWAYS else QUARTER[box.link]
        box = box._replace(low=(16 - z1, y0, x0), high=(16 - z0, y1, x1), link=link)
    return box


def _moved(place: Callable[[int, int, int], Corner]) -> Callable[[Box], Box]:
    """A change of axes, applied to both corners and put back in order. Links keep their direction."""

    def move(box: Box) -> Box:
        ends = place(*box.low), place(*box.high)
        low, high = (tuple(pick(pair) for pair in zip(*ends, strict=True)) for pick in (min, max))
        return box._replace(low=(low[0], low[1], low[2]), high=(high[0], high[1], high[2]))

    return move


_STAND: Final = (
    _moved(lambda x, y, z: (x, 16 - y, z)),  # grows down, from the ceiling
    _moved(lambda x, y, z: (x, y, z)),
    _moved(lambda x, y, z: (x, z, 16 - y)),  # grows north, from the block to the south
    _moved(lambda x, y, z: (x, z, y)),
    _moved(lambda x, y, z: (16 - y, x, z)),  # grows west
    _moved(lambda x, y, z: (y, x, z)),
)
_SHEETS: Final = (
    Box((1, 0, 0), (1, 16, 16)),
    Box((15, 0, 0), (15, 16, 16)),
    Box((0, 0, 1), (16, 16, 1)),
    Box((0, 0, 15), (16, 16, 15)),
    Box((0, 1, 0), (16, 1, 16)),
    Box((0, 15, 0), (16, 15, 16)),
)
