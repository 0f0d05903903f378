"""Shapes of blocks that are no full cubes, by state: typed access to ``models.toml``.

Rules:
1. The file defines shapes that look south (+z); they are turned here, and the result is final.
2. A state that is absent, of another type, or has a value that is not in its table counts as the table's first value;
   unknown bits are ignored. So every state that a server sends has a shape.
3. A block whose states leave no box is drawn by ``alone``, so that it is visible. Only rules without anything to draw
   draw nothing.
4. Lengths are sixteenths of a block; x to the east, y up, z to the south. Directions are numbered -x, +x, -z, +z, -y,
   +y. A box without thickness is a sheet, visible from both sides.
"""

import fnmatch
import re
import tomllib
from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

import msgspec

from assets import renames
from assets.states import StateValue

Corner = tuple[int, int, int]

ALWAYS: Final = 7
EAST, SOUTH, UP, DOWN = 1, 3, 5, 4
QUARTER: Final = (2, 3, 1, 0, 4, 5)
"""Each direction after a quarter turn south -> west -> north -> east."""


class Climb(IntEnum):
    """Whether a box links over the edge of a block, to a like one diagonally above or below."""

    NO = 0
    EITHER = 1  # beside, above or below
    UP = 2  # only above: boxes that run up the side of the neighbouring block


class ModelBox(NamedTuple):
    """A box, low and high corner x, y, z.

    ``link``: drawn only if the neighbour there connects (7: always). ``middle``: it shows the part of the texture as if
    it were in the middle of the floor. ``hidden``: bit c: not drawn in bend c of stairs. ``like``: it links only to
    blocks of its group, not to opaque blocks. ``spin``: quarters that its horizontal pictures are turned by. ``tilt``:
    0..3 sixteenths of a turn of the whole box, about the middle of the block, in the direction of quarter turns.
    ``shows``: the block whose pictures it has, "" for its own. ``climb``: it also links to a block a step up or down,
    see ``Climb``. ``lean``: sixteenths by which its upper end is further south than its lower end.
    """

    low: Corner
    high: Corner
    link: int = ALWAYS
    middle: bool = False
    hidden: int = 0
    like: bool = False
    spin: int = 0
    tilt: int = 0
    shows: str = ""
    climb: int = 0
    lean: int = 0


class Shape(msgspec.Struct, frozen=True):
    """The shape of a block."""

    boxes: tuple[ModelBox, ...]  # in the order of the file
    cross: int = 0  # height of the crossed quads, 0 for none
    hanging: bool = False  # the cross hangs from the ceiling: its picture is upside down
    group: str = ""  # blocks of one group connect, "" for none
    ramp: int | None = None  # quarter turns of a sheet that rises to the south, or None
    translucent: bool = False  # transparent: no side between two parts, or between it and a like block, is drawn
    turns: int = 0  # quarter turns of the drawn result with its pictures; the boxes are not turned
    grows: int = 1  # facing_direction to which that result is then tilted; 1: it stands on the floor
    scatters: bool = False  # the cross is moved by up to two sixteenths from the middle, by its place


WHOLE: Final = Shape((ModelBox((0, 0, 0), (16, 16, 16)),))


def box_of(text: str) -> ModelBox:
    """The box of six numbers, ``low x y z high x y z``.

    Raises ValueError: it is not six numbers, or a low corner exceeds a high one.
    """
    x0, y0, z0, x1, y1, z1 = (int(part) for part in text.split())
    if not (x0 <= x1 and y0 <= y1 and z0 <= z1):
        raise ValueError(f"box {text!r} has its corners swapped")
    return ModelBox((x0, y0, z0), (x1, y1, z1))


def turned(box: ModelBox, quarters: int) -> ModelBox:
    """A box after some quarter turns, south -> west -> north -> east, with its link."""
    for _ in range(quarters % 4):
        (x0, y0, z0), (x1, y1, z1) = box.low, box.high
        link = ALWAYS if box.link == ALWAYS else QUARTER[box.link]
        box = box._replace(low=(16 - z1, y0, x0), high=(16 - z0, y1, x1), link=link)
    return box


