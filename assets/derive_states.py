"""Derives a protocol's block state list from npm minecraft-data; run by hand, once a protocol (README.md, Provenance).

    npm install --ignore-scripts minecraft-data
    python -m assets.derive_states node_modules/minecraft-data/minecraft-data/data/bedrock/1.18.11/blockStates.json 486

Rules:
1. The output says exactly the input's states in the input's order; ``derive`` expands what it wrote and compares.
2. The format is that of ``assets.states``: per block the property that changes slowest stands first.
"""

import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assets.states import KINDS, StateRow, expand

States = Sequence[Mapping[str, Mapping[str, Any]]]  # JSON of a third party
LETTERS = {name: letter for letter, (name, _) in KINDS.items()}


def property_order(states: States) -> tuple[str, ...]:
    """The order of properties, slowest first, in which ``states`` are all combinations of their values.

    Raises:
        ValueError: there is none.
    """
    for names in itertools.permutations(states[0]):
        combinations = itertools.product(*(values_of(states, name) for name in names))
        if [tuple(state[name]["value"] for name in names) for state in states] == list(combinations):
            return names
    raise ValueError(f"states of {sorted(states[0])} are no product of their values")


def values_of(states: States, name: str) -> list[Any]:
    """The values a property takes, in order of appearance."""
    return list(dict.fromkeys(state[name]["value"] for state in states))


def line_of(name: str, states: States) -> str:
    """One block's line."""
    words = [name]
    for key in property_order(states):
        letter = LETTERS[states[0][key]["type"]]
        words.append(f"{key}:{letter}={','.join(map(str, values_of(states, key)))}")
    return " ".join(words)


def row_of(state: Mapping[str, Any]) -> StateRow:
    """A state of the input as ``assets.states`` gives it."""
    read = {key: KINDS[LETTERS[value["type"]]][1](str(value["value"])) for key, value in state["states"].items()}
    return f"minecraft:{state['name']}", tuple(sorted(read.items()))


def derive(source: str) -> str:
    """The list's text from the text of ``blockStates.json``.

    Raises:
        ValueError: the format cannot say it.
    """
    states = json.loads(source)
    groups = itertools.groupby(states, key=lambda state: state["name"])
    text = "".join(line_of(name, [state["states"] for state in group]) + "\n" for name, group in groups)
    if expand(text) != tuple(map(row_of, states)):
        raise ValueError("the packed list does not expand to the input")
    return text


def main(arguments: Sequence[str]) -> None:
    """``blockStates.json PROTOCOL``: writes ``states-PROTOCOL.txt`` beside this module."""
    source, protocol = arguments
    text = derive(Path(source).read_text(encoding="utf-8"))
    Path(__file__).with_name(f"states-{int(protocol)}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
