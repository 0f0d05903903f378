"""Local block ids of a running server: the world's own list, and what is set later appended to it.

Worlds spell their blocks as protocol 486 does. A later protocol may have given a block another name; what it calls the
block is the state whose ancestor it is (``assets.ancestors``).
"""

import numpy as np
import numpy.typing as npt

from assets import ancestors, traits
from net.palette import BlockState, Palette
from net.space.layout import RuntimeIds
from net.subchunk.encode import SubChunkEncoder

AIR = 0

UPRIGHT = frozenset({("pillar_axis", "y")})
StateKey = tuple[str, frozenset[tuple[str, int | str | bool]]]


class UnknownState(ValueError):
    """A block state that the protocol's palette does not hold."""


class LocalStates:
    """Local id -> block state, runtime id, and whether it stops daylight.

    Args:
        palette: of the protocol that is served.
        states: the world's list; index 0 is air.

    Raises:
        UnknownState: a state of the list does not exist in this protocol.
    """

    def __init__(self, palette: Palette, states: tuple[BlockState, ...]) -> None:
        self._palette = palette
        self._descendants: dict[StateKey, int] = {}
        self._traits = traits.load()
        self._states: list[BlockState] = []
        self._numbers: dict[BlockState, int] = {}
        self._runtime_ids: list[int] = []
        self._stops_light: list[bool] = []
        for state in states:
            self._append(state)
        self._refresh()

    @property
    def runtime_ids(self) -> RuntimeIds:
        """By local id, int64."""
        return self._runtime_id_array

    @property
    def stops_light(self) -> npt.NDArray[np.bool_]:
        """By local id: whether a height map counts the block (wire.md 0.3: water, leaves and ice do, plants do not)."""
        return self._stops_light_array

    @property
    def encoder(self) -> SubChunkEncoder:
        """Writes sub-chunks of local ids; another one after a new state was appended."""
        return self._encoder

    def state_of(self, local_id: int) -> BlockState:
        """The state of a local id."""
        return self._states[local_id]

    def local_id_of(self, state: BlockState) -> int:
        """The local id of a state, a new one if the world did not know it.

        Raises:
            UnknownState: it does not exist in this protocol.
        """
        if state not in self._numbers:
            self._append(state)
            self._refresh()
        return self._numbers[state]

    def _append(self, state: BlockState) -> None:
        runtime_id = self._palette.runtime_id_of(state)
        if runtime_id is None:
            runtime_id = self._descendant_of(state)
        if runtime_id is None:
            raise UnknownState(f"this protocol has no block {state}")
        self._numbers[state] = len(self._states)
        self._states.append(state)
        self._runtime_ids.append(runtime_id)
        self._stops_light.append(self._traits.of(state.name, dict(state.states)).opacity[3] > 0)

    def _descendant_of(self, state: BlockState) -> int | None:
        """The runtime id of what the protocol calls a state of 486."""
        if not self._descendants:
            for later, runtime_id in zip(self._palette.states, self._palette.runtime_ids.tolist(), strict=True):
                name, values = _ancestor_of(later)
                # Blocks that learnt to lie stand upright where nothing is said: froglights, from 503 on.
                for key in ((name, values), (name, values - UPRIGHT)):
                    if later.name == f"minecraft:{name}":
                        self._descendants[key] = runtime_id  # the block itself goes before those that came of it
                    else:
                        self._descendants.setdefault(key, runtime_id)
        return self._descendants.get(_ancestor_of(state))

    def _refresh(self) -> None:
        self._runtime_id_array = np.array(self._runtime_ids, np.int64)
        self._encoder = SubChunkEncoder(self._runtime_id_array)
        self._stops_light_array = np.array(self._stops_light, np.bool_)


def _ancestor_of(state: BlockState) -> StateKey:
    """A state as 486 says it, without properties that 486 does not have."""
    name, states = ancestors.load().of(state.name, dict(state.states))
    return name, frozenset((key, value) for key, value in states.items() if not key.startswith("minecraft:"))