def _moved(place: Callable[[int, int, int], Corner]) -> Callable[[ModelBox], ModelBox]:
    """A change of axes, applied to both corners, which are then ordered. Links keep their direction."""

    def move(box: ModelBox) -> ModelBox:
        ends = place(*box.low), place(*box.high)
        low, high = (tuple(pick(pair) for pair in zip(*ends, strict=True)) for pick in (min, max))
        return box._replace(low=(low[0], low[1], low[2]), high=(high[0], high[1], high[2]))

    return move


STAND: Final = (
    _moved(lambda x, y, z: (x, 16 - y, z)),  # grows down, from the ceiling
    _moved(lambda x, y, z: (x, y, z)),
    _moved(lambda x, y, z: (x, z, 16 - y)),  # grows north, from the block to the south
    _moved(lambda x, y, z: (x, z, y)),
    _moved(lambda x, y, z: (16 - y, x, z)),  # grows west
    _moved(lambda x, y, z: (y, x, z)),
)
"""By facing_direction: turns a shape that stands on the floor to the face that it grows from."""
SHEETS: Final = (
    ModelBox((1, 0, 0), (1, 16, 16)),
    ModelBox((15, 0, 0), (15, 16, 16)),
    ModelBox((0, 0, 1), (16, 16, 1)),
    ModelBox((0, 0, 15), (16, 16, 15)),
    ModelBox((0, 1, 0), (16, 1, 16)),
    ModelBox((0, 15, 0), (16, 15, 16)),
)
"""Just inside each face."""

WEST: Final = 0
BENDS: Final = (0b00110, 0b11101, 0b11011, 0b10111, 0b01111)
"""The bends in which each box of ``bends`` is left out: straight, outer left, outer right, inner left, inner right."""
FACE_BITS: Final = (4, 5, 3, 0, 2, 1)
"""Direction of each bit of multi_face_direction_bits: down, up, south, west, north, east."""


class ModelRule(msgspec.Struct, frozen=True):
    """One rule of the file: its block states, and how to make their shape."""

    names: re.Pattern[str]
    where: Mapping[str, tuple[StateValue, ...]]
    entry: Mapping[str, Any]

    def fits(self, states: Mapping[str, StateValue]) -> bool:
        """Whether the states match; an absent state counts as 0."""
        return all(states.get(key, 0) in values for key, values in self.where.items())

    @property
    def draws(self) -> bool:
        return len(self.entry) > 1


class ModelRules:
    """All rules of the file; shapes are cached for each rule and the states that it reads."""

    def __init__(self, rules: tuple[ModelRule, ...]) -> None:
        self.rules = rules  # in the order of the file; the first that applies counts
        self._ancestors = renames.load()
        self._of_name: dict[str, tuple[ModelRule, ...]] = {}
        self._shapes: dict[tuple[int, tuple[StateValue | None, ...]], Shape] = {}

    def shape_of(self, name: str, states: Mapping[str, StateValue]) -> Shape:
        """The shape of a block state, after translation to 486; a full cube for a name without a rule."""
        bare, states = self._ancestors.of(name, states)
        rules = self._of_name.get(bare)
        if rules is None:
            meant = () if renames.is_foreign(bare) else self.rules
            rules = self._of_name[bare] = tuple(rule for rule in meant if rule.names.fullmatch(bare))
        for rule in rules:
            if rule.fits(states):
                key = (id(rule), tuple(states.get(state) for state in _looked_at(rule.entry)))
                shape = self._shapes.get(key)
                if shape is None:
                    shape = self._shapes[key] = _shape(rule.entry, states)
                return shape
        return WHOLE


