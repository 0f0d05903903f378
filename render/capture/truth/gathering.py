"""What is known, and what was made of it, to digests by place.

Rules:
1. A block goes in as a hash of its name and state values, so that dense ids, slots and palettes do not matter.
2. Sub-chunks whose blocks or light are the commonest (nothing known, all air; all dark, full daylight) have no digest:
   that one comes or goes tells as much, and files stay small.
3. A mesh goes in without the texture layers of its quads: they follow from blocks and faces, and which number a
   picture has is a matter of order. The pictures themselves are the layer of colours' matter.
"""

import json
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from client.light.light_map import LightMap
from client.light.slots import FULL_DAYLIGHT
from client.session.session import Session
from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.lifecycle import Knowledge
from client.world.store import Store
from net.space.layout import BLOCKS_PER_SUBCHUNK
from render.capture.truth.digests import Digests
from render.materials.materials import BlockStateLike
from render.mesh.quads import CUBE, MODEL, Field
from render.scene.shown_meshes import ShownMeshes

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
    """What is known of every sub-chunk of announced columns but those that nobody asked for, or had to."""
    store = session.store
    places = store.places_of_rows(store.announced_rows)
    asked = session.ledger.entries.waves(places) > 0
    states, codes = store.state[places].astype(np.uint64), store.refusal[places].astype(np.uint64)
    told = asked | (states != Knowledge.UNKNOWN)
    words = states | codes << np.uint64(8) | asked.astype(np.uint64) << np.uint64(16)
    return Digests.of(store.positions_of(places[told]), words[told])


def _hashes_of_states(store: Store, used: npt.NDArray[np.bool_]) -> Hashes:
    """By dense id: a hash of each state that is used, 0 for all others."""
    states = store.table.states
    hashes = np.zeros(DENSE_IDS, np.uint64)
    for dense in np.flatnonzero(used).tolist():
        hashes[dense] = _state_hash(states[dense])
    return hashes


def _state_hash(state: BlockStateLike) -> int:
    return int(xxhash.xxh3_64_intdigest(f"{state.name} {json.dumps(dict(state.states), sort_keys=True)}".encode()))


def _by_slot(pool: npt.NDArray[np.uint16], slots: npt.NDArray[np.int32], meaning: Hashes | None = None) -> Hashes:
    """The hash of each place's slot; every slot is hashed once. ``meaning`` by what stands in it."""
    kept, where = np.unique(slots, return_inverse=True)
    found = [_hash(pool[slot] if meaning is None else meaning[pool[slot]]) for slot in kept.tolist()]
    return np.array(found, np.uint64)[where.reshape(slots.shape)]


def _hash(array: npt.NDArray[Any]) -> int:
    return int(xxhash.xxh3_64_intdigest(np.ascontiguousarray(array).data))


def _dense_ids(words: npt.NDArray[np.uint32], layout: dict[str, Field]) -> npt.NDArray[np.uint32]:
    block = layout["block"]
    return words[:, block.word] >> np.uint32(block.shift) & np.uint32(block.mask)


def _anonymous(words: npt.NDArray[np.uint32], layout: dict[str, Field], hashes: Hashes) -> bytes:
    """Quads with their blocks' hashes in place of dense ids and texture layers."""
    bare = words.copy()
    for field in (layout["block"], layout["layer"]):
        bare[:, field.word] &= np.uint32(~(field.mask << field.shift) & 0xFFFFFFFF)
    return bare.tobytes() + hashes[_dense_ids(words, layout)].tobytes()
