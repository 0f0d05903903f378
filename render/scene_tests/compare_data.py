"""Digests of the world data of one moment and of what was computed from it: the layer that is exact on every machine.

| part     | of each           | digest of                                                                    |
|----------|-------------------|------------------------------------------------------------------------------|
| storages | sub-chunk         | its blocks and its second layer's, by name and state values                  |
| light    | sub-chunk         | its light levels, R G B D                                                    |
| meshes   | render cell       | its packed quads as they lie on the GPU, blocks by name and state values     |
| requests | sub-chunk         | its state, whether it was requested, the last code that refused it           |

The digests do not depend on the order of arrival, on dense ids or slots, or on how often a request was repeated because
its answer was lost.

Rules:
1. ``whole`` decides: 128 bits over all positions, sorted by x, y, z, and the full 64-bit digest of each. The 32 bits
   stored for each position only serve to name the positions that differ.
2. As JSON it is ``{"digest": hex, "count": n, "places": text}``, text being base64 of deflated int32 positions (by
   difference from the one before) and uint32 digests: four bytes a place, since the positions are a grid.
3. A block is hashed by its name and state values.
4. Sub-chunks with the most common content (unknown or all air; all dark or full daylight) have no digest, which keeps
   files small. A change to or from such content still shows, as a digest that appears or disappears.
5. A mesh is hashed without the texture layers of its quads: the number of a texture depends on loading order.
"""

import base64
import binascii
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import xxhash

from client.light.light_map import LightMap
from client.light.slots import FULL_DAYLIGHT
from client.session.session import Session
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.lifecycle import STATE_WORDS, SubChunkState
from client.world.store import Store
from net.space import BLOCKS_PER_SUBCHUNK, coordinates
from render.mesh.vertex_format import CUBE, MODEL, BitField
from render.scene.cells import ShownMeshes
from render.scene_tests.verdict import DATA, Layer, LayerOutcome

Positions = npt.NDArray[np.int32]
"""[n, 3] of x, y, z in sub-chunks or render cells."""

MOST_PLACES: Final = 1 << 22
"""What is read of a file: more than any world that is shown holds."""


class Digests(msgspec.Struct, frozen=True):
    """Digests by place."""

    whole: str  # 32 hexadecimal digits
    positions: Positions  # int32[n, 3], sorted, each once
    short: npt.NDArray[np.uint32]  # uint32[n] of each

    @classmethod
    def of(cls, positions: npt.NDArray[np.integer[Any]], full: npt.NDArray[np.uint64]) -> "Digests":
        """Digests of n places in any order."""
        order = np.lexsort((positions[:, 2], positions[:, 1], positions[:, 0]))
        placed = np.ascontiguousarray(positions[order].astype("<i4").reshape(-1, 3))
        digests = np.ascontiguousarray(full[order].astype("<u8"))
        whole = xxhash.xxh3_128(placed.tobytes())
        whole.update(digests.tobytes())
        return cls(whole.hexdigest(), placed, (digests & np.uint64(0xFFFFFFFF)).astype(np.uint32))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digests) and self.whole == other.whole

    def __hash__(self) -> int:
        return hash(self.whole)

    def __len__(self) -> int:
        return len(self.positions)

    def differing(self, other: "Digests") -> Positions:
        """Places that one of both alone has, or that have other digests: int32[n, 3], sorted."""
        if self == other:
            return np.empty((0, 3), np.int32)
        rows = np.concatenate([_rows(self), _rows(other)])
        found, times = np.unique(rows, axis=0, return_counts=True)
        places: Positions = np.unique(found[times == 1, :3], axis=0).astype(np.int32)
        return places

    def as_json(self) -> dict[str, Any]:
        steps = np.diff(self.positions, axis=0, prepend=np.zeros((1, 3), np.int32)).astype("<i4")
        packed = zlib.compress(steps.T.tobytes() + self.short.astype("<u4").tobytes(), 9)
        return {"digest": self.whole, "count": len(self), "places": base64.b64encode(packed).decode()}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "Digests":
        """What ``as_json`` said. Raises ValueError: it is something else; names what."""
        try:
            whole, count, text = str(said["digest"]), int(said["count"]), str(said["places"])
            if not 0 <= count <= MOST_PLACES:
                raise ValueError(f"digests of {count} places; at most {MOST_PLACES} are read")
            raw = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), 16 * count + 1)
        except (KeyError, TypeError, OverflowError, binascii.Error, zlib.error) as error:
            raise ValueError(f"it has no digests by place: {error!r}") from None
        if len(raw) != 16 * count:
            raise ValueError(f"digests of {count} places have {len(raw)} bytes, not {16 * count}")
        steps = np.frombuffer(raw, "<i4", 3 * count).reshape(3, count).T
        positions = np.cumsum(steps, axis=0, dtype=np.int32)
        return cls(whole, positions, np.frombuffer(raw, "<u4", count, 12 * count).astype(np.uint32))


