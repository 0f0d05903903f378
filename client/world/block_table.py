"""The session's block ids: one dense number for every block state, sorted by class.

Rules:
1. Dense ids are uint16: air is 0, then models, cut-outs, translucent blocks, liquids, the placeholder, opaque blocks.
   So every class test in a kernel is one comparison with a threshold of ``first``.
2. Unknown ids of the wire are appended after the opaque ones, each its own id, opaque and dark. When the numbers run
   out, all further ones share the last one. They are counted (``appended``).
3. Tables are 65,536 long from the start: any uint16 is a legal index, and no table moves under a running kernel.
"""

import fnmatch
from collections.abc import Sequence
from copy import copy
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from assets.traits import UNKNOWN, BlockClass, Traits, TraitTable, load
from client.errors import UsageError, WorldError
from net.arrays import BlockIds, RuntimeIds
from net.palette import BlockState, Palette, ReleaseWords, state_of_number, state_of_old
from net.subchunk.storage import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER, IS_PLACEHOLDER, NO_ID

DENSE_IDS: Final = 65_536
LAST_ID: Final = 65_534
"""The id that all further unknown ids share; 65,535 is never an id (``net.subchunk.storage.NO_ID``)."""

PLACEHOLDER_NAME: Final = "minecraft:client_request_placeholder_block"
UNKNOWN_NAME: Final = "minecraft:unknown"
NO_RUNTIME_ID: Final = -1
LISTED_STATES: Final = 8
"""States or names listed in the error for a block that is not there."""

StateKey = tuple[str, frozenset[tuple[str, int | str | bool]]]

SHINES: Final = 1
"""Bit 0 of ``BlockTable.flags``: emits light; bit 1 + c: takes something else than 1 of channel c and is not opaque."""
SHINES_OPAQUE: Final = 32  # bit 5: emits light and is opaque
WATER: Final = 64
LAVA: Final = 128
"""Bits 6 and 7: the kind of a liquid; only equal kinds join."""


class ClassThresholds(msgspec.Struct, frozen=True):
    """First dense id of each class; a class ends where the next begins. Air is 0 alone."""

    model: int
    cutout: int
    translucent: int
    liquid: int
    placeholder: int
    opaque: int


