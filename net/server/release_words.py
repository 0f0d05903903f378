"""What one release calls the blocks of a world that was built, or saved, in the words of another.

Rules:
1. Worlds of our own spell their blocks as protocol 486 does. A later protocol may have given a block another name; what
   it calls the block is the state whose ancestor it is (``assets.ancestors``).
2. Saved worlds spell them as whoever saved them did. A state that the release has not in so many words is the one of
   its ancestor's name that agrees in most properties: properties come and go between releases.
3. A block whose name the release does not know is one block, ``minecraft:unknown``.
"""

from assets import ancestors
from net.palette import BlockState, Palette, StateValue

UNKNOWN = (BlockState("minecraft:unknown"), BlockState("minecraft:info_update"))
"""What stands for blocks that a protocol does not have; the first that it has."""

UPRIGHT = frozenset({("pillar_axis", "y")})
StateKey = tuple[str, frozenset[tuple[str, StateValue]]]


class ReleaseWords:
    """The states of one palette, and how others' are found among them. ``palette`` is in the form of ids wanted."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._descendants: dict[StateKey, int] = {}
        self._namesakes: dict[str, list[tuple[frozenset[tuple[str, StateValue]], bool, int]]] = {}

    def exact(self, state: BlockState) -> int | None:
        """The runtime id of a state, by rule 1 where its name is an older one; None where the release has no such."""
        found = self._palette.runtime_id_of(state)
        return self._descendant_of(state) if found is None else found

    def nearest(self, state: BlockState) -> int | None:
        """The runtime id by rule 2, the first of equals; None where no block has its name or its ancestor's."""
        if not self._namesakes:
            self._list_namesakes()
        values = frozenset(state.states)
        known = self._namesakes.get(state.name.removeprefix("minecraft:"))
        if known is None:
            name, values = _ancestor_of(state)
            known = self._namesakes.get(name)
        return None if known is None else max(known, key=lambda one: (len(one[0] & values), one[1]))[2]

    @property
    def unknown(self) -> int:
        """The runtime id by rule 3."""
        ids = (self._palette.runtime_id_of(stand_in) for stand_in in UNKNOWN)
        return next((found for found in ids if found is not None), self._palette.air)

    def _list_namesakes(self) -> None:
        for later, runtime_id in zip(self._palette.states, self._palette.runtime_ids.tolist(), strict=True):
            name, values = _ancestor_of(later)
            own = later.name == f"minecraft:{name}"
            self._namesakes.setdefault(name, []).append((values, own, runtime_id))
            if not own:
                said = later.name.removeprefix("minecraft:")
                self._namesakes.setdefault(said, []).append((frozenset(later.states), True, runtime_id))

    def _descendant_of(self, state: BlockState) -> int | None:
        """The runtime id of what the release calls a state of 486."""
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


def _ancestor_of(state: BlockState) -> StateKey:
    """A state as 486 says it, without properties that 486 does not have."""
    name, states = ancestors.load().of(state.name, dict(state.states))
    return name, frozenset((key, value) for key, value in states.items() if not key.startswith("minecraft:"))