def _rows(digests: Digests) -> npt.NDArray[np.int64]:
    return np.column_stack([digests.positions.astype(np.int64), digests.short.astype(np.int64)])


# ---------------------------------------------------------------- gathering

Hashes = npt.NDArray[np.uint64]
"""[n] xxh3 each."""

DENSE_IDS: Final = 1 << 16
DARK: Final = np.zeros(BLOCKS_PER_SUBCHUNK, np.uint16)
DAYLIGHT: Final = np.full(BLOCKS_PER_SUBCHUNK, FULL_DAYLIGHT, np.uint16)


def storages(store: Store) -> Digests:
    """Blocks of every sub-chunk that is known and not all air, and the second layer of those that have one."""
    places = store.places_of_rows(store.announced_rows)
    slots, seconds = store.slot[places], store.layer1_slot[places]
    shown = ((slots != AIR_SLOT) & (slots != PLACEHOLDER_SLOT)) | (seconds != 0)
    places, slots, seconds = places[shown], slots[shown], seconds[shown]
    used = np.zeros(DENSE_IDS, np.bool_)
    for pool, chosen in ((store.pools.blocks, slots), (store.pools.layer1, seconds)):
        for slot in np.unique(chosen).tolist():
            used[pool[slot]] = True
    hashes = _hashes_of_states(store, used)
    own = _by_slot(store.pools.blocks, slots, hashes)
    second = _by_slot(store.pools.layer1, seconds, hashes)
    for index in np.flatnonzero(seconds).tolist():
        own[index] = _hash(np.array([own[index], second[index]]))
    return Digests.of(store.positions_of(places), own)


def light_levels(store: Store, light: LightMap) -> Digests:
    """Levels of every sub-chunk of announced columns that is neither all dark nor in full daylight throughout."""
    places = store.places_of_rows(store.announced_rows)
    digests = _by_slot(light.values, light.slots_of(places))
    uniform = np.array([_hash(DARK), _hash(DAYLIGHT)], np.uint64)
    some = ~np.isin(digests, uniform)
    return Digests.of(store.positions_of(places[some]), digests[some])


def packed_quads(store: Store, meshes: ShownMeshes) -> Digests:
    """Quads of every render cell that has any, as the GPU holds them."""
    quads = list(meshes.quads())
    used = np.zeros(DENSE_IDS, np.bool_)
    for cubes, models in quads:
        used[_dense_ids(cubes, CUBE)] = True
        used[_dense_ids(models, MODEL)] = True
    hashes = _hashes_of_states(store, used)
    full = [
        xxhash.xxh3_64_intdigest(_anonymous(cubes, CUBE, hashes) + b"models" + _anonymous(models, MODEL, hashes))
        for cubes, models in quads
    ]
    return Digests.of(meshes.cells, np.array(full, np.uint64))


def requests(session: Session) -> Digests:
    """The request state of every sub-chunk of announced columns, except those never requested."""
    store = session.dimension.store
    places = store.places_of_rows(store.announced_rows)
    asked = session.ledger.entries.wave[places] > 0
    states, codes = store.state[places].astype(np.uint64), store.refusal[places].astype(np.uint64)
    told = asked | (states != SubChunkState.UNKNOWN)
    words = states | codes << np.uint64(8) | asked.astype(np.uint64) << np.uint64(16)
    return Digests.of(store.positions_of(places[told]), words[told])


def _hashes_of_states(store: Store, used: npt.NDArray[np.bool_]) -> Hashes:
    """By dense id: a hash of each state that is used, 0 for all others."""
    states = store.table.states
    hashes = np.zeros(DENSE_IDS, np.uint64)
    for dense in np.flatnonzero(used).tolist():
        name, values = states[dense].name, dict(states[dense].states)
        hashes[dense] = xxhash.xxh3_64_intdigest(f"{name} {json.dumps(values, sort_keys=True)}".encode())
    return hashes


