"""Translates block states of other releases to those of 486, which the tables of traits, textures and models use.

Rules of ``Ancestors``, for later releases:
1. A state of 486 is its own ancestor. So is a block that is new since and replaces none: tables have it by its name.
2. Names are mapped whole (``oak_leaves`` was ``leaves`` of type oak). Properties are mapped by name
   (``minecraft:vertical_half`` was ``top_slot_bit``); the old ones are added, and the new ones stay.
3. The reverse mapping exists only for renamed blocks and those that became a family. If one block of 486 became many
   that look alike, none of them is mapped back. States that later releases no longer have count as others (``Later``).
4. A block of another name space than ``minecraft`` has no ancestor, and no pattern of our tables matches it
   (``is_foreign``): ``some:oak_door`` is a block of its own.

Rules of ``Legacy``, for worlds saved before 486 (1.18.10):
5. Before 1.13 a state is a name, or before 1.2.13 a number, and a data value: the bits of its properties side by side,
   lowest the one that changes fastest in the list of 486, each as wide as its values need. Bits without a meaning are
   the property's first value. The exceptions are in ``legacy.toml``.
6. From 1.13 on a state has properties; a few names and properties changed until 486.

Theory: rule 5 was found, and compared with dragonfly's ``legacy_states.nbt`` (MIT): it holds for 2850 of the 2978 pairs
of name and data value there that mean a state. The others are the exceptions, and hinges of doors' lower halves, which
had none.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from assets import states as states_module
from assets.states import StateValue

States = Mapping[str, StateValue]


class Later(msgspec.Struct, frozen=True):
    """A replacement for states of some blocks of 486 in releases that no longer have them."""

    blocks: tuple[str, ...]  # without name space
    was: Mapping[str, StateValue] = {}  # properties of the replaced states; removed
    now: Mapping[str, StateValue] = {}  # properties that replace them
    name: str | None = None  # the new name, if it changes
    at_once: bool = False  # from the first release on that has the other, even beside the old one

    def of(self, name: str, states: States) -> tuple[str, States]:
        """The replacement of a state, without name space."""
        kept = {key: value for key, value in states.items() if key not in self.was}
        return self.name or name, {**kept, **self.now}


class Ancestors(msgspec.Struct, frozen=True):
    """The whole file, expanded."""

    blocks: Mapping[str, tuple[str, States]]  # new name -> (old name, states that it means)
    alike: frozenset[str]  # new names of blocks that 486 does not have, and that look like one of its blocks
    states: Mapping[str, Mapping[StateValue, States]]  # new property -> new value -> old properties
    defaults: Mapping[str, States]  # old name -> default states
    later: Mapping[str, tuple[Later, ...]]  # by old name

    def name_of(self, name: str) -> str:
        """Name, without ``minecraft:``, of a block's ancestor; it does not depend on states."""
        bare = name.removeprefix("minecraft:")
        return self.blocks[bare][0] if bare in self.blocks else bare

    def of(self, name: str, states: States) -> tuple[str, States]:
        """Name, without ``minecraft:``, and states of a block state's ancestor."""
        bare = name.removeprefix("minecraft:")
        if is_foreign(bare):
            return bare, states
        old, fixed = self.blocks.get(bare, (bare, {}))
        defaults = self.defaults.get(old, {})
        renamed = [olds for key, value in states.items() if (olds := self.states.get(key, {}).get(value))]
        if not (fixed or defaults or renamed):
            return old, states
        found: dict[str, StateValue] = dict(defaults)
        for olds in renamed:
            found |= olds
        return old, {**found, **states, **fixed}

    def later_of(self, name: str, states: States) -> Later | None:
        """The rule for a state of 486, None for nearly all."""
        rules = self.later.get(name.removeprefix("minecraft:"), ())
        return next((rule for rule in rules if rule.was.items() <= states.items()), None)


def is_foreign(bare: str) -> bool:
    """Whether a name without ``minecraft:`` is of another name space."""
    return ":" in bare


