"""Local block ids of a running server: the world's own list, and what is set later appended to it.

Rules:
1. Worlds of our own spell their blocks as protocol 486 does. A later protocol may have given a block another name; what
   it calls the block is the state whose ancestor it is (``assets.ancestors``).
2. Saved worlds spell them as whoever saved them did. A state that the protocol has not in so many words is the one of
   its ancestor's name that agrees in most properties: properties come and go between releases.
3. A saved block whose name nobody knows is one block, ``minecraft:unknown``, and listed in ``unknown``.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assets import ancestors, traits
from net.palette import BlockState, Palette, StateValue
from net.space.layout import RuntimeIds
from net.subchunk.encode import SubChunkEncoder

AIR = 0
UNKNOWN = (BlockState("minecraft:unknown"), BlockState("minecraft:info_update"))
"""What stands for blocks that a protocol does not have; the first that it has."""

UPRIGHT = frozenset({("pillar_axis", "y")})
StateKey = tuple[str, frozenset[tuple[str, StateValue]]]


class UnknownState(ValueError):
    """A block state that the protocol's palette does not hold."""


class LocalStates:
    """Local id -> block state, runtime id, and whether it stops daylight.

    Args:
        palette: of the protocol that is served.
        states: the world's list; index 0 is air.
        bear_unknown: whether they are saved ones, see rules 2 and 3.

    Raises:
        UnknownState: a state of the list does not exist in this protocol.
    """

    def __init__(self, palette: Palette, states: tuple[BlockState, ...], *, bear_unknown: bool = False) -> None:
        self._palette = palette
        self._descendants: dict[StateKey, int] = {}
        self._namesakes: dict[str, list[tuple[frozenset[tuple[str, StateValue]], bool, int]]] = {}
        self._traits = traits.load()
        self._states: list[BlockState] = []
        self._numbers: dict[BlockState, int] = {}
        self._runtime_ids: list[int] = []
        self._stops_light: list[bool] = []
        self._stops_sight: list[bool] = []
        self.unknown: list[BlockState] = []
        """Saved states that the protocol has no block for, in the order they were met."""
        for state in states:
            if bear_unknown:
                self._append_saved(state)
            else:
                self._append(state, self._runtime_id_of(state))
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
    def stops_sight(self) -> npt.NDArray[np.bool_]:
        """By local id: whether the block hides what is behind it."""
        return self._stops_sight_array

    @property
    def encoder(self) -> SubChunkEncoder:
        """Writes sub-chunks of local ids; another one after a new state was appended."""
        return self._encoder

    @property
    def states(self) -> tuple[BlockState, ...]:
        """What all local ids are, as of now; a list of its own, which any thread may read."""
        return tuple(self._states)

    def state_of(self, local_id: int) -> BlockState:
        """The state of a local id."""
        return self._states[local_id]

    def local_id_of(self, state: BlockState) -> int:
        """The local id of a state, a new one if the world did not know it.

        Raises:
            UnknownState: it does not exist in this protocol.
        """
        if state not in self._numbers:
            self._append(state, self._runtime_id_of(state))
            self._refresh()
        return self._numbers[state]

    def local_ids_of(self, states: Sequence[BlockState]) -> npt.NDArray[np.uint16]:
        """The local ids of saved states, new ones where needed; see rules 2 and 3."""
        fresh = [state for state in dict.fromkeys(states) if state not in self._numbers]
        for state in fresh:
            self._append_saved(state)
        if fresh:
            self._refresh()
        return np.array([self._numbers[state] for state in states], np.uint16)

    def _append_saved(self, state: BlockState) -> None:
        runtime_id = self._exact_id_of(state)
        if runtime_id is None:
            runtime_id = self._nearest_id_of(state)
        if runtime_id is not None:
            self._append(state, runtime_id)
            return
        self.unknown.append(state)
        ids = (self._palette.runtime_id_of(stand_in) for stand_in in UNKNOWN)
        self._append(state, next((found for found in ids if found is not None), self._palette.air))

    def _append(self, state: BlockState, runtime_id: int) -> None:
        self._numbers[state] = len(self._states)
        self._states.append(state)
        self._runtime_ids.append(runtime_id)
        of = self._traits.of(state.name, dict(state.states))
        self._stops_light.append(of.opacity[3] > 0)
        self._stops_sight.append(of.block_class >= traits.BlockClass.PLACEHOLDER)

    def _runtime_id_of(self, state: BlockState) -> int:
        found = self._exact_id_of(state)
        if found is None:
            raise UnknownState(f"this protocol has no block {state}")
        return found

    def _exact_id_of(self, state: BlockState) -> int | None:
        found = self._palette.runtime_id_of(state)
        return self._descendant_of(state) if found is None else found

    def _nearest_id_of(self, state: BlockState) -> int | None:
        """The block itself, or one of its ancestor's name, in the state that agrees most; the first of equals."""
        if not self._namesakes:
            for later, runtime_id in zip(self._palette.states, self._palette.runtime_ids.tolist(), strict=True):
                name, values = _ancestor_of(later)
                own = later.name == f"minecraft:{name}"
                self._namesakes.setdefault(name, []).append((values, own, runtime_id))
                if not own:
                    values = frozenset(later.states)
                    self._namesakes.setdefault(later.name.removeprefix("minecraft:"), []).append(
                        (values, True, runtime_id)
                    )
        values = frozenset(state.states)
        known = self._namesakes.get(state.name.removeprefix("minecraft:"))
        if known is None:
            name, values = _ancestor_of(state)
            known = self._namesakes.get(name)
        return None if known is None else max(known, key=lambda one: (len(one[0] & values), one[1]))[2]

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
        self._stops_sight_array = np.array(self._stops_sight, np.bool_)


def _ancestor_of(state: BlockState) -> StateKey:
    """A state as 486 says it, without properties that 486 does not have."""
    name, states = ancestors.load().of(state.name, dict(state.states))
    return name, frozenset((key, value) for key, value in states.items() if not key.startswith("minecraft:"))
