"""Block states and tables without a session: what looks and meshes need of them."""

from dataclasses import dataclass

import msgspec

StateValue = int | str | bool


class PlainState(msgspec.Struct, frozen=True):
    """A block state as tests write it down."""

    name: str
    states: tuple[tuple[str, StateValue], ...] = ()


def state(name: str, **values: StateValue) -> PlainState:
    """``state("planks", wood_type="oak")``."""
    return PlainState(f"minecraft:{name}", tuple(sorted(values.items())))


@dataclass(slots=True)
class PlainTable:
    """A block table as looks read it: states by dense id."""

    states: list[PlainState]