@cache
def load() -> Ancestors:
    """Reads the file once. Raises ValueError: the file has a name twice."""
    content = tomllib.loads(resources.files("assets").joinpath("ancestors.toml").read_text("utf-8"))
    listed = content["renamed"] | content["alike"]
    if len(listed) < len(content["renamed"]) + len(content["alike"]):
        raise ValueError("a block has two ancestors")
    blocks: dict[str, tuple[str, States]] = {new: (old, {}) for new, old in listed.items()}
    for family in content["family"]:
        for new, ancestor in _members(family, content["words"]):
            if new in blocks:
                raise ValueError(f"{new} has two ancestors")
            blocks[new] = ancestor
    later: dict[str, tuple[Later, ...]] = {}
    for rule in msgspec.convert(content["later"], list[Later]):
        later |= {block: (*later.get(block, ()), rule) for block in rule.blocks}
    states = {key: _by_value(olds) for key, olds in content["states"].items()}
    return Ancestors(blocks, frozenset(content["alike"]), states, content["defaults"], later)


def _members(family: Mapping[str, Any], words: Mapping[str, Any]) -> list[tuple[str, tuple[str, States]]]:
    members = words[family["members"]] if isinstance(family["members"], str) else family["members"]
    found: list[tuple[str, tuple[str, States]]] = []
    for name, block in zip(family["names"], family["blocks"], strict=True):
        for member, value in members.items():
            found.append((name.replace("{}", member), (block, {family["state"]: value, **family.get("with", {})})))
    return found


def _by_value(olds: Mapping[str, Mapping[str, StateValue]]) -> dict[StateValue, States]:
    values = {value for table in olds.values() for value in table}
    return {value: {old: table[value] for old, table in olds.items() if value in table} for value in values}


Property = tuple[str, Sequence[StateValue], int]
"""Name, values in the order of the data value, bits."""


class Legacy(msgspec.Struct, frozen=True):
    """The whole file, and the properties of each block of 486, lowest bits first."""

    ids: tuple[str, ...]  # name by number, "" for none
    properties: Mapping[str, tuple[Property, ...]]  # by name, without name space
    renamed: Mapping[str, str]  # old name -> name at 486
    states: Mapping[str, Mapping[str, Mapping[str, Any]]]  # name at 486 -> old property -> its name and values at 486

    def name_of(self, number: int) -> str | None:
        """The name of a number, or None if it is unknown."""
        return self.ids[number] or None if 0 <= number < len(self.ids) else None

    def of_value(self, name: str, value: int) -> dict[str, StateValue] | None:
        """The properties of a data value, or None for a block that 486 does not have."""
        properties = self.properties.get(name.removeprefix("minecraft:"))
        if properties is None:
            return None
        found: dict[str, StateValue] = {}
        for key, values, bits in properties:
            at = value & ((1 << bits) - 1)
            value >>= bits
            found[key] = values[at] if at < len(values) else values[0]
        return found

    def of(self, name: str, said: Mapping[str, StateValue]) -> tuple[str, Mapping[str, StateValue]]:
        """Name, without name space, and properties at 486 of a state saved from 1.13 on."""
        bare = name.removeprefix("minecraft:")
        bare = self.renamed.get(bare, bare)
        changes = self.states.get(bare)
        if not changes or not changes.keys() & said.keys():
            return bare, said
        found = dict(said)
        for key, change in changes.items():
            value = found.get(key)
            if value is None or change["name"] in found:
                continue
            del found[key]
            values = change.get("values")
            if values is None:
                found[change["name"]] = value
            elif isinstance(value, int) and 0 <= value < len(values):
                found[change["name"]] = values[value]
        return bare, found


@cache
def load_legacy() -> Legacy:
    """Reads the file once."""
    content = tomllib.loads(resources.files("assets").joinpath("legacy.toml").read_text("utf-8"))
    ids = tuple("" if name == "-" else name for name in content["ids"].split())
    by_name = {
        name: _properties(name, line, content["widths"], content["values"])
        for name, line in states_module.blocks(states_module.FIRST_PROTOCOL).items()
    }
    return Legacy(ids, by_name, content["renamed"], content["states"])


def _properties(name: str, line: str, widths: Mapping[str, Any], listed: Mapping[str, Any]) -> tuple[Property, ...]:
    found: list[Property] = []
    for key, values in reversed(states_module.properties_of(line)):
        ordered = listed.get(name, {}).get(key, values)
        found.append((key, ordered, widths.get(name, {}).get(key, (len(values) - 1).bit_length())))
    return tuple(found)
