"""Block states by an index that means the same in every session of one protocol, unlike dense ids.

Rules:
1. Palettes by order: a state's row is its index in the palette of its protocol, which is its runtime id there. By hash:
   rows ascend by hash.
2. Behind them come the placeholder where the palette has none, then ids that the palette does not know, by runtime id,
   then by name: whatever the order in which they came.
"""

import json
from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from render.materials.materials import BlockStateLike

NO_RUNTIME_ID: Final = 0xFFFFFFFF
"""What ``runtime_ids`` says of a state that has none."""


class StateTable(Protocol):
    """A session's block table."""

    @property
    def states(self) -> Sequence[BlockStateLike]:
        """By dense id."""
        ...

    @property
    def runtime_ids(self) -> npt.NDArray[np.int64]:
        """By dense id; -1 where it has none."""
        ...

    @property
    def appended(self) -> int:
        """How many states at the end the palette does not know."""
        ...


@frozen
class Palette:
    """The rows that a shot's ``block`` and ``mirror`` point to.

    Attributes:
        names: unicode[n] with their ``minecraft:`` prefix.
        states: unicode[n] JSON of each state's names and values.
        runtime_ids: uint32[n] the wire's; NO_RUNTIME_ID where there is none.
        row_of_dense: uint32[dense ids in use] each dense id's row.
    """

    names: npt.NDArray[np.str_]
    states: npt.NDArray[np.str_]
    runtime_ids: npt.NDArray[np.uint32]
    row_of_dense: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, table: StateTable) -> "Palette":
        """Rows of everything that a table knows now."""
        states = table.states
        ids = table.runtime_ids[: len(states)]
        known = len(states) - table.appended
        words = [json.dumps(dict(state.states), sort_keys=True) for state in states]
        order = sorted(
            range(len(states)),
            key=lambda dense: (dense >= known, ids[dense] < 0, ids[dense], states[dense].name, words[dense]),
        )
        row_of_dense = np.empty(len(order), np.uint32)
        row_of_dense[order] = np.arange(len(order), dtype=np.uint32)
        return cls(
            np.array([states[dense].name for dense in order]),
            np.array([words[dense] for dense in order]),
            (ids[order] & 0xFFFFFFFF).astype(np.uint32),
            row_of_dense,
        )
