"""Local block ids of a running server: the world's own list, and what is set or read later appended to it.

They speak no protocol: what a release calls a block, and by which number, is the business of ``wire_forms``.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assets import traits
from net.palette import BlockState

AIR = 0
OVERFLOW = 1
"""What states beyond ``MOST_STATES`` are shown as."""
MOST_STATES = 65_536
"""Local ids are 16 bits wide."""


class LocalStates:
    """Local id -> block state, and whether it stops daylight and sight. ``states`` is the world's list; 0 is air."""

    def __init__(self, states: Sequence[BlockState]) -> None:
        self._traits = traits.load()
        self._states: list[BlockState] = []
        self._numbers: dict[BlockState, int] = {}
        self._stops_light: list[bool] = []
        self._stops_sight: list[bool] = []
        for state in states:
            self._append(state)
        self._refresh()

    def __len__(self) -> int:
        return len(self._states)

    @property
    def stops_light(self) -> npt.NDArray[np.bool_]:
        """By local id: whether a height map counts the block (wire.md 0.3: water, leaves and ice do, plants do not)."""
        return self._stops_light_array

    @property
    def stops_sight(self) -> npt.NDArray[np.bool_]:
        """By local id: whether the block hides what is behind it."""
        return self._stops_sight_array

    @property
    def states(self) -> tuple[BlockState, ...]:
        """What all local ids are, as of now; a list of its own, which any thread may read."""
        return tuple(self._states)

    def state_of(self, local_id: int) -> BlockState:
        """The state of a local id."""
        return self._states[local_id]

    def local_id_of(self, state: BlockState) -> int:
        """The local id of a state, a new one if it was not known."""
        return int(self.local_ids_of((state,))[0])

    def local_ids_of(self, states: Sequence[BlockState]) -> npt.NDArray[np.uint16]:
        """The local ids of states, new ones where needed."""
        fresh = [state for state in dict.fromkeys(states) if state not in self._numbers][: MOST_STATES - len(self)]
        for state in fresh:
            self._append(state)
        if fresh:
            self._refresh()
        return np.array([self._numbers.get(state, OVERFLOW) for state in states], np.uint16)

    def since(self, known: int) -> Sequence[BlockState]:
        """The states of local ids from ``known`` on."""
        return self._states[known:]

    def _append(self, state: BlockState) -> None:
        self._numbers[state] = len(self._states)
        self._states.append(state)
        of = self._traits.of(state.name, dict(state.states))
        self._stops_light.append(of.opacity[3] > 0)
        self._stops_sight.append(of.block_class >= traits.BlockClass.PLACEHOLDER)

    def _refresh(self) -> None:
        self._stops_light_array = np.array(self._stops_light, np.bool_)
        self._stops_sight_array = np.array(self._stops_sight, np.bool_)
