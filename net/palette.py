"""Block states and their runtime ids, one list a protocol (wire.md 6.1, 6.2).

Hashed ids (wire.md 6.2), from protocol 582 on if StartGame's flag says so: the id is FNV-1a of 32 bits over
little-endian NBT of name and states, keys in order. A whole palette is hashed at once: one numpy step per byte
position, not one Python step per byte.

Palette:
1. Ids count from 0 through a list of states. Blocks are ordered by name, ignoring case, at 486, and by hashes of their
   names from 503 on; the states of one block are consecutive, in an order only the vendor knows, so the list is data
   (``assets.states``).
2. A server's custom blocks are sorted in and shift the ids after them.
3. In a ``hashed`` palette an id is the hash of its state, independent of other states. Ids are unsigned here; one that
   was read as a signed number means the same.
4. A palette never changes; ``with_custom`` and ``hashed`` return others.

Limit: the states of a custom block, and their order, come from the ``properties`` of its StartGame entry, all
combinations with the last changing fastest; no capture of 486 with such a block is known.

Release words (``ReleaseWords``): the names of one release for block states written in the names of another.
1. Built-in worlds use the names of protocol 486. If a later protocol has another name for a block, its state is the one
   whose ancestor is the block (``assets.renames``), or the one that its state has become since.
2. Saved worlds use the names of the version that saved them. A state that the release does not have exactly maps to the
   state of its ancestor's name that agrees in most properties: properties come and go between releases.
3. All blocks with unknown names map to one block, ``minecraft:unknown``.
4. A state saved before 486 is first converted to 486 (``state_of_old``).
"""

import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import groupby
from typing import Any, Final, NamedTuple, Protocol, TypeGuard

import numpy as np

from assets import renames
from assets import states as assets_states
from net.arrays import RuntimeIds
from net.errors import LocalProtocolError
from net.nbt import Byte

StateValue = int | str | bool
"""A byte is a bool: it compares as its number, but can be distinguished from an int when a state is hashed or shown."""


class BlockState(NamedTuple):
    """One state of one block."""

    name: str  # with its namespace, ``minecraft:stone``
    states: tuple[tuple[str, StateValue], ...] = ()  # (property, value), sorted by property

    def __str__(self) -> str:
        """As ``find`` takes it: ``minecraft:log[old_log_type=oak]``."""
        return f"{self.name}{text_of_values(self.states)}"

    @property
    def texts(self) -> set[tuple[str, str]]:
        """Properties and values as users write them; a byte may be a number, too."""
        texts = {(key, str(value).lower()) for key, value in self.states}
        return texts | {(key, str(int(value))) for key, value in self.states if isinstance(value, bool)}


def text_of_values(values: Iterable[tuple[str, StateValue]]) -> str:
    """``[property=value,...]``; empty without properties."""
    listed = ",".join(f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in values)
    return f"[{listed}]" if listed else ""


UNKNOWN_STATE: Final = BlockState("minecraft:unknown")
UNKNOWN_HASH: Final = 0xFFFFFFFE
"""Fixed by the vendor, whatever its NBT would hash to."""

_OFFSET: Final = np.uint32(0x811C9DC5)
_PRIME: Final = np.uint32(0x01000193)
_HEAD: Final = b"\x0a\x00\x00" + b"\x08\x04\x00name"
_STATES: Final = b"\x0a\x06\x00states"
_LENGTH: Final = struct.Struct("<H")
_INT: Final = struct.Struct("<i")


def hash_states(states: Sequence[BlockState]) -> RuntimeIds:
    """int64[n] the id of each state, as an unsigned 32-bit number."""
    texts = [state_bytes(state) for state in states]
    lengths = np.array([len(text) for text in texts])
    # Long ones first: those that continue at a position are a prefix of the rows.
    order = np.argsort(-lengths, kind="stable")
    rows = np.zeros((len(texts), int(lengths.max(initial=0))), np.uint8)
    for row, index in enumerate(order.tolist()):
        rows[row, : lengths[index]] = np.frombuffer(texts[index], np.uint8)
    goes_on = np.searchsorted(-lengths[order], -np.arange(rows.shape[1]), side="left")
    values = np.full(len(texts), _OFFSET, np.uint32)
    for position, count in enumerate(goes_on.tolist()):
        values[:count] = (values[:count] ^ rows[:count, position]) * _PRIME
    hashes = np.empty(len(texts), np.int64)
    hashes[order] = values
    for index, state in enumerate(states):
        if state == UNKNOWN_STATE:
            hashes[index] = UNKNOWN_HASH
    return hashes


def state_bytes(state: BlockState) -> bytes:
    """The NBT that is hashed; a state's properties are sorted by name already."""
    parts = [_HEAD, _text(state.name), _STATES]
    parts += [_property(name, value) for name, value in state.states]
    return b"".join(parts) + b"\x00\x00"


