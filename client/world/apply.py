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
    holdings: StoreState,
    places: Places,
    taken: DecodedSlots,
    causes: tuple[StateEvent, StateEvent],
    now: float,
    code: int = NO_CODE,
) -> tuple[EntryFault, ...]:
    """Shows what was decoded; the rest is UNDECODABLE.

    ``holdings``: to write to. ``places``: of the first entries of ``taken``, each once. ``taken``: what the intake made
    of them. ``causes``: of what was decoded, and of what was not. ``code``: result code of the answers, NO_CODE where
    these are none.
    """
    count = len(places)
    codes = np.array([code], np.int16)
    whole, slots, layer1 = places, taken.slots[:count], taken.layer1[:count]
    if taken.faults:
        sound = slots != NO_SLOT
        whole, slots, layer1 = places[sound], slots[sound], layer1[sound]
    holdings.attached.drop(whole)
    holdings.tables.widths[places], holdings.tables.palettes[places] = taken.widths[:count], taken.palettes[:count]
    holdings.shown.show(whole, slots, layer1, filled=True)
    holdings.states.happen(whole, causes[0], now, codes)
    crowded = _take_small_values(holdings, places, taken)
    if len(whole) == count:
        return crowded
    broken = np.flatnonzero(taken.slots[:count] == NO_SLOT)
    _show_nothing(holdings, places[broken], causes[1], now, codes)
    positions = holdings.tables.positions_of(places[broken]).tolist()
    faults = tuple(
        EntryFault(SubChunkPos(*position), taken.faults[index])
        for index, position in zip(broken.tolist(), positions, strict=True)
    )
    for place, fault in zip(places[broken].tolist(), faults, strict=True):
        holdings.tables.history.keep_fault(place, str(fault.error))
    return faults + crowded


def _take_small_values(holdings: StoreState, places: Places, taken: DecodedSlots) -> tuple[EntryFault, ...]:
    """Keeps the small values of sub-chunks that have any; says which found no room."""
    faults: tuple[EntryFault, ...] = ()
    for index, values in taken.small_values.items():
        if index < len(places) and taken.slots[index] != NO_SLOT:
            fault = holdings.attached.small_values.take(int(places[index]), values)
            faults += () if fault is None else (EntryFault(holdings.position(int(places[index])), fault),)
    return faults


def show_air(holdings: StoreState, places: Places, cause: StateEvent, now: float, code: int = NO_CODE) -> None:
    """Shows air; ``cause`` says who said so, the limit of the column or an answer."""
    if len(places):
        holdings.attached.drop(places)
        holdings.shown.show_one(places, AIR_SLOT)
        holdings.states.happen(places, cause, now, np.array([code], np.int16))


def refuse(holdings: StoreState, places: Places, cause: StateEvent, codes: npt.NDArray[np.uint8], now: float) -> None:
    """The server will not send these: REFUSED, with the code; places that need no request are left alone."""
    need = holdings.states.need_request(places)
    if need.any():
        places, codes = places[need], codes[need]
        holdings.tables.refusal[places] = codes
        _show_nothing(holdings, places, cause, now, codes.astype(np.int16))


def _show_nothing(
    holdings: StoreState, places: Places, cause: StateEvent, now: float, codes: npt.NDArray[np.int16]
) -> None:
    """No blocks come: a placeholder, without block entities, and nothing waits for them any more."""
    once = np.unique(places)
    holdings.attached.drop(once)
    holdings.attached.entities.drop_waiting(once)
    holdings.kept_edits.drop(once)
    holdings.shown.show_one(once, PLACEHOLDER_SLOT)
    holdings.states.happen(places, cause, now, codes)