class BlockTable:
    """The dense ids of one session."""

    def __init__(self, palette: Palette, traits: TraitTable) -> None:
        """Sorts the states of a palette; see ``build``. Raises WorldError: more states than dense ids, or no air."""
        if len(palette.states) >= LAST_ID:
            raise WorldError(f"{len(palette.states)} block states are too many for {LAST_ID} dense ids")
        states, runtime_ids = list(palette.states), palette.runtime_ids
        found = [traits.of(state.name, state.states) for state in states]
        if all(entry.block_class != BlockClass.PLACEHOLDER for entry in found):
            states.append(BlockState(PLACEHOLDER_NAME, ()))
            found.append(traits.of(PLACEHOLDER_NAME, ()))
            runtime_ids = np.append(runtime_ids, NO_RUNTIME_ID)
        kinds, kind_of = _kinds(found)
        classes = np.array([entry.block_class for entry in kinds], np.uint8)[kind_of]
        for kind in (BlockClass.AIR, BlockClass.PLACEHOLDER):  # a server's further ones become unknown blocks
            further = np.flatnonzero(classes == kind)[1:]
            kind_of[further], classes[further] = len(kinds), UNKNOWN.block_class
        kinds.append(UNKNOWN)
        order = np.argsort(classes, kind="stable")
        count = len(order)
        self.states = [states[index] for index in order.tolist()]
        self.first = _thresholds(classes[order])  # where each class begins
        self._fill(kinds, kind_of[order])
        for dense in range(self.first.liquid, self.first.placeholder):
            self.flags[dense] |= LAVA if is_lava(self.states[dense].name) else WATER
        # int64[65536] the wire's id of each dense id, or NO_RUNTIME_ID
        self.runtime_ids: RuntimeIds = np.full(DENSE_IDS, NO_RUNTIME_ID, np.int64)
        self.runtime_ids[:count] = runtime_ids[order]
        self._dense_of_index = np.zeros(count, np.uint16)
        self._dense_of_index[order] = np.arange(count)
        self._dense_of_index = self._dense_of_index[: len(palette.states)]
        self._hashes: RuntimeIds | None = None
        if palette.is_hashed:
            by_hash = np.argsort(palette.runtime_ids)
            self._hashes = palette.runtime_ids[by_hash]
            self._dense_of_index = self._dense_of_index[by_hash]
        self._words = ReleaseWords(palette)  # this session's names of blocks of older releases
        self._dense_by_state: dict[StateKey, int] = {}  # filled on first use: look-ups by name are rare
        self._dense_of_foreign: dict[int, int] = {}
        self._known = len(self.states)
        self._names = np.empty(0, np.str_)

    @classmethod
    def build(cls, palette: Palette, traits: TraitTable | None = None) -> "BlockTable":
        """The table of a session; ``traits``: how blocks affect light and visibility, ours unless given."""
        if traits is None:
            return _without_traits_given(palette)._fresh()
        return cls(palette, traits)

    def _fresh(self) -> "BlockTable":
        """A copy with its own parts that change when an id is appended."""
        other = copy(self)
        other.states = list(self.states)
        other.runtime_ids = self.runtime_ids.copy()
        other._dense_by_state = {}
        other._dense_of_foreign = {}
        return other

    def __deepcopy__(self, memo: dict[int, object]) -> "BlockTable":
        """Itself: states are only added, and a replay meets the same ones again."""
        memo |= {id(value): value for value in vars(self).values() if isinstance(value, np.ndarray)}
        return self

    # ------------------------------------------------------------ reading

    def __len__(self) -> int:
        """Number of dense ids in use; it grows."""
        return len(self.states)

    @property
    def names(self) -> npt.NDArray[np.str_]:
        """The block name of each dense id in use, with its name space; read only."""
        if len(self._names) != len(self.states):
            self._names = np.array([state.name for state in self.states], np.str_)
            self._names.setflags(write=False)
        return self._names

    @property
    def air(self) -> int:
        return 0

    @property
    def placeholder(self) -> int:
        return self.first.placeholder

    @property
    def appended(self) -> int:
        """Number of unknown ids so far, each counted once."""
        return len(self.states) - self._known

    @property
    def unknown_runtime_ids(self) -> RuntimeIds:
        """int64[n] the wire's ids that the palette lacks; blocks that came by name have none."""
        ids = self.runtime_ids[self._known : len(self.states)]
        named: RuntimeIds = ids[ids != NO_RUNTIME_ID]
        return named

    @property
    def is_hashed(self) -> bool:
        """Whether the wire's ids are hashes; else they are positions in the palette."""
        return self._hashes is not None

    @property
    def palette_size(self) -> int:
        """Number of block states that have an id of the wire."""
        return len(self._dense_of_index)

    def kinds_of(self, dense: int) -> int:
        """Kinds of a sub-chunk that is all this block (``net.subchunk.storage``)."""
        kind = BlockClass(int(self.classes[dense]))
        if kind == BlockClass.AIR:
            return 0
        if kind == BlockClass.LIQUID:
            return HAS_LIQUID
        if kind < BlockClass.LIQUID:
            return HAS_OTHER
        return HAS_OPAQUE | ALL_OPAQUE | (IS_PLACEHOLDER if kind == BlockClass.PLACEHOLDER else 0)

    def runtime_id_of(self, dense: int) -> int:
        """The wire's id of a dense id, as an unsigned 32-bit number; 0xffffffff for none."""
        return int(self.runtime_ids[dense]) & 0xFFFFFFFF

    # ------------------------------------------------------------ translation of ids

    def dense_of(self, runtime_ids: RuntimeIds) -> BlockIds:
        """Dense ids of ids of the wire: uint16[n]; unknown ones are appended."""
        if self._hashes is None:
            index = runtime_ids
            known = (runtime_ids >= 0) & (runtime_ids < len(self._dense_of_index))
        else:  # hashes are signed on the wire, and unsigned here
            runtime_ids = runtime_ids & 0xFFFFFFFF
            index = np.minimum(np.searchsorted(self._hashes, runtime_ids), len(self._hashes) - 1)
            known = self._hashes[index] == runtime_ids
        if known.all():
            return self._dense_of_index[index]
        dense = np.empty(len(runtime_ids), np.uint16)
        dense[known] = self._dense_of_index[index[known]]
        foreign, where = np.unique(runtime_ids[~known], return_inverse=True)
        dense[~known] = np.array([self._of_foreign(int(value)) for value in foreign], np.uint16)[where]
        return dense

    def dense_of_id(self, runtime_id: int) -> int:
        return int(self.dense_of(np.array([runtime_id], np.int64))[0])

    def find(self, runtime_id: int) -> int | None:
        """Like ``dense_of_id``, but None for an id that is not in the table; nothing is appended."""
        index = runtime_id
        if self._hashes is not None:
            index = int(np.searchsorted(self._hashes, runtime_id))
            index = index if index < len(self._hashes) and self._hashes[index] == runtime_id else -1
        known = 0 <= index < len(self._dense_of_index)
        return int(self._dense_of_index[index]) if known else self._dense_of_foreign.get(runtime_id)

    def dense_of_state(self, state: BlockState) -> int:
        """The dense id of a block state given by name, in the words of any release; an unknown one is appended.

        For ``{name, val}`` of before 1.13, and names of before 486, see ``net.palette``.
        """
        by_state, key = self._dense_of_state(), _key(state)
        dense = by_state.get(key)
        if dense is None:
            found = None if state.name == UNKNOWN_NAME else self._words.find(state_of_old(state))
            if found is None:
                return self._append(state, NO_RUNTIME_ID)
            dense = self.dense_of_id(found)
            if len(by_state) < 2 * DENSE_IDS:  # a server may spell a block in four billion ways
                by_state[key] = dense
        return dense

    def dense_of_legacy(self, values: npt.NDArray[np.uint16]) -> BlockIds:
        """Dense ids of ``number << 4 | data value`` of versions 0..7; unused numbers are unknown blocks."""
        distinct, where = np.unique(values, return_inverse=True)
        dense = [self.dense_of_state(state_of_number(value) or _legacy_state(value)) for value in distinct.tolist()]
        return np.array(dense, np.uint16)[where.reshape(-1)]

    # ------------------------------------------------------------ names, and tables of other sessions

    def ids_named(self, text: str) -> BlockIds:
        """Dense ids of ``NAME`` or ``NAME[PROPERTY=VALUE,...]``, ascending: all states that have these values.

        ``minecraft:`` may be left out. Raises UsageError: there is no such block, or none of its states has the values.
        """
        name, wanted = parse_block_name(text)
        ids = np.flatnonzero(self.names == name)
        found = [dense for dense in ids.tolist() if wanted <= self.states[dense].texts]
        if not found:
            fault = (
                f"No state of {name} is '{text}'" if len(ids) else f"There is no block '{name}' in this world's palette"
            )
            raise UsageError(f"{fault}{self._meant(name, wanted)}.")
        return np.array(found, np.uint16)

    def _meant(self, name: str, wanted: set[tuple[str, str]]) -> str:
        """What the user of a wrong name or state may have meant, as the end of a sentence."""
        if here := self._words.spellings(name, wanted):
            return f": in this version it is {_first(here)}"
        if own := [str(self.states[dense]) for dense in np.flatnonzero(self.names == name).tolist()]:
            return f"; its states are {_first(own)}"
        bare = [each.removeprefix("minecraft:") for each in np.unique(self.names).tolist()]
        asked = name.removeprefix("minecraft:")
        if "*" in asked:
            meant = fnmatch.filter(bare, asked)[:LISTED_STATES]
            return f"; names have no wildcards: search for {', '.join(meant) or 'each block'}"
        return "".join(f" (nearest: {each})" for each in get_close_matches(asked, bare, 1))

    def ids_in(self, other: "BlockTable", *, renamed: bool = False) -> BlockIds:
        """For each dense id, the id of the same block state in another table: uint16[65536], NO_ID for none.

        ``renamed``: a state that a later release does not have is the one that it has become there.
        """
        ids = np.full(DENSE_IDS, NO_ID, np.uint16)
        others = other._dense_of_state()
        for dense, state in enumerate(self.states):
            found = others.get(_key(state))
            if found is None and renamed and state.name != UNKNOWN_NAME:
                now = other._words.find(state_of_old(state))
                found = None if now is None else other.dense_of_id(now)
            ids[dense] = NO_ID if found is None else found
        ids[self.placeholder] = other.placeholder
        return ids

    # ------------------------------------------------------------ internal

    def _fill(self, kinds: list[Traits], kind_of: npt.NDArray[np.intp]) -> None:
        """``kinds``: different traits; ``kind_of``: the one of each dense id."""
        count = len(kind_of)
        self.classes = np.full(DENSE_IDS, int(BlockClass.OPAQUE), np.uint8)  # uint8[65536] a BlockClass each
        self.emission = np.zeros(DENSE_IDS, np.uint16)  # uint16[65536] R | G << 4 | B << 8
        self.opacity = np.full((4, DENSE_IDS), 15, np.uint8)  # uint8[4, 65536] 0..15 in R, G, B, D
        self.obstructs = np.ones(DENSE_IDS, bool)  # bool[65536] whether a body cannot pass
        red, green, blue = np.array([entry.emission for entry in kinds], np.uint16)[kind_of].T
        self.classes[:count] = np.array([entry.block_class for entry in kinds])[kind_of]
        self.emission[:count] = red | green << 4 | blue << 8
        self.opacity[:, :count] = np.array([entry.opacity for entry in kinds], np.uint8)[kind_of].T
        self.obstructs[:count] = np.array([entry.obstructs for entry in kinds])[kind_of]
        # uint32[65536] for light, see SHINES and SHINES_OPAQUE; and the kind of a liquid, WATER and LAVA
        self.flags = (self.emission != 0).astype(np.uint32) * np.uint32(SHINES)
        clear = self.classes < BlockClass.PLACEHOLDER
        self.flags |= ((self.emission != 0) & ~clear).astype(np.uint32) * np.uint32(SHINES_OPAQUE)
        for channel in range(4):
            takes = clear & (np.maximum(self.opacity[channel], 1) != 1)
            self.flags |= takes.astype(np.uint32) << np.uint32(1 + channel)

    def _of_foreign(self, runtime_id: int) -> int:
        dense = self._dense_of_foreign.get(runtime_id)
        if dense is None:
            dense = self._append(BlockState(UNKNOWN_NAME, (("runtime_id", runtime_id),)), runtime_id)
            if dense < LAST_ID:  # a server may name four billion others
                self._dense_of_foreign[runtime_id] = dense
        return dense

    def _dense_of_state(self) -> dict[StateKey, int]:
        if not self._dense_by_state:
            self._dense_by_state = {_key(state): dense for dense, state in enumerate(self.states)}
        return self._dense_by_state

    def _append(self, state: BlockState, runtime_id: int) -> int:
        dense = len(self.states)
        if dense > LAST_ID:
            return LAST_ID
        self.states.append(state)
        if self._dense_by_state:
            self._dense_by_state[_key(state)] = dense
        self.runtime_ids[dense] = runtime_id
        return dense