def _property(name: str, value: StateValue) -> bytes:
    if isinstance(value, bool):
        return b"\x01" + _text(name) + bytes((value,))
    if isinstance(value, int):
        return b"\x03" + _text(name) + _INT.pack(value)
    return b"\x08" + _text(name) + _text(value)


def _text(text: str) -> bytes:
    raw = text.encode(errors="surrogateescape")  # net.nbt decodes bytes that are not UTF-8 like this
    return _LENGTH.pack(len(raw)) + raw


AIR: Final = BlockState("minecraft:air")
CUSTOM_STATES_LIMIT: Final = 4096
"""A custom block that announces more combinations is treated as one state."""
MOST_STATES: Final = 65_000
"""Limit of a palette; a custom block that would exceed it gets no states. Dense ids are 16 bits wide, and some are
reserved for blocks that arrive by name alone."""
KEPT: Final = 8
"""Cached vanilla palettes, 5 MB each: joining again, looking back and several connections build none anew."""
LONGEST_TEXT: Final = 4096
"""Characters of a custom block's name and of its properties; longer ones are not legitimate."""

Order = Callable[[str], int | str]
"""Sort key of blocks, from their names."""


class CustomStates(Protocol):
    """A custom block as a palette needs it; StartGame's entries are such."""

    @property
    def name(self) -> str:
        """With its namespace."""

    @property
    def nbt(self) -> Mapping[str, Any]:
        """Its properties and components, as received."""


class Palette:
    """States by runtime id and back, of one protocol."""

    __slots__ = ("_ids", "_order", "_states", "air", "is_hashed", "runtime_ids", "states")

    def __init__(self, states: Sequence[BlockState], order: Order = str.lower, *, hashed: bool = False) -> None:
        """Takes states in the order of their list.

        ``order``: the sort key of blocks, from their names. ``hashed``: whether ids are hashes. Raises
        LocalProtocolError: a state is listed twice, or air is missing.
        """
        self.states: Final = tuple(states)  # in the order of the list
        self.is_hashed: Final = hashed  # whether ids are hashes
        # int64[n] the id of each: its list index, or its hash
        self.runtime_ids: Final = hash_states(self.states) if hashed else np.arange(len(self.states), dtype=np.int64)
        self.runtime_ids.setflags(write=False)
        self._order: Final = order
        self._ids: Final = dict(zip(self.states, self.runtime_ids.tolist(), strict=True))
        if len(self._ids) != len(self.states):
            raise LocalProtocolError("the palette contains a block state twice")
        if AIR not in self._ids:
            raise LocalProtocolError("the palette does not contain air")
        self._states: Final = {runtime_id: state for state, runtime_id in self._ids.items()} if hashed else {}
        self.air: Final = self._ids[AIR]  # the id of air

    def __deepcopy__(self, memo: dict[int, object]) -> "Palette":
        return self

    @classmethod
    def for_protocol(cls, protocol: int) -> "Palette":
        """The vanilla palette of the protocol, or of the nearest lower one that has a list of its own; cached.

        Raises LocalProtocolError: the protocol is older than the oldest list.
        """
        lists = [each for each in assets_states.protocols() if each <= protocol]
        if not lists:
            raise LocalProtocolError(f"no block states for protocol {protocol}")
        return _of_list(lists[-1])

    def __len__(self) -> int:
        return len(self.states)

    def state_of(self, runtime_id: int) -> BlockState | None:
        if self.is_hashed:
            return self._states.get(runtime_id & 0xFFFFFFFF)
        return self.states[runtime_id] if 0 <= runtime_id < len(self.states) else None

    def runtime_id_of(self, state: BlockState) -> int | None:
        """The id of a state; None if the palette lacks it. ``state.states`` must be sorted by property."""
        return self._ids.get(state)

    def hashed(self) -> "Palette":
        """The same states under hashed ids."""
        return self if self.is_hashed else _hashed(self)

    def with_custom(self, blocks: Iterable[CustomStates], no_space: list[str] | None = None) -> "Palette":
        """This palette with a server's own blocks sorted in.

        A block whose name is already there is left out: it only changes what the game does with the block. So is one
        whose name is too long to be one, or for whose states there is no room; it costs itself alone. ``no_space``:
        gets the names of those for whose states there is none.
        """
        names = {state.name for state in self.states}
        added: list[BlockState] = []
        for block in blocks:
            name = block.name if ":" in block.name else f"minecraft:{block.name}"
            if name in names or len(name) > LONGEST_TEXT:
                continue
            found = list(_custom_states(name, block.nbt))
            if len(self.states) + len(added) + len(found) <= MOST_STATES:
                names.add(name)
                added.extend(found)
            elif no_space is not None:
                no_space.append(name)
        if not added:
            return self
        # Sorting is stable: states of one block keep their order.
        keys = {name: self._order(name) for name in names}
        in_order = sorted([*self.states, *added], key=lambda state: keys[state.name])
        return Palette(in_order, self._order, hashed=self.is_hashed)


