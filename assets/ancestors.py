"""What a block state of a later release was called at 486, which the tables of traits, textures and models are for.

Rules:
1. A state of 486 is its own ancestor. So is a block that is new since and replaces nothing: tables name it as it is.
2. Names are mapped whole (``oak_leaves`` was ``leaves`` of type oak), properties by name (``minecraft:vertical_half``
   was ``top_slot_bit``) beside the new ones, which stay.
3. Nothing goes the other way: one block of 486 may have become many that look alike.
4. A block of another name space than ``minecraft`` has no ancestor, and no pattern of our tables means it
   (``is_foreign``): what somebody else calls ``some:oak_door`` is a block of its own.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

StateValue = int | str | bool
States = Mapping[str, StateValue]


@dataclass(frozen=True, slots=True)
class Ancestors:
    """The whole file, expanded.

    Attributes:
        blocks: new name -> (old name, states that it stands for).
        states: new property -> new value -> old properties.
        defaults: old name -> states that it has where nothing is said.
    """

    blocks: Mapping[str, tuple[str, States]]
    states: Mapping[str, Mapping[StateValue, States]]
    defaults: Mapping[str, States]

    def of(self, name: str, states: States) -> tuple[str, States]:
        """Name, without name space, and states of a block state's ancestor."""
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


def is_foreign(bare: str) -> bool:
    """Whether a name, ``minecraft:`` taken off, is of another name space."""
    return ":" in bare


@cache
def load() -> Ancestors:
    """Reads the file once.

    Raises:
        ValueError: a name stands there twice.
    """
    content = tomllib.loads(resources.files("assets").joinpath("ancestors.toml").read_text("utf-8"))
    blocks: dict[str, tuple[str, States]] = {new: (old, {}) for new, old in content["renamed"].items()}
    for family in content["family"]:
        for new, ancestor in _members(family, content["words"]):
            if new in blocks:
                raise ValueError(f"{new} has two ancestors")
            blocks[new] = ancestor
    return Ancestors(blocks, {key: _by_value(olds) for key, olds in content["states"].items()}, content["defaults"])


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