def _by_slot(pool: npt.NDArray[np.uint16], slots: npt.NDArray[np.int32], meaning: Hashes | None = None) -> Hashes:
    """The hash of each position's slot; each slot is hashed once. ``meaning``: a hash for each value in it."""
    kept, where = np.unique(slots, return_inverse=True)
    found = [_hash(pool[slot] if meaning is None else meaning[pool[slot]]) for slot in kept.tolist()]
    return np.array(found, np.uint64)[where.reshape(slots.shape)]


def _hash(array: npt.NDArray[Any]) -> int:
    return int(xxhash.xxh3_64_intdigest(np.ascontiguousarray(array).data))


def _dense_ids(words: npt.NDArray[np.uint32], layout: dict[str, BitField]) -> npt.NDArray[np.uint32]:
    block = layout["block"]
    return words[:, block.word] >> np.uint32(block.shift) & np.uint32(block.mask)


def _anonymous(words: npt.NDArray[np.uint32], layout: dict[str, BitField], hashes: Hashes) -> bytes:
    """Quads with their blocks' hashes in place of dense ids and texture layers."""
    bare = words.copy()
    for field in (layout["block"], layout["layer"]):
        bare[:, field.word] &= np.uint32(~(field.mask << field.shift) & 0xFFFFFFFF)
    return bare.tobytes() + hashes[_dense_ids(words, layout)].tobytes()


PARTS: Final = ("storages", "light", "meshes", "requests")
"""Names of the parts, in the order in which they depend on each other."""


class DataTruth(msgspec.Struct, frozen=True):
    """Digests of one moment."""

    storages: Digests  # by sub-chunk
    light: Digests  # by sub-chunk
    meshes: Digests  # by render cell
    requests: Digests  # by sub-chunk

    @classmethod
    def of(cls, session: Session, light: LightMap, meshes: ShownMeshes) -> "DataTruth":
        """The digests of this moment; 80 ms for 13 x 13 columns. ``session`` must not be ticked meanwhile."""
        store = session.dimension.store
        return cls(storages(store), light_levels(store, light), packed_quads(store, meshes), requests(session))

    @property
    def parts(self) -> dict[str, Digests]:
        """Each part by its name, in the order of ``PARTS``."""
        return {name: getattr(self, name) for name in PARTS}

    def as_json(self) -> dict[str, Any]:
        """Fit for ``json.dumps``; the same text for the same truth."""
        return {name: digests.as_json() for name, digests in self.parts.items()}

    @classmethod
    def from_json(cls, said: object) -> "DataTruth":
        """What ``as_json`` said. Raises ValueError: it is something else; names the part."""
        if not isinstance(said, Mapping):
            raise ValueError("a data baseline must be a table of parts")
        parts = {}
        for name in PARTS:
            if not isinstance(part := said.get(name), Mapping):
                raise ValueError(f"a data baseline needs the part '{name}'")
            try:
                parts[name] = Digests.from_json(part)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return cls(**parts)


# ---------------------------------------------------------------- data layer

STATE_BITS: Final = 0xFF
"""Of a digest of ``requests``: the sub-chunk's state. These digests are not hashed."""
MISSING: Final = (
    SubChunkState.REFUSED,
    SubChunkState.UNDECODABLE,
    SubChunkState.REQUESTED,
    SubChunkState.WANTED,
    SubChunkState.RESET,
)
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "storages": ("blocks", "sub-chunk"),
    "light": ("light", "sub-chunk"),
    "meshes": ("meshes", "render cell"),
    "requests": ("states", "sub-chunk"),
}
"""How each part is called in a sentence, and what its places are."""
DRAWN_OTHERWISE: Final = (
    "the received world is the same, so it is drawn in another way: compare view, time, weather, textures, renderer "
    "and version of chunkscope"
)
"""The cause where no part of the data differs, but the picture does."""