@lru_cache(KEPT)
def _of_list(protocol: int) -> Palette:
    return Palette([BlockState(*row) for row in assets_states.load(protocol)], assets_states.order_of(protocol))


@lru_cache(KEPT)
def _hashed(palette: Palette) -> Palette:
    return Palette(palette.states, palette._order, hashed=True)


def _custom_states(name: str, nbt: Mapping[str, Any]) -> Iterator[BlockState]:
    properties = dict(_properties(nbt.get("properties")))
    count = 1
    for values in properties.values():
        count *= len(values)
    if count > CUSTOM_STATES_LIMIT:
        yield BlockState(name)
        return
    for combination in itertools.product(*properties.values()):
        yield BlockState(name, tuple(sorted(zip(properties, combination, strict=True))))


def _properties(listed: object) -> Iterator[tuple[str, list[StateValue]]]:
    """(name, values) of each entry that has both: ``{name: string, enum: [values]}``."""
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, Mapping):
            continue
        name, values = entry.get("name"), entry.get("enum")
        if not isinstance(name, str) or len(name) > LONGEST_TEXT or not isinstance(values, list):
            continue
        plain = list(dict.fromkeys(plain_value(value) for value in values if _can_be_meant(value)))
        if plain:
            yield name, plain


def _can_be_meant(value: object) -> TypeGuard[int | str]:
    """Whether a state may have the value: a text, or a 32-bit number (it is hashed as such)."""
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT
    # Compared, not ``in range``: that would iterate over the range for a tag, which is a subclass of int.
    return isinstance(value, int) and -(1 << 31) <= value < 1 << 31


def plain_value(value: int | str) -> StateValue:
    """A tag as a state's value: tags are subclasses of int and str, a Byte becomes a bool."""
    if isinstance(value, str):
        return value
    return bool(value) if isinstance(value, Byte) and value in {0, 1} else int(value)


# ---------------------------------------------------------------- release words

STAND_INS: Final = (BlockState("minecraft:unknown"), BlockState("minecraft:info_update"))
"""Stand-ins for blocks that a protocol lacks; the first that it has is used."""

UPRIGHT: Final = frozenset({("pillar_axis", "y")})
StateKey = tuple[str, frozenset[tuple[str, StateValue]]]


class UnknownState(ValueError):
    """A block state that the protocol's palette lacks."""