@cache
def load() -> ModelRules:
    """Reads the file once. Raises ValueError: a rule has an unknown key or an invalid box."""
    text = resources.files("assets").joinpath("models.toml").read_text("utf-8")
    return ModelRules(tuple(_rule(entry) for entry in tomllib.loads(text)["model"]))


_BOXES: Final = ("boxes", "links", "likes", "trails", "climbs", "bends", "upright", "beside", "alone")
_KEYS: Final = {
    *_BOXES, "names", "where", "cross", "grows", "turn", "turn16", "stand", "flip", "tops", "sides", "faces", "group",
    "across", "group_by", "middle", "spin", "ramp", "heights", "fills", "translucent", "carries", "shows", "lean",
    "scatters",
}  # fmt: skip


def _rule(entry: Mapping[str, Any]) -> ModelRule:
    if not entry.keys() <= _KEYS:
        raise ValueError(f"model of {entry.get('names')}: unknown keys {sorted(entry.keys() - _KEYS)}")
    if "lean" in entry and not entry.get("carries"):
        raise ValueError(f"model of {entry.get('names')}: a leaning model turns as a whole: carries is missing")
    for text in (box for key in _BOXES for box in entry.get(key, ())):
        box_of(text)
    pattern = "|".join(fnmatch.translate(name) for name in entry["names"])
    where = {key: tuple(values) for key, values in entry.get("where", {}).items()}
    return ModelRule(re.compile(pattern), where, entry)


def _looked_at(entry: Mapping[str, Any]) -> list[str]:
    """The states that a shape depends on, in a fixed order."""
    states = [entry[key]["state"] for key in ("turn", "tops", "sides", "grows", "fills") if key in entry]
    states += entry.get("heights", {}).get("states", ())
    states += [entry["fills"]["of"]["state"]] if isinstance(entry.get("fills", {}).get("of"), dict) else []
    keys = ("stand", "flip", "faces", "turn16", "group_by")
    return states + [entry[key] for key in keys if isinstance(entry.get(key), str)]


def _shape(entry: Mapping[str, Any], states: Mapping[str, StateValue]) -> Shape:
    boxes = [*_standing(entry, states), *_linked(entry), *_by_sides(entry, states), *_filling(entry, states)]
    cross = _by_state(entry["grows"], "to", states) if "grows" in entry else int(entry.get("cross", 0))
    if not boxes and not cross and not entry.get("ramp"):
        boxes = [box_of(text) for text in entry.get("alone", ())]
    quarters = _by_state(entry["turn"], "quarters", states) if "turn" in entry else 0
    if "turn16" in entry:
        quarters, tilt = divmod(_number(states, entry["turn16"], 16), 4)
        boxes = [box._replace(tilt=tilt) for box in boxes]
    facing = _number(states, entry["stand"], 6, 1) if "stand" in entry else 1
    boxes = [box._replace(lean=entry.get("lean", 0)) for box in boxes]
    if entry.get("carries"):
        return Shape(tuple(boxes), cross, group=entry.get("group", ""), turns=quarters, grows=facing)
    boxes = [turned(box, quarters) for box in boxes]
    if entry.get("spin"):
        boxes = [box._replace(spin=quarters) for box in boxes]
    if entry.get("across") and facing > 1:
        facing ^= 1
    flip = entry.get("flip", False)
    upside = _number(states, flip, 2) == 1 if isinstance(flip, str) else flip
    boxes = [STAND[0 if upside else facing](box) for box in boxes]
    ramp = quarters if entry.get("ramp") else None
    translucent, scatters = bool(entry.get("translucent")), bool(entry.get("scatters"))
    group = entry.get("group", "")
    if "group_by" in entry:
        group = f"{group} {_number(states, entry['group_by'], 6)}"
    return Shape(tuple(boxes), cross, upside or facing == 0, group, ramp, translucent, scatters=scatters)