def compare_data(expected: DataTruth | None, actual: DataTruth | None) -> Layer:
    """Counts the places of each part that differ; ``likely_cause`` names the first ones.

    The numbers of a part: places that either side has, and those of them that differ.
    """
    if expected is None or actual is None:
        which = "were accepted yet" if expected is None else "were taken"
        return Layer(DATA, LayerOutcome.SKIPPED, f"No digests of blocks, light, meshes and requests {which}.", {})
    numbers: dict[str, float] = {}
    said = []
    for name, part in expected.parts.items():
        other = actual.parts[name]
        places = part.differing(other)
        numbers[name], numbers[f"{name}_differing"] = _on_either_side(part, other), len(places)
        if part != other:
            said.append(f"{KINDS[name][0]} {_share(name, part, other)}")
    if said:
        return Layer(DATA, LayerOutcome.FAILED, f"different {', '.join(said)}.", numbers)
    shown = [(*KINDS[name], int(numbers[name])) for name in ("storages", "light", "meshes")]
    counted = ", ".join(f"{words} of {many} {kind}s" for words, kind, many in shown)
    return Layer(DATA, LayerOutcome.PASSED, f"All digests are the same ({counted}).", numbers)


def missing_subchunks(requests: Digests) -> dict[str, int]:
    """How many sub-chunks the part ``requests`` has in each state that shows no blocks of theirs, by name."""
    states = Counter((requests.short & STATE_BITS).tolist())
    return {STATE_WORDS[state]: states[state] for state in MISSING if states[state]}


def likely_cause(expected: DataTruth, actual: DataTruth) -> str:
    """Why a picture of them differs, with the first place: the first part that does, since later ones follow from it.

    Sub-chunks that came to be missing, or are not missing any more, come before all parts.
    """
    changes = _state_changes(expected.requests, actual.requests)
    if missing := [change for change in changes if set(change[1:3]) & set(MISSING)]:
        return _changed(*missing[0])
    if expected.storages != actual.storages:
        return f"the server sent other blocks {_located('storages', expected.storages, actual.storages)}"
    if expected.light != actual.light:
        return f"the blocks are the same, but their light differs {_located('light', expected.light, actual.light)}"
    if expected.meshes != actual.meshes:
        where = _located("meshes", expected.meshes, actual.meshes)
        return f"blocks and light are the same, but this version of chunkscope builds other meshes {where}"
    if changes:
        return f"blocks, light and meshes are the same, but {_changed(*changes[0])}"
    return DRAWN_OTHERWISE


def _on_either_side(expected: Digests, actual: Digests) -> int:
    return len(np.unique(np.concatenate([expected.positions, actual.positions]), axis=0))


def _share(name: str, expected: Digests, actual: Digests) -> str:
    """How many places of how many differ."""
    kind, places = KINDS[name][1], len(expected.differing(actual))
    all_ = _on_either_side(expected, actual)
    # none: a collision of the 32 bits that are kept of each place
    return f"in {places:,} of {all_:,} {kind}{'' if all_ == 1 else 's'}" if places else f"in an unknown {kind}"


def _located(name: str, expected: Digests, actual: Digests) -> str:
    """The same with the first place."""
    places, kind = expected.differing(actual), KINDS[name][1]
    first = f"; the first: {kind} {coordinates(places[0].tolist())}" if len(places) else ""
    return _share(name, expected, actual) + first


def _state_changes(
    expected: Digests, actual: Digests
) -> list[tuple[int, SubChunkState, SubChunkState, tuple[int, ...]]]:
    """How many sub-chunks went from which state to which, and the first of them; the most frequent change first."""
    before, after = (
        dict(zip(map(tuple, part.positions.tolist()), (part.short & STATE_BITS).tolist(), strict=True))
        for part in (expected, actual)
    )
    found: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for place in sorted(before.keys() | after.keys()):
        change = before.get(place, SubChunkState.UNKNOWN), after.get(place, SubChunkState.UNKNOWN)
        if change[0] != change[1] and all(state in STATE_WORDS for state in change):  # a baseline may hold anything
            found.setdefault(change, []).append(place)
    return [
        (len(places), SubChunkState(one), SubChunkState(other), places[0])
        for (one, other), places in sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    ]


def _changed(count: int, one: SubChunkState, other: SubChunkState, first: tuple[int, ...]) -> str:
    states = f'went from "{STATE_WORDS[one]}" to "{STATE_WORDS[other]}"'
    return f"{count:,} sub-chunk{'' if count == 1 else 's'} {states}; the first: sub-chunk {coordinates(first)}"
