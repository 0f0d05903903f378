"""A block state: a name and its properties. Says what a block is, whatever number it travels under."""

from typing import NamedTuple

StateValue = int | str | bool
"""A byte is a bool: it compares as its number, and can be told from an int when a state is hashed or shown."""


class BlockState(NamedTuple):
    """One state of one block.

    Attributes:
        name: with its namespace, ``minecraft:stone``.
        states: (property, value), sorted by property.
    """

    name: str
    states: tuple[tuple[str, StateValue], ...] = ()

    def __str__(self) -> str:
        """As commands spell it: ``minecraft:log["old_log_type"="oak"]``."""
        if not self.states:
            return self.name
        return f"{self.name}[{','.join(f'{_quoted(key)}={_quoted(value)}' for key, value in self.states)}]"


def _quoted(value: StateValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
