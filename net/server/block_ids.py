"""Block ids as clients of one release read them: local ids to runtime ids, and the number of biome storages.

Rules:
1. A dimension is stored once, in local ids; a form (``BlockIdForm``) turns them into bytes. Clients of one release
   share one form and the encoded sub-chunks (``column_snapshots``).
2. The *home* form is that of the highest supported protocol, which pings report. It must have every state of a built-in
   world and every state that is set. Other releases show states that they lack as the unknown block.
3. A form follows the local states: it looks up states added since then when it is next used.

Limits: listing the blocks of a release takes 0.1 to 0.2 s and 10 to 15 MiB; ``MOST_WORDS`` lists are kept. This happens
once a release, if the world learns no new states. A form itself holds one number for each local state.

Local states are the world's own list of states, extended by states that are set or read later. They are independent of
the protocol: ``BlockIdForm`` maps them to a release's states and numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

import numpy as np
import numpy.typing as npt

from assets import traits
from net.arrays import RuntimeIds
from net.palette import BlockState, CustomStates, Palette, ReleaseWords, StateValue, UnknownState
from net.releases import ProtocolRange, release_of
from net.subchunk.encode import SubChunkEncoder

AIR = 0
OVERFLOW = 1
"""The local id used for all states beyond ``MOST_STATES``."""
MOST_STATES = 65_536
"""Local ids are 16 bits wide."""


class LocalStates:
    """Local id -> block state, and whether it stops daylight and sight. ``states``: the world's list; 0 is air."""

    def __init__(self, states: Sequence[BlockState]) -> None:
        self._traits = traits.load()
        self._states: list[BlockState] = []
        self._numbers: dict[BlockState, int] = {}
        # By local id: whether height maps count the block (wire.md 0.3: water, leaves, ice count; plants do not), and
        # whether it hides what is behind it.
        self.stops_light = self.stops_sight = np.zeros(0, np.bool_)
        self._append(states)

    def __len__(self) -> int:
        return len(self._states)

    @property
    def states(self) -> tuple[BlockState, ...]:
        """A copy of all states so far, by local id; any thread may read it."""
        return tuple(self._states)

    def state_of(self, local_id: int) -> BlockState:
        return self._states[local_id]

    def local_id_of(self, state: BlockState) -> int:
        """The local id of a state; a new state gets a new id."""
        return int(self.local_ids_of((state,))[0])

    def local_ids_of(self, states: Sequence[BlockState]) -> npt.NDArray[np.uint16]:
        """The local ids of states; new states get new ids."""
        fresh = [state for state in dict.fromkeys(states) if state not in self._numbers][: MOST_STATES - len(self)]
        if fresh:
            self._append(fresh)
        return np.array([self._numbers.get(state, OVERFLOW) for state in states], np.uint16)

    def since(self, known: int) -> Sequence[BlockState]:
        return self._states[known:]

    def _append(self, states: Sequence[BlockState]) -> None:
        self._numbers |= {state: number for number, state in enumerate(states, len(self._states))}
        self._states += states
        of = [self._traits.of(state.name, state.states) for state in states]
        self.stops_light = np.append(self.stops_light, np.array([each.opacity[3] > 0 for each in of], np.bool_))
        placeholder = traits.BlockClass.PLACEHOLDER
        self.stops_sight = np.append(
            self.stops_sight, np.array([each.block_class >= placeholder for each in of], np.bool_)
        )


MOST_WORDS: Final = 6
LOW_FLOOR_LAST: Final = 486
"""Up to this protocol a skeleton has one biome storage more than the dimension has sections (wire.md 0.4)."""