def _standing(entry: Mapping[str, Any], states: Mapping[str, StateValue]) -> list[ModelBox]:
    """Boxes that do not depend on neighbours."""
    boxes = [box_of(text)._replace(middle=bool(entry.get("middle"))) for text in entry.get("boxes", ())]
    shown = [*entry.get("shows", ()), *[""] * len(boxes)]
    boxes = [box._replace(shows=of) for box, of in zip(boxes, shown, strict=False)]
    if "tops" in entry:
        top = _by_state(entry["tops"], "to", states)
        boxes = [box._replace(high=(box.high[0], top, box.high[2])) for box in boxes]
    return boxes


def _linked(entry: Mapping[str, Any]) -> list[ModelBox]:
    """Boxes that depend on the neighbouring blocks."""
    boxes = []
    for text in entry.get("links", ()):
        boxes += [turned(box_of(text)._replace(link=SOUTH), quarters) for quarters in range(4)]
    for text in entry.get("likes", ()):
        boxes += [turned(box_of(text)._replace(link=SOUTH, like=True), quarters) for quarters in range(4)]
    for key, climb in (("trails", Climb.EITHER), ("climbs", Climb.UP)):
        for text in entry.get(key, ()):
            box = box_of(text)._replace(link=SOUTH, like=True, climb=climb)
            boxes += [turned(box, quarters) for quarters in range(4)]
    for text in entry.get("beside", ()):
        east = box_of(text)._replace(link=EAST, like=True)
        west = east._replace(low=(16 - east.high[0], *east.low[1:]), high=(16 - east.low[0], *east.high[1:]))
        boxes += [east, west._replace(link=WEST)]
    boxes += [box_of(text)._replace(hidden=hidden) for text, hidden in zip(entry.get("bends", ()), BENDS, strict=False)]
    for text, link in zip(entry.get("upright", ()), (UP, DOWN), strict=False):
        boxes.append(box_of(text)._replace(link=link))
    return boxes


def _by_sides(entry: Mapping[str, Any], states: Mapping[str, StateValue]) -> list[ModelBox]:
    """Boxes of sides named by states, by values or by bits."""
    boxes = []
    for side, state in enumerate(entry.get("heights", {}).get("states", ())):
        boxes += [turned(box_of(text), side) for text in entry["heights"].get(states.get(state, "none"), ())]
    if "sides" in entry:
        bits = _bits(states, entry["sides"]["state"])
        boxes += [turned(box_of(text), k) for text in entry["sides"]["boxes"] for k in range(4) if bits >> k & 1]
    if "faces" in entry:
        bits = _bits(states, entry["faces"])
        boxes += [SHEETS[FACE_BITS[k]] for k in range(6) if bits >> k & 1]
    return boxes


def _filling(entry: Mapping[str, Any], states: Mapping[str, StateValue]) -> list[ModelBox]:
    """The surface of a vessel's content, empty for an empty vessel."""
    if "fills" not in entry:
        return []
    fills = entry["fills"]
    height = _by_state(fills, "to", states)
    of = fills["of"]
    if isinstance(of, dict):
        of = of["names"].get(states.get(of["state"]), of["else"])
    return [ModelBox((2, height, 2), (14, height, 14), shows=of)] if height else []


def _by_state(entry: Mapping[str, Any], values: str, states: Mapping[str, StateValue]) -> int:
    """The table's value for a state: by name, or by number."""
    if "names" in entry:
        return int(entry["names"].get(states.get(entry["state"]), 0))
    table = entry[values]
    return int(table[_number(states, entry["state"], len(table))])


def _number(states: Mapping[str, StateValue], key: str, many: int, else_: int = 0) -> int:
    """A state's value if it is below ``many``, else ``else_``."""
    value = states.get(key, else_)
    return int(value) if isinstance(value, int) and 0 <= value < many else else_


def _bits(states: Mapping[str, StateValue], key: str) -> int:
    value = states.get(key, 0)
    return int(value) if isinstance(value, int) and value > 0 else 0
