"""How a world's blocks look on the wire to clients of one release: ids of blocks, and how many biome storages.

Rules:
1. A dimension is kept once, in local ids; a form turns them into bytes. Clients of one release share one form, and with
   it the bytes of sub-chunks (``snapshots``).
2. The *home* form is that of the highest protocol that is spoken: what pings are told. A world of our own has to be
   sayable in it, and so does whatever is set. Others show what their release does not have as unknown.
3. A form follows the local states: what was learnt or set since is looked up when it is next needed.

Limits: what a release calls its blocks takes 0.1 to 0.2 s to list, once a release where the world learns no states, and
10 to 15 MiB; so many lists are kept (``MOST_WORDS``). A form itself is a number for each local state.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final

import numpy as np

from net.bedrock.releases import release_of
from net.bedrock.spoken import Spoken
from net.palette import BlockState, Palette
from net.server.local_states import LocalStates
from net.server.release_words import ReleaseWords
from net.space.layout import RuntimeIds
from net.subchunk.encode import SubChunkEncoder

MOST_WORDS: Final = 6
LOW_FLOOR_LAST: Final = 486
"""Up to here a skeleton has one biome storage more than the dimension has sections (wire.md 0.4)."""


class UnknownState(ValueError):
    """A block state that the protocol's palette does not hold."""


class WireForm:
    """The form of one release, and one kind of ids; see the module.

    Args:
        states: local ids and what they are.
        words: gives what the release calls blocks.
        biome_sections: biome storages in a skeleton.
    """

    def __init__(self, states: LocalStates, words: Callable[[], ReleaseWords], biome_sections: int) -> None:
        self.biome_sections = biome_sections
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

    def check(self, state: BlockState) -> None:
        """Makes sure that the release has a block.

        Raises:
            UnknownState: it has not.
        """
        if self._words().exact(state) is None:
            raise UnknownState(f"this protocol has no block {state}")

    def _follow(self) -> None:
        """See rule 3."""
        if self._runtime_ids and len(self._runtime_ids) == len(self._states):
            return
        words = self._words()
        for state in self._states.since(len(self._runtime_ids)):
            found = words.exact(state)
            found = words.nearest(state) if found is None else found
            if found is None:
                self._unknown.append(state)
                found = words.unknown
            self._runtime_ids.append(found)
        self._runtime_id_array = np.array(self._runtime_ids, np.int64)
        self._encoder = SubChunkEncoder(self._runtime_id_array)


class WordLists:
    """What releases call blocks, the last few of them kept; for all dimensions alike.

    Args:
        hashed: whether ids are hashes.
        palette_of: the palette of a protocol, by order.
    """

    def __init__(self, *, hashed: bool = False, palette_of: Callable[[int], Palette] = Palette.for_protocol) -> None:
        self._hashed = hashed
        self._palette_of = palette_of
        self.of = lru_cache(MOST_WORDS)(self._list)
        """That of a release, by its protocol."""

    def _list(self, protocol: int) -> ReleaseWords:
        palette = self._palette_of(protocol)
        return ReleaseWords(palette.hashed() if self._hashed else palette)


class WireForms:
    """The forms of one dimension's clients.

    Args:
        states: of its world.
        spoken: protocols of clients.
        sections: how many the dimension has.
        words: what releases call blocks; by order unless given.
    """

    def __init__(self, states: LocalStates, spoken: Spoken, sections: int, words: WordLists | None = None) -> None:
        self._states = states
        self._sections = sections
        self._words = words or WordLists()
        self._forms: dict[int, WireForm] = {}
        self.home = self.of(spoken.highest)
        """See rule 2."""

    def of(self, protocol: int) -> WireForm:
        """The form of a protocol's clients: that of its release."""
        release = release_of(protocol).protocol
        found = self._forms.get(release)
        if found is None:
            biome_sections = self._sections + (1 if release <= LOW_FLOOR_LAST else 0)
            words = partial(self._words.of, release)
            found = self._forms[release] = WireForm(self._states, words, biome_sections)
        return found