class BlockIdForm:
    """Runtime ids of one release, in one kind of ids (by order or hashed); see the module.

    ``words``: returns the release's block list. ``biome_sections``: biome storages in a skeleton. ``shifted``: added to
    every id, an injected fault.
    """

    def __init__(
        self, states: LocalStates, words: Callable[[], ReleaseWords], biome_sections: int, shifted: int = 0
    ) -> None:
        self.biome_sections = biome_sections
        self._shifted = shifted
        self._unknown: list[BlockState] = []
        self._states = states
        self._words = words
        self._runtime_ids = np.zeros(0, np.int64)
        self._follow()

    @property
    def unknown(self) -> Sequence[BlockState]:
        """States that the release lacks, in the order they were found."""
        self._follow()
        return self._unknown

    @property
    def runtime_ids(self) -> RuntimeIds:
        """Runtime ids by local id, int64."""
        self._follow()
        return self._runtime_ids

    @property
    def encoder(self) -> SubChunkEncoder:
        """Encodes sub-chunks of local ids. A new encoder replaces it after new states."""
        self._follow()
        return self._encoder

    def local_id_of(self, runtime_id: int) -> int | None:
        """The first local id that the client reads as this runtime id; None if there is none."""
        found = np.flatnonzero(self.runtime_ids == runtime_id)
        return int(found[0]) if len(found) else None

    def state_of(self, runtime_id: int) -> BlockState | None:
        """The release's state for a runtime id; None if it has no such id."""
        return self._words().state_of(runtime_id - self._shifted)

    def named(self, name: str, values: Mapping[str, StateValue]) -> BlockState:
        """The release's first state with this name and these properties. Raises UnknownState: it has none."""
        return self._words().named(name, values)

    def check(self, state: BlockState) -> None:
        """Raises UnknownState: the release does not have the state."""
        if self._words().exact(state) is None:
            raise UnknownState(f"this protocol does not have the block {state}")

    def _follow(self) -> None:
        """Adds the local states that are new since the last call (rule 3)."""
        fresh = self._states.since(len(self._runtime_ids))
        if not fresh:
            return
        words = self._words()
        found = [words.find(state) for state in fresh]
        self._unknown += [state for state, runtime_id in zip(fresh, found, strict=True) if runtime_id is None]
        numbers = [words.unknown if runtime_id is None else runtime_id for runtime_id in found]
        self._runtime_ids = np.append(self._runtime_ids, np.array(numbers, np.int64) + self._shifted)
        self._encoder = SubChunkEncoder(self._runtime_ids)


WordLists = Callable[[int], ReleaseWords]
"""The block list of a release, by protocol."""


def word_lists(custom: Sequence[CustomStates] = (), *, hashed: bool = False) -> WordLists:
    """Block lists, shared by all dimensions; the last ``MOST_WORDS`` are kept.

    ``custom``: the world's own blocks. ``hashed``: whether ids are hashes.
    """

    def words(protocol: int) -> ReleaseWords:
        palette = Palette.for_protocol(protocol).with_custom(custom)
        return ReleaseWords(palette.hashed() if hashed else palette)

    return lru_cache(MOST_WORDS)(words)


class BlockIdForms:
    """The forms for the clients of one dimension.

    ``spoken``: protocols of clients. ``sections``: of the dimension. ``words``: block lists of releases.
    """

    def __init__(self, states: LocalStates, spoken: ProtocolRange, sections: int, words: WordLists) -> None:
        self._states = states
        self._sections = sections
        self._words = words
        self._forms: dict[tuple[int, int], BlockIdForm] = {}
        self.home = self.of(spoken.highest)  # rule 2

    def of(self, protocol: int, shifted: int = 0) -> BlockIdForm:
        """The form for clients of a protocol, which is that of its release. ``shifted``: as in ``BlockIdForm``."""
        release = release_of(protocol).protocol
        found = self._forms.get((release, shifted))
        if found is None:
            biome_sections = self._sections + (1 if release <= LOW_FLOOR_LAST else 0)
            words = partial(self._words, release)
            found = self._forms[release, shifted] = BlockIdForm(self._states, words, biome_sections, shifted)
        return found
