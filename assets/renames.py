"""What a block state of a later release was called at 486, which the tables of traits, textures and models are for.

Rules:
1. A state of 486 is its own ancestor. So is a block that is new since and replaces nothing: tables name it as it is.
2. Names are mapped whole (``oak_leaves`` was ``leaves`` of type oak), properties by name (``minecraft:vertical_half``
   was ``top_slot_bit``) beside the new ones, which stay.
3. The other way goes what was renamed or became a family. One block of 486 may have become many that look alike: none
   of them is it. States that later releases no longer have count as others (``Later``).
4. A block of another name space than ``minecraft`` has no ancestor, and no pattern of our tables means it
   (``is_foreign``): what somebody else calls ``some:oak_door`` is a block of its own.

Legacy: Block states of worlds saved before 486 (1.18.10), as 486 says them.
1. Before 1.13 a state is a name, or before 1.2.13 a number, and a data value: the bits of its properties side by side,
   the one that changes fastest in the list of 486 lowest, each as wide as its values need. What the bits cannot mean is
   the property's first value. The exceptions stand in ``legacy.toml``.
2. From 1.13 on a state has properties; a few names and properties changed until 486.

Theory: that the properties of 486 are the bits of old was found, and compared with dragonfly's ``legacy_states.nbt``
(MIT): it holds for 2850 of the 2978 pairs of name and data value there that mean a state. The others are the
exceptions, and hinges of doors' lower halves, which had none.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from assets import states as states_module

StateValue = int | str | bool
States = Mapping[str, StateValue]


class Later(msgspec.Struct, frozen=True):
    """What states of some blocks of 486 count as in releases that do not have them."""

    blocks: tuple[str, ...]  # without name space
    was: Mapping[str, StateValue] = {}  # properties of the states that are meant; they go
    now: Mapping[str, StateValue] = {}  # properties in their place
    name: str | None = None  # where the block's changes
    at_once: bool = False  # as soon as a release has the other, even beside the one that it was

    def of(self, name: str, states: States) -> tuple[str, States]:
        """What a state is then, without name space."""
        kept = {key: value for key, value in states.items() if key not in self.was}
        return self.name or name, {**kept, **self.now}


class Ancestors(msgspec.Struct, frozen=True):
    """The whole file, expanded."""

    blocks: Mapping[str, tuple[str, States]]  # new name -> (old name, states that it stands for)
    alike: frozenset[str]  # new names that are no block of 486, but look like one
    states: Mapping[str, Mapping[StateValue, States]]  # new property -> new value -> old properties
    defaults: Mapping[str, States]  # old name -> states that it has where nothing is said
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
    """Whether a name, ``minecraft:`` taken off, is of another name space."""
    return ":" in bare


@cache
def load() -> Ancestors:
    """Reads the file once. Raises ValueError: a name stands there twice."""
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
        """The name of a number, None for one that is not known."""
        return self.ids[number] or None if 0 <= number < len(self.ids) else None

    def of_value(self, name: str, value: int) -> dict[str, StateValue] | None:
        """The properties that a data value stands for, None for a block that 486 does not have."""
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
