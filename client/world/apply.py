"""Shows what arrived, from a column or from an answer: blocks, air, and nothing.

Nothing is a refusal, or bytes that make no sense: the place shows a placeholder, whatever it showed before. The server
has spoken of it anew, so what was there is no longer known to be; to show it would be to guess.
"""

import numpy as np
import numpy.typing as npt

from client.world.block_pools import AIR_SLOT, PLACEHOLDER_SLOT
from client.world.decode import NO_SLOT, DecodedSlots
from client.world.history import NO_CODE
from client.world.lifecycle import StateEvent
from client.world.reports import EntryFault
from client.world.store_state import StoreState
from net.space import Places, SubChunkPos


def settle(
    store_state: StoreState,
    places: Places,
    taken: DecodedSlots,
    causes: tuple[StateEvent, StateEvent],
    now: float,
    code: int = NO_CODE,
) -> tuple[EntryFault, ...]:
    """Shows what was decoded; the rest is UNDECODABLE.

    ``store_state``: to write to. ``places``: of the first entries of ``taken``, each once. ``taken``: what the
    decoder made of them. ``causes``: of what was decoded, and of what was not. ``code``: result code of the answers,
    NO_CODE where there is none.
    """
    count = len(places)
    codes = np.array([code], np.int16)
    whole, slots, layer1 = places, taken.slots[:count], taken.layer1[:count]
    if taken.faults:
        sound = slots != NO_SLOT
        whole, slots, layer1 = places[sound], slots[sound], layer1[sound]
    store_state.attached.drop(whole)
    store_state.tables.widths[places], store_state.tables.palettes[places] = (
        taken.widths[:count],
        taken.palettes[:count],
    )
    store_state.shown.show(whole, slots, layer1, filled=True)
    store_state.states.happen(whole, causes[0], now, codes)
    crowded = _take_small_values(store_state, places, taken)
    if len(whole) == count:
        return crowded
    broken = np.flatnonzero(taken.slots[:count] == NO_SLOT)
    _show_nothing(store_state, places[broken], causes[1], now, codes)
    positions = store_state.tables.positions_of(places[broken]).tolist()
    faults = tuple(
        EntryFault(SubChunkPos(*position), taken.faults[index])
        for index, position in zip(broken.tolist(), positions, strict=True)
    )
    for place, fault in zip(places[broken].tolist(), faults, strict=True):
        store_state.tables.history.keep_fault(place, str(fault.error))
    return faults + crowded


def _take_small_values(store_state: StoreState, places: Places, taken: DecodedSlots) -> tuple[EntryFault, ...]:
    """Keeps the small values of sub-chunks that have any; says which found no room."""
    faults: tuple[EntryFault, ...] = ()
    for index, values in taken.small_values.items():
        if index < len(places) and taken.slots[index] != NO_SLOT:
            fault = store_state.attached.small_values.take(int(places[index]), values)
            faults += () if fault is None else (EntryFault(store_state.position(int(places[index])), fault),)
    return faults


def show_air(store_state: StoreState, places: Places, cause: StateEvent, now: float, code: int = NO_CODE) -> None:
    """Shows air; ``cause`` says who said so, the limit of the column or an answer."""
    if len(places):
        store_state.attached.drop(places)
        store_state.shown.show_one(places, AIR_SLOT)
        store_state.states.happen(places, cause, now, np.array([code], np.int16))


def refuse(
    store_state: StoreState, places: Places, cause: StateEvent, codes: npt.NDArray[np.uint8], now: float
) -> None:
    """The server will not send these: REFUSED, with the code; places that need no request are left alone."""
    need = store_state.states.need_request(places)
    if need.any():
        places, codes = places[need], codes[need]
        store_state.tables.refusal[places] = codes
        _show_nothing(store_state, places, cause, now, codes.astype(np.int16))


def _show_nothing(
    store_state: StoreState, places: Places, cause: StateEvent, now: float, codes: npt.NDArray[np.int16]
) -> None:
    """No blocks come: a placeholder, without block entities, and nothing waits for them any more."""
    once = np.unique(places)
    store_state.attached.drop(once)
    store_state.attached.entities.drop_waiting(once)
    store_state.kept_edits.drop(once)
    store_state.shown.show_one(once, PLACEHOLDER_SLOT)
    store_state.states.happen(places, cause, now, codes)
