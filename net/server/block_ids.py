"""How a world's blocks look on the wire to clients of one release: ids of blocks, and how many biome storages.

Rules:
1. A dimension is kept once, in local ids; a form turns them into bytes. Clients of one release share one form, and with
   it the bytes of sub-chunks (``column_snapshots``).
2. The *home* form is that of the highest protocol that is spoken: what pings are told. A world of our own has to be
   sayable in it, and so does whatever is set. Others show what their release does not have as unknown.
3. A form follows the local states: what was learnt or set since is looked up when it is next needed.

Limits: what a release calls its blocks takes 0.1 to 0.2 s to list, once a release where the world learns no states, and
10 to 15 MiB; so many lists are kept (``MOST_WORDS``). A form itself is a number for each local state.

Local states: Local block ids of a running server: the world's own list, and what is set or read later appended to it.

They speak no protocol: what a release calls a block, and by which number, is the business of ``BlockIdForm``.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

import numpy as np
import numpy.typing as npt

from assets import traits
from net.bedrock.releases import ProtocolRange, release_of
from net.palette import BlockState, Palette, ReleaseWords, StateValue, UnknownState
from net.space import RuntimeIds
from net.subchunk.encode import SubChunkEncoder

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


MOST_WORDS: Final = 6
LOW_FLOOR_LAST: Final = 486
"""Up to here a skeleton has one biome storage more than the dimension has sections (wire.md 0.4)."""


class BlockIdForm:
    """The form of one release, and one kind of ids; see the module.

    ``states``: local ids and what they are. ``words``: gives what the release calls blocks. ``biome_sections``: biome
    storages in a skeleton. ``shifted``: what is added to every id, a fault on purpose.
    """

    def __init__(
        self, states: LocalStates, words: Callable[[], ReleaseWords], biome_sections: int, shifted: int = 0
    ) -> None:
        self.biome_sections = biome_sections
        self._shifted = shifted
        self._unknown: list[BlockState] = []
        self._states = states
        self._words = words
        self._runtime_ids: list[int] = []
        self._follow()

    @property
    def unknown(self) -> Sequence[BlockState]:
        """States that the release has no block for, in the order they were met."""
        self._follow()
        return self._unknown

    @property
    def runtime_ids(self) -> RuntimeIds:
        """By local id, int64."""
        self._follow()
        return self._runtime_id_array

    @property
    def encoder(self) -> SubChunkEncoder:
        """Writes sub-chunks of local ids; another one after a new state was met."""
        self._follow()
        return self._encoder

    def local_id_of(self, runtime_id: int) -> int | None:
        """The first local id that a client reads as that id, None for none."""
        found = np.flatnonzero(self.runtime_ids == runtime_id)
        return int(found[0]) if len(found) else None

    def state_of(self, runtime_id: int) -> BlockState | None:
        """What the release calls a block, None where it has no such id."""
        return self._words().state_of(runtime_id - self._shifted)

    def named(self, name: str, values: Mapping[str, StateValue]) -> BlockState:
        """The release's first state of a name with such properties. Raises UnknownState: it has none."""
        return self._words().named(name, values)

    def check(self, state: BlockState) -> None:
        """Makes sure that the release has a block. Raises UnknownState: it has not."""
        if self._words().exact(state) is None:
            raise UnknownState(f"this protocol does not have the block {state}")

    def _follow(self) -> None:
        """See rule 3."""
        if self._runtime_ids and len(self._runtime_ids) == len(self._states):
            return
        words = self._words()
        for state in self._states.since(len(self._runtime_ids)):
            found = words.find(state)
            if found is None:
                self._unknown.append(state)
                found = words.unknown
            self._runtime_ids.append(found)
        self._runtime_id_array = np.array(self._runtime_ids, np.int64) + self._shifted
        self._encoder = SubChunkEncoder(self._runtime_id_array)


class WordLists:
    """What releases call blocks, the last few of them kept; for all dimensions alike.

    ``hashed``: whether ids are hashes. ``palette_of``: the palette of a protocol, by order.
    """

    def __init__(self, *, hashed: bool = False, palette_of: Callable[[int], Palette] = Palette.for_protocol) -> None:
        self._hashed = hashed
        self._palette_of = palette_of
        self.of = lru_cache(MOST_WORDS)(self._list)  # that of a release, by its protocol

    def _list(self, protocol: int) -> ReleaseWords:
        palette = self._palette_of(protocol)
        return ReleaseWords(palette.hashed() if self._hashed else palette)


class BlockIdForms:
    """The forms of one dimension's clients.

    ``states``: of its world. ``spoken``: protocols of clients. ``sections``: how many the dimension has. ``words``:
    what releases call blocks; by order unless given.
    """

    def __init__(
        self, states: LocalStates, spoken: ProtocolRange, sections: int, words: WordLists | None = None
    ) -> None:
        self._states = states
        self._sections = sections
        self._words = words or WordLists()
        self._forms: dict[tuple[int, int], BlockIdForm] = {}
        self.home = self.of(spoken.highest)  # see rule 2

    def of(self, protocol: int, shifted: int = 0) -> BlockIdForm:
        """The form of a protocol's clients: that of its release; ``shifted`` as for the form."""
        release = release_of(protocol).protocol
        found = self._forms.get((release, shifted))
        if found is None:
            biome_sections = self._sections + (1 if release <= LOW_FLOOR_LAST else 0)
            words = partial(self._words.of, release)
            found = self._forms[release, shifted] = BlockIdForm(self._states, words, biome_sections, shifted)
        return found