class ReleaseWords:
    """The states of one palette, with look-up of other releases' states. ``palette``: in the wanted kind of ids."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._descendants: dict[str, dict[frozenset[tuple[str, StateValue]], int]] = {}  # by name of the ancestor
        self._namesakes: dict[str, list[tuple[frozenset[tuple[str, StateValue]], bool, int]]] = {}
        self._at: dict[str, list[int]] = {}  # positions in the palette by name, and by name of the ancestor

    def exact(self, state: BlockState) -> int | None:
        """The runtime id of a state, by rule 1 for an older name; None if the release lacks it."""
        rule = renames.load().later_of(state.name, dict(state.states))
        found = self._palette.runtime_id_of(_later(rule, state)) if rule is not None and rule.at_once else None
        if found is None:
            found = self._palette.runtime_id_of(state)
        if found is None:
            found = self._descendant_of(state)
        return self.exact(_later(rule, state)) if found is None and rule is not None else found

    def state_of(self, runtime_id: int) -> BlockState | None:
        """The state of an id; None if the release lacks it."""
        return self._palette.state_of(runtime_id)

    def named(self, name: str, values: Mapping[str, StateValue]) -> BlockState:
        """The first state of a name with these properties. Raises UnknownState: there is none."""
        full = name if ":" in name else f"minecraft:{name}"
        for state in self._palette.states:
            if state.name == full and values.items() <= dict(state.states).items():
                return state
        wanted = f" with {', '.join(values)}" if values else ""
        raise UnknownState(f"this protocol does not have the block {full[:64]}{wanted[:64]}")

    def find(self, state: BlockState) -> int | None:
        """The runtime id by rules 1 and 2, the first of equals; None if no block has its name or its ancestor's."""
        if (found := self.exact(state)) is not None:
            return found
        values = frozenset(state.states)
        known = self._namesakes_of(state.name.removeprefix("minecraft:"))
        if not known:
            name, values = _ancestor_of(state)
            known = self._namesakes_of(name)
        return max(known, key=lambda one: (len(one[0] & values), one[1]))[2] if known else None

    def spellings(self, name: str, wanted: Set[tuple[str, str]]) -> list[str]:
        """What a block of another release is called in this one: NAME or NAME[PROPERTY=VALUE,...], each once.

        ``wanted``: properties and values as texts, in the words of either release.
        """
        ancestors, bare = renames.load(), name.removeprefix("minecraft:")
        if bare in ancestors.alike:  # it only looks like its ancestor
            return []
        old, meant = ancestors.blocks.get(bare, (bare, {}))
        values, found = wanted | {(key, str(value).lower()) for key, value in meant.items()}, dict[str, None]()
        for state in (self._palette.states[at] for at in self._positions(old)):
            _, at_486 = ancestors.of(state.name, dict(state.states))
            if values <= state.texts | BlockState(old, tuple(at_486.items())).texts:
                own = ",".join(f"{key}={value}" for key, value in sorted(values & state.texts))
                found[state.name.removeprefix("minecraft:") + (f"[{own}]" if own else "")] = None
        return list(found)

    @property
    def unknown(self) -> int:
        """The runtime id by rule 3."""
        ids = (self._palette.runtime_id_of(stand_in) for stand_in in STAND_INS)
        return next((found for found in ids if found is not None), self._palette.air)

    def _namesakes_of(self, name: str) -> list[tuple[frozenset[tuple[str, StateValue]], bool, int]]:
        """States with this name in the release or in 486's ancestor: values, whether by own name, runtime id."""
        found = self._namesakes.get(name)
        if found is None:
            found = self._namesakes[name] = []
            for at in self._positions(name):
                later, runtime_id = self._palette.states[at], int(self._palette.runtime_ids[at])
                old, values = _ancestor_of(later)
                own = later.name == f"minecraft:{old}"
                if old == name:
                    found.append((values, own, runtime_id))
                if not own and later.name.removeprefix("minecraft:") == name:
                    found.append((frozenset(later.states), True, runtime_id))
        return found

    def _descendant_of(self, state: BlockState) -> int | None:
        """The runtime id of the release's state that a state of 486 has become."""
        name, wanted = _ancestor_of(state)
        found = self._descendants.get(name)
        if found is None:
            found = self._descendants[name] = {}
            for at in self._positions(name):
                later, runtime_id = self._palette.states[at], int(self._palette.runtime_ids[at])
                old, values = _ancestor_of(later)
                if old != name:
                    continue
                # States that gained a direction default to upright: froglights, from 503 on.
                for key in (values, values - UPRIGHT):
                    if later.name == f"minecraft:{name}":
                        found[key] = runtime_id  # the block itself takes precedence over those derived from it
                    else:
                        found.setdefault(key, runtime_id)
        return found.get(wanted)

    def _positions(self, name: str) -> list[int]:
        """Ascending positions in the palette of states of a name, or of an ancestor of it; names without prefix."""
        if not self._at:
            ancestors = renames.load()
            for bare, run in groupby(range(len(self._palette)), lambda at: self._palette.states[at].name):
                own, positions = bare.removeprefix("minecraft:"), list(run)
                for one in {own} if own in ancestors.alike else {own, ancestors.name_of(own)}:
                    self._at.setdefault(one, []).extend(positions)
        return self._at.get(name, [])


def _later(rule: renames.Later, state: BlockState) -> BlockState:
    name, states = rule.of(state.name.removeprefix("minecraft:"), dict(state.states))
    return BlockState(f"minecraft:{name}", tuple(sorted(states.items())))


def _ancestor_of(state: BlockState) -> StateKey:
    """A state in the form of 486, without properties that 486 lacks."""
    name, states = renames.load().of(state.name, dict(state.states))
    return name, frozenset((key, value) for key, value in states.items() if not key.startswith("minecraft:"))


VALUE: Final = "val"
"""What ``net.subchunk.legacy.read_named`` calls the data value of a state saved before 1.13."""


def state_of_old(saved: BlockState) -> BlockState:
    """A state saved before 486 in the form of 486; any other unchanged."""
    values = dict(saved.states)
    table = renames.load_legacy()
    value = values.get(VALUE)
    if set(values) == {VALUE} and isinstance(value, int):
        found = table.of_value(saved.name, value)
        return saved if found is None else BlockState(saved.name, tuple(sorted(found.items())))
    name, states = table.of(saved.name, values)
    if states is values and saved.name.endswith(name):
        return saved
    return BlockState(f"minecraft:{name}", tuple(sorted(states.items())))


@lru_cache(4096)
def state_of_number(value: int) -> BlockState | None:
    """The block state of 486 for ``number << 4 | data value``; None for an unused number."""
    name = renames.load_legacy().name_of(value >> 4)
    return None if name is None else state_of_old(BlockState(f"minecraft:{name}", ((VALUE, value & 15),)))
