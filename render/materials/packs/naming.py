"""Which names of blocks in a pack mean a block state, and which variant of a texture.

Rules:
1. Packs use the names of their own release, and old ones for some blocks: tried are a state's own name, what it was
   called at 486, and what that is called since. Each name is tried once, so no circle of names is ever followed.
2. The variant is the old variant number: the place of the value among those of the property that told the kinds of a
   block apart at 486; where two did, the second counts in steps of as many as the first has.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from assets import ancestors, states
from assets.textures import TextureRules
from render.materials.packs.tables import plain_name

StateValue = int | str | bool
States = Mapping[str, StateValue]

_PROPERTY: Final = re.compile(r"\{(\w+)\}")


def names_of(name: str, values: States) -> tuple[str, ...]:
    """Plain names under which packs may have a block state, the likeliest first."""
    bare = name.removeprefix("minecraft:")
    old, old_values = ancestors.load().of(name, values)
    newer = [
        new for new, fixed in _newer().get(old, ()) if all(old_values.get(key) == value for key, value in fixed.items())
    ]
    return tuple(dict.fromkeys(plain_name(each) for each in (bare, old, *newer)))


def variant_of(rules: TextureRules, name: str, values: States) -> int:
    """The old variant number of a block state; 0 for blocks without kinds."""
    old, old_values = ancestors.load().of(name, values)
    number, step = 0, 1
    for key in _PROPERTY.findall(rules.names.get(old, "")):
        listed = _values_of(old).get(key, ())
        text = str(int(value)) if isinstance(value := old_values.get(key, 0), bool) else str(value)
        if text in listed:
            number += step * listed.index(text)
            step *= len(listed)
    return number


@cache
def _newer() -> Mapping[str, list[tuple[str, States]]]:
    """Old name -> what came of it, each with the states it stands for."""
    found: dict[str, list[tuple[str, States]]] = {}
    for new, (old, fixed) in ancestors.load().blocks.items():
        found.setdefault(old, []).append((new, fixed))
    return found


@cache
def _values_of(old: str) -> Mapping[str, tuple[str, ...]]:
    """Property -> its values at 486 in their order."""
    line = states.blocks(states.FIRST_PROTOCOL).get(old, old)
    fields = (word.partition("=") for word in line.split()[1:])
    return {head.split(":")[0]: tuple(values.split(",")) for head, _, values in fields}