@lru_cache(8)
def _without_traits_given(palette: Palette) -> BlockTable:
    """Cached for the next session of the same palette: sorting 15,000 states takes 0.1 s. Nothing is appended to it."""
    return BlockTable(palette, load())


def parse_block_name(text: str) -> tuple[str, set[tuple[str, str]]]:
    """Reads ``NAME`` or ``NAME[PROPERTY=VALUE,...]``: the name with its name space, and properties with their values.

    ``minecraft:`` and quotes may be left out. Raises UsageError: it is neither.
    """
    block, bracket, rest = text.strip().partition("[")
    values = [part.partition("=") for part in rest.removesuffix("]").split(",") if part]
    if bool(bracket) != rest.endswith("]") or not all(equals for _, equals, _ in values):
        raise UsageError(f"'{text}' is not a block: write NAME or NAME[PROPERTY=VALUE,...].")
    name = block if ":" in block else f"minecraft:{block}"
    return name, {(key.strip(' "'), value.strip(' "').lower()) for key, _, value in values}


def is_lava(name: str) -> bool:
    """Whether a liquid is lava; the other kind is water."""
    return name.removeprefix("minecraft:").removeprefix("flowing_") == "lava"


def _first(texts: Sequence[str]) -> str:
    more = f", and {len(texts) - LISTED_STATES} more" if len(texts) > LISTED_STATES else ""
    return f"{', '.join(texts[:LISTED_STATES])}{more}"


def _key(state: BlockState) -> StateKey:
    """A key that does not depend on the order of the values."""
    return state.name, frozenset(state.states)


def _legacy_state(value: int) -> BlockState:
    return BlockState(UNKNOWN_NAME, (("legacy_id", value >> 4), ("legacy_data", value & 15)))


def _kinds(traits: list[Traits]) -> tuple[list[Traits], npt.NDArray[np.intp]]:
    """The objects among the traits, each once, and the index of each entry's: most blocks share one."""
    kinds = {id(entry): entry for entry in traits}
    index = {each: number for number, each in enumerate(kinds)}
    return list(kinds.values()), np.array([index[id(entry)] for entry in traits])


def _thresholds(classes: npt.NDArray[np.uint8]) -> ClassThresholds:
    if np.count_nonzero(classes == BlockClass.AIR) != 1:
        raise WorldError("a palette must hold exactly one air state")
    if np.count_nonzero(classes == BlockClass.PLACEHOLDER) != 1:
        raise WorldError("a palette must hold exactly one placeholder state")
    first = np.searchsorted(classes, range(int(BlockClass.MODEL), int(BlockClass.OPAQUE) + 1)).tolist()
    return ClassThresholds(*first)
