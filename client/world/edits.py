"""Applies changes of single blocks.

Rules:
1. Slots are immutable once ``finish_drain`` published them; the first edit of a drain copies.
2. An edit of known or answered air makes the place DATA, since it is no longer all air.
3. A place whose blocks may yet come keeps the change for them (``KeptEdits``); if it shows older blocks until then,
   these change at once as well. A place for which no blocks will come (refused, undecodable) ignores it.
4. Changes apply in order: of several to one block in one call, each is compared with the one before it.
"""

from contextlib import suppress

import numpy as np
import numpy.typing as npt

from client.errors import OutOfSlots
from client.world.lifecycle import StateEvent
from client.world.store_state import AWAITED, SHOWS, StoreParts
from net.arrays import BlockIds, Places, RuntimeIds

LAYERS = 2
Cells = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


def apply_edits(
    store: StoreParts,
    positions: npt.NDArray[np.int32],
    layers: npt.NDArray[np.integer],
    runtime_ids: RuntimeIds,
    packets: Numbers | None = None,
) -> Flags:
    """Changes single blocks, in order; returns which changes had a visible effect.

    ``positions``: int32[n, 3]. ``layers``: [n]; changes of others than 0 and 1 are ignored.
    ``runtime_ids``: the wire's, as unsigned 32-bit numbers. ``packets``: int32[n] packet number of each; None: the
    present one. Raises OutOfSlots: the pools are full; nothing was changed or kept; the caller can retry in
    parts.
    """
    places = store.places_of(positions >> 4)
    some = np.flatnonzero((places >= store.sections) & (layers >= 0) & (layers < LAYERS))
    within = positions[some].astype(np.int64) & 15
    cells = within[:, 0] << 8 | within[:, 2] << 4 | within[:, 1]
    dense = store.table.dense_of(runtime_ids[some])
    kept: Flags = AWAITED[store.state[places[some]]]
    told_by = None if packets is None else packets[some]
    try:
        effect = _apply(store, places[some], layers[some] == 1, cells, dense, told_by)
    except OutOfSlots:
        if not kept.all():
            raise
        effect = np.zeros(len(some), np.bool_)  # nothing is lost: all of them wait for the blocks of their places
    _keep(store, kept, places[some], layers[some].astype(np.int64), cells, dense)
    changed = np.zeros(len(positions), np.bool_)
    changed[some] = effect
    return changed


def apply_kept(store: StoreParts, places: Places) -> None:
    """Applies waiting changes of places whose blocks came; those without free slots are lost."""
    if not len(store.kept_edits):
        return
    where, layers, cells, dense = store.kept_edits.take(places)
    with suppress(OutOfSlots):
        _apply(store, where, layers == 1, cells, dense.astype(np.uint16))


def _keep(store: StoreParts, awaited: Flags, places: Places, layers: Cells, cells: Cells, dense: BlockIds) -> None:
    """Stores the changes of places that wait for blocks."""
    if awaited.any():
        store.kept_edits.keep(places[awaited], layers[awaited], cells[awaited], dense[awaited])
        first = awaited & (layers == 0)
        store.attached.entities.ending_unseen(places[first], cells[first])


def _apply(
    store: StoreParts,
    places: Places,
    second: Flags,
    cells: Cells,
    dense: BlockIds,
    packets: Numbers | None = None,
) -> Flags:
    """Changes cells of places that show blocks or air; returns which changed."""
    effect = SHOWS[store.state[places]]
    some = np.flatnonzero(effect)
    effect[some] = _differ(store, places[some], second[some], cells[some], dense[some])
    if effect.any():
        _write(store, places[effect], second[effect], cells[effect], dense[effect])
        _record(store, places[effect], cells[effect], None if packets is None else packets[effect])
    return np.asarray(effect)


def _differ(store: StoreParts, places: Places, second: Flags, cells: Cells, dense: BlockIds) -> Flags:
    """Which changes set another block than the present one, or than an earlier change of the same call."""
    pools = store.pools
    before = pools.blocks[store.slot[places], cells]
    before[second] = pools.layer1[store.layer1_slot[places[second]], cells[second]]
    keys = (places.astype(np.int64) << 1 | second) << 12 | cells
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    before[order[again + 1]] = dense[order[again]]
    return np.asarray(before != dense)


def _write(store: StoreParts, places: Places, second: Flags, cells: Cells, dense: BlockIds) -> None:
    pools, first = store.pools, ~second
    store.shown.own(np.unique(places[first]), np.unique(places[second]))
    slots = store.slot[places[first]]
    before = pools.blocks[slots, cells[first]]
    store.attached.changing(places[first], cells[first], before, dense[first])
    pools.blocks[slots, cells[first]] = dense[first]  # of several to one cell the last one stays
    np.bitwise_or.at(pools.flags, slots, store.table.flags[dense[first]])
    pools.layer1[store.layer1_slot[places[second]], cells[second]] = dense[second]
    store.attached.heights.edit(places, cells)


def _record(store: StoreParts, places: Places, cells: Cells, packets: Numbers | None) -> None:
    """An edited place is noted once, as the doing of the last packet that changed it."""
    states = store.states
    once, from_the_end = np.unique(places[::-1], return_index=True)
    told_by = None if packets is None else packets[::-1][from_the_end]
    states.happen(once, StateEvent.EDITED, states.now, packets=told_by)
    store.pending.edit(places, cells)
