"""Derives the block state lists from npm minecraft-data; run it by hand when that has a new protocol.

    npm install --ignore-scripts minecraft-data
    python -m assets.derive_states node_modules/minecraft-data/minecraft-data/data [PROTOCOL=blockStates.json ...]

Rules:
1. The output has exactly the input's states in the input's order; the written text is expanded and compared.
2. The format is that of ``assets.states``: in each block the property that changes slowest comes first.
3. A version whose list minecraft-data takes from another version gets no list of its own, unless another source is
   given for its protocol, in minecraft-data's form.
"""

import itertools
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assets.states import FIRST_PROTOCOL, KINDS, StateRow, expand, order_of

States = Sequence[Mapping[str, Mapping[str, Any]]]  # JSON of a third party
LETTERS = {name: letter for letter, (name, _) in KINDS.items()}


def property_order(states: States) -> tuple[str, ...]:
    """The order of properties, slowest first, in which ``states`` are all combinations of their values.

    Raises ValueError: there is none.
    """
    for names in itertools.permutations(states[0]):
        combinations = itertools.product(*(values_of(states, name) for name in names))
        if [tuple(state[name]["value"] for name in names) for state in states] == list(combinations):
            return names
    raise ValueError(f"states of {sorted(states[0])} are not the product of their values")


def values_of(states: States, name: str) -> list[Any]:
    """The values of a property, in order of appearance."""
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


def lines_of(source: str) -> dict[str, str]:
    """Each block's line, in the order of ``blockStates.json``, whose text is given.

    Raises ValueError: the format cannot express it.
    """
    states = json.loads(source)
    groups = itertools.groupby(states, key=lambda state: state["name"])
    lines = {name: line_of(name, [state["states"] for state in group]) for name, group in groups}
    if expand("\n".join(lines.values())) != tuple(map(row_of, states)):
        raise ValueError("the packed list does not expand to the input")
    return lines


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The lines that change one protocol's blocks into another's."""
    removed = sorted(f"-{name}" for name in before if name not in after)
    return removed + sorted(line for name, line in after.items() if before.get(name) != line)


def sources(data: Path) -> Iterator[tuple[int, Path]]:
    """(protocol, its ``blockStates.json``) of each version that has a list of its own, ascending."""
    versions = json.loads((data / "dataPaths.json").read_text(encoding="utf-8"))["bedrock"]
    found = []
    for name, paths in versions.items():
        if paths.get("blockStates") == f"bedrock/{name}":
            version = json.loads((data / paths["version"] / "version.json").read_text(encoding="utf-8"))
            found.append((int(version["version"]), data / paths["blockStates"] / "blockStates.json"))
    return (entry for entry in sorted(found) if entry[0] >= FIRST_PROTOCOL)


def write_lists(data: Path, folder: Path, others: Mapping[int, Path] = MappingProxyType({})) -> None:
    """Writes both files of ``assets.states`` from minecraft-data's data folder and lists by protocol of other sources.

    Raises ValueError: a list is not in the order of its protocol, or the format cannot express it.
    """
    before: dict[str, str] = {}
    changed: list[str] = []
    for protocol, path in sorted([*sources(data), *others.items()]):
        lines = lines_of(path.read_text(encoding="utf-8"))
        key = order_of(protocol)
        if list(lines) != sorted(lines, key=lambda name: key(f"minecraft:{name}")):
            raise ValueError(f"blocks of protocol {protocol} are not in its order")
        if protocol == FIRST_PROTOCOL:
            text = "".join(line + "\n" for line in lines.values())
            (folder / f"states-{protocol}.txt").write_text(text, encoding="utf-8")
        elif difference := changes(before, lines):
            changed += [f"@{protocol}", *difference]
        before = lines
    (folder / "states-changes.txt").write_text("\n".join(changed) + "\n", encoding="utf-8")


if __name__ == "__main__":
    named = (argument.split("=", 1) for argument in sys.argv[2:])
    write_lists(Path(sys.argv[1]), Path(__file__).parent, {int(protocol): Path(path) for protocol, path in named})
