"""How blocks affect light, visibility and movement: class, emission, opacity, by name and state.

Rules:
1. The table is ours (``traits.toml``); levels follow the game, colours are our choice (docs/develop/assets.md).
2. Rules of the file apply from top to bottom; each overrides the traits that it names.
3. A block of a later release has the traits of its ancestor at 486 (``assets.renames``).
4. A name without a rule is an opaque dark cube: like a placeholder, it hides what is behind it. So is every block of
   another name space: patterns match only blocks of ``minecraft``.
5. Opaque blocks stop all light; liquids dim daylight: kernels rely on it. Where the rules contradict this for an
   unforeseen name (``x_stained_glass`` is no known block, so opaque, and has a glass's opacity), the class decides.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from assets import renames
from assets.states import StateValue


class BlockClass(IntEnum):
    """How a block is drawn and what it hides, in the order of dense ids."""

    AIR = 0  # nothing
    MODEL = 1  # fills no cube
    CUTOUT = 2  # a cube with holes: its faces are drawn unless an opaque block covers them
    TRANSLUCENT = 3  # a transparent cube; hides faces against its own kind
    LIQUID = 4  # hides faces against liquids
    PLACEHOLDER = 5  # never drawn, hides everything
    OPAQUE = 6  # hides everything


class Traits(msgspec.Struct, frozen=True):
    """The traits of one block state."""

    block_class: BlockClass  # how it is drawn
    emission: tuple[int, int, int]  # emitted light, 0..15 in red, green, blue
    # loss of light on entering, 0..15 in red, green, blue, daylight; every step costs at least 1, except for daylight
    # straight down
    opacity: tuple[int, int, int, int]
    obstructs: bool  # whether it stops a player


UNKNOWN: Final = Traits(BlockClass.OPAQUE, (0, 0, 0), (15, 15, 15, 15), True)


class Rule(msgspec.Struct, frozen=True):
    """One rule of the file; None keeps a trait."""

    names: tuple[str, ...]  # whole names; ``*`` stands for any letters
    where: tuple[tuple[str, StateValue], ...]  # required state values
    block_class: BlockClass | None  # the class, with its usual opacity and obstruction
    emission: tuple[int, int, int] | None  # emitted light
    opacity: tuple[int, int, int, int] | None  # loss of light
    passable: bool | None  # whether players pass

    def applies(self, states: Mapping[str, StateValue]) -> bool:
        """Whether the rule applies to these states (its name is known to match)."""
        return all(states.get(key) == value for key, value in self.where)

    def override(self, traits: Traits) -> Traits:
        """The traits after this rule."""
        if self.block_class is not None:
            stops = 15 if self.block_class >= BlockClass.PLACEHOLDER else 0
            traits = Traits(self.block_class, traits.emission, (stops, stops, stops, stops), True)
        if self.emission is not None:
            traits = replace(traits, emission=self.emission)
        if self.opacity is not None:
            traits = replace(traits, opacity=self.opacity)
        if self.passable is not None:
            traits = replace(traits, obstructs=not self.passable)
        return traits


class TraitTable:
    """All rules; returns traits by name and state."""

    def __init__(self, rules: list[Rule]) -> None:
        self._rules = rules
        self._named: dict[str, set[int]] = {}  # rules by the full names that they list
        self._patterns: list[tuple[int, re.Pattern[str]]] = []  # of the others: a tenth of the time of patterns for all
        for number, rule in enumerate(rules):
            for name in rule.names:
                if "*" not in name:
                    self._named.setdefault(name, set()).add(number)
            if wild := [re.escape(name).replace(r"\*", ".*") for name in rule.names if "*" in name]:
                self._patterns.append((number, re.compile("|".join(wild))))
        self._ancestors = renames.load()
        self._by_name: dict[str, list[Rule]] = {}
        self._of_all: dict[str, Traits] = {}  # of names whose states have equal traits

    def knows(self, name: str) -> bool:
        """Whether a rule sets the class of a name."""
        return any(rule.block_class is not None for rule in self._rules_of(self._ancestors.name_of(name)))

    def of(self, name: str, states: Mapping[str, StateValue] | Iterable[tuple[str, StateValue]]) -> Traits:
        """Traits of one block state.

        ``name``: with or without ``minecraft:``; other name spaces are unknown blocks. ``states``: its properties with
        their values; a byte and the boolean of the same value are equal.
        """
        if (found := self._of_all.get(name)) is not None:
            return found
        rules = self._rules_of(self._ancestors.name_of(name))
        depends = any(rule.where for rule in rules)
        values: Mapping[str, StateValue] = {}
        if depends:
            _, values = self._ancestors.of(name, dict(states))
        traits = UNKNOWN
        for rule in rules:
            if rule.applies(values):
                traits = rule.override(traits)
        traits = _agreeing(traits)
        if not depends:
            self._of_all[name] = traits
        return traits

    def _rules_of(self, name: str) -> list[Rule]:
        bare = name.removeprefix("minecraft:")
        found = self._by_name.get(bare)
        if found is None:
            numbers: set[int] = set()
            if not renames.is_foreign(bare):
                numbers = {number for number, pattern in self._patterns if pattern.fullmatch(bare)}
                numbers |= self._named.get(bare, set())
            found = [self._rules[number] for number in sorted(numbers)]
            self._by_name[bare] = found
        return found


def _agreeing(traits: Traits) -> Traits:
    """The traits corrected by rule 5."""
    if traits.block_class >= BlockClass.PLACEHOLDER and traits.opacity != UNKNOWN.opacity:
        return replace(traits, opacity=UNKNOWN.opacity)
    if traits.block_class == BlockClass.LIQUID and traits.opacity[3] == 0:
        return replace(traits, opacity=(*traits.opacity[:3], 1))
    return traits


@cache
def load() -> TraitTable:
    """Reads the table of the package once. Raises ValueError: a value out of range."""
    text = resources.files("assets").joinpath("traits.toml").read_text("utf-8")
    return parse(text)


def parse(text: str) -> TraitTable:
    """Reads a table of rules. Raises ValueError: a level out of range; names what, where and which rule."""
    return TraitTable([_rule(entry) for entry in tomllib.loads(text)["rule"]])


def _rule(entry: dict[str, Any]) -> Rule:  # Any: TOML
    kind, names, emission, opacity = entry.get("class"), entry["names"], entry.get("emission"), entry.get("opacity")
    levels: Any = [opacity] * 4 if isinstance(opacity, int) else opacity
    return Rule(
        names=tuple(names),
        where=tuple(entry.get("where", {}).items()),
        block_class=None if kind is None else BlockClass[kind.upper()],
        emission=None if emission is None else _checked("emission", emission, 3, names),
        opacity=None if levels is None else _checked("opacity", levels, 4, names),
        passable=entry.get("passable"),
    )


def _checked(what: str, levels: list[int], count: int, names: list[str]) -> Any:  # Any: a tuple of that length
    if len(levels) != count or not all(type(level) is int and 0 <= level <= 15 for level in levels):
        raise ValueError(f"{what} {levels} of {', '.join(names)}: {count} levels of 0..15 are required")
    return tuple(levels)
